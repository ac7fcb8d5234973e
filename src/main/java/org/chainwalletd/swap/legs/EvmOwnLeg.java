package org.chainwalletd.swap.legs;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.AccountSends.AccountFunds;
import org.chainwalletd.account.SendRecord;
import org.chainwalletd.account.SendRefusal;
import org.chainwalletd.account.SendRequest;
import org.chainwalletd.account.SendRequest.Gas;
import org.chainwalletd.account.SendRequest.Pushing;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.SendRequest.SendValue;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountChain.Finality;
import org.chainwalletd.account.endpoints.AccountReads;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.AccountReads.AccountReceipt;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.RefundDue;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.legs.Legs.OwnLeg;

/**
 * Our lock in the contract, in a buy. There is one lock for a swap, whatever happens: its transaction is repeated or its nonce is spent, and
 * never made anew. What became of it is read from the contract.
 *
 * @param limits whose pinned code the contract must have before a lock
 */
public record EvmOwnLeg(AccountChain chain, AccountSends sends, SwapLimits limits, InstantSource clock)
        implements OwnLeg {
    /** A refund that comes too early by the chain's clock reverts, and costs its gas. */
    private static final Duration PAUSE = Duration.ofMinutes(10);

    private SwapSends ours() {
        return new SwapSends(sends);
    }

    @Override
    public View look(SwapRow row) {
        ContractSlot slot = ContractSlot.look(chain, row.terms());
        SwapSends.Made made = ours().of(row);
        OwnLock lock = slot.ownLock(row.terms(), row.ownLock(), endedBy(row, slot, made));
        boolean isMissing = lock instanceof OwnLock.Absent || lock instanceof OwnLock.Foreign;
        return new View(
                isMissing && cannotCome(row, made) ? new OwnLock.Lost() : dated(row, made, lock),
                RefundDue.inTheContract(slot.latestTime(), row.terms().timeout()),
                slot.latest().state() == SwapContract.State.CLAIMED);
    }

    /** Tests whether the lock can never be mined: it failed in a final block, its nonce was used otherwise, or it was abandoned before it had one. */
    private static boolean cannotCome(SwapRow row, SwapSends.Made made) {
        return made.newest(SendKind.LOCK)
                .map(SwapSends::hasFailed)
                .orElse(row.acts().abandoning());
    }

    /** The transaction that ended our lock. The claim is the pool's, and is looked for once: when the lock is first seen claimed. */
    private String endedBy(SwapRow row, ContractSlot slot, SwapSends.Made made) {
        if (slot.latest().state() != SwapContract.State.CLAIMED) {
            return made.id(SendKind.REFUND);
        }
        return row.ownLock() instanceof OwnLock.Claimed claimed
                ? claimed.tx()
                : new ClaimSearch(chain).transaction(row.terms());
    }

    /** Adds the time at which the lock became settled, which is determined once. */
    private OwnLock dated(SwapRow row, SwapSends.Made made, OwnLock lock) {
        boolean isDated = row.ownLock() instanceof OwnLock.Locked before
                && before.settledAt().isPresent();
        if (isDated
                || !(lock instanceof OwnLock.Locked locked)
                || locked.settledAt().isEmpty()) {
            return lock;
        }
        long seen = locked.settledAt().getAsLong();
        return new OwnLock.Locked(locked.reference(), OptionalLong.of(settledAt(made.newest(SendKind.LOCK), seen)));
    }

    /**
     * Time at which our lock became settled, Unix seconds; the pool's time to lock begins then. It is taken from the quorum's blocks, so that a
     * downtime of ours gives the pool no more time. Where finality is a tag no block shows it, so the longest delay of a tag is added to the time
     * of the lock's own block. Fails when the quorum does not agree, and is then retried.
     *
     * @param lock our transaction; one that the journal does not have, after a restore, counts from when it was seen
     * @param seen time of the block with which it was first seen to be settled
     */
    private long settledAt(Optional<SendRecord> lock, long seen) {
        List<Hash256> versions = lock.map(SendRecord::hashes).orElse(List.of());
        Optional<Long> number =
                versions.isEmpty() ? Optional.empty() : await(chain.agreed(reads -> block(reads, versions)));
        if (number.isEmpty()) {
            return seen;
        }
        long settled = limits.finality() instanceof Finality.Depth depth
                ? time(Math.addExact(number.get(), depth.blocks()))
                : Math.addExact(time(number.get()), limits.finalitySeconds());
        return Math.min(settled, seen);
    }

    private static Optional<Long> block(AccountReads reads, List<Hash256> versions) {
        return versions.stream()
                .flatMap(version -> reads.receipt(version).stream())
                .map(AccountReceipt::blockNumber)
                .findFirst();
    }

    private long time(long number) {
        return await(chain.agreed(reads -> reads.block(BlockRef.number(number))
                .map(AccountBlock::timestamp)
                .orElseThrow(() -> new IllegalStateException("the account chain has lost block " + number))));
    }

    @Override
    public Optional<String> obstacle(SwapRow row) {
        boolean isMade = ours().of(row).newest(SendKind.LOCK).isPresent();
        return new EvmObstacles(chain, sends, limits.contract().codeHash())
                .find(
                        row,
                        slot -> isMade && ContractSlot.isOurs(row.terms(), slot),
                        // A journalled send counts as spent already.
                        Optional.of(funds -> isMade
                                ? BigInteger.ZERO
                                : row.terms().given().units().add(funds.perTransaction())));
    }

    @Override
    public String sendLock(SwapRow row, BooleanSupplier mayBegin) {
        Optional<SendRecord> lock = ours().of(row).newest(SendKind.LOCK);
        return SwapSends.id(lock.isEmpty() ? make(row, mayBegin) : unlessOver(lock.get(), sends::push));
    }

    /** Applies {@code act} to a lock, which may have become final since it was read. */
    private SendRecord unlessOver(SendRecord lock, Function<String, CompletionStage<SendRecord>> act) {
        if (lock.state().isOver()) {
            return lock;
        }
        try {
            return await(act.apply(lock.reference()));
        } catch (RefusedException e) {
            if (e.refusal().equals(SendRefusal.notOpen(lock.reference()))) {
                return await(sends.find(lock.reference())).orElseThrow();
            }
            throw e;
        }
    }

    /** Its gas is estimated: the endpoint that is asked learns nothing that the lock does not tell, and a contract that refuses costs nothing. */
    private SendRecord make(SwapRow row, BooleanSupplier mayBegin) {
        if (row.acts().abandoning()) {
            throw new IllegalStateException("the lock of swap " + row.id() + " was given up");
        }
        AccountFunds funds = sends.funds(row.terms().ours().evm());
        return await(sends.send(lock(row, funds.reservePerSwap(), mayBegin)));
    }

    private static SendRequest lock(SwapRow row, BigInteger mostForGas, BooleanSupplier mayBegin) {
        SwapTerms terms = row.terms();
        return new SendRequest(
                SwapSends.reference(row, SendKind.LOCK, 1),
                SendKind.LOCK,
                terms.ours().evm(),
                terms.account().contract(),
                SendValue.exactly(terms.given().units()),
                SwapContract.lock(terms.hashLock(), terms.theirs().evm().orElseThrow(), terms.timeout()),
                new Gas.Estimated(),
                Optional.of(mostForGas),
                Pushing.BY_OWNER,
                Optional.of(row.id()),
                mayBegin);
    }

    /** A lock that was never journalled has not left, and is not made any more once the swap says that it is abandoned. */
    @Override
    public void abandonLock(SwapRow row) {
        ours().of(row).newest(SendKind.LOCK).ifPresent(lock -> unlessOver(lock, sends::cancel));
    }

    @Override
    public String takeBack(SwapRow row) {
        if (ours().of(row).hasReverted(SendKind.REFUND, clock.millis() - PAUSE.toMillis())) {
            throw new IllegalStateException(
                    "the refund has failed; it is tried once in " + PAUSE.toMinutes() + " minutes");
        }
        return ours().send(row, SendKind.REFUND, OptionalLong.empty(), attempt -> refund(row, attempt));
    }

    private static SendRequest refund(SwapRow row, int attempt) {
        SwapTerms terms = row.terms();
        return new SendRequest(
                SwapSends.reference(row, SendKind.REFUND, attempt),
                SendKind.REFUND,
                terms.ours().evm(),
                terms.account().contract(),
                SendValue.exactly(BigInteger.ZERO),
                SwapContract.refund(terms.hashLock()),
                new Gas.Fixed(SwapSends.gas(attempt)),
                Optional.of(terms.given().units()),
                Pushing.BY_ITSELF,
                Optional.of(row.id()));
    }
}
