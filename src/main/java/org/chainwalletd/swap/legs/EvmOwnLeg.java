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
 * Our lock in the contract, in a buy. A swap has exactly one lock transaction: it is rebroadcast, or its nonce is used up, but it is never made
 * anew. Its outcome is read from the contract.
 *
 * @param limits with the pinned code that the contract must have before a lock
 */
public record EvmOwnLeg(AccountChain chain, AccountSends sends, SwapLimits limits, InstantSource clock)
        implements OwnLeg {
    /** Pause after a failed refund. A refund sent too early by the chain's clock reverts and costs its gas. */
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

    /**
     * Tests whether the lock can never be mined: it failed in a final block, its nonce was used otherwise, or it was abandoned before it had one.
     */
    private static boolean cannotCome(SwapRow row, SwapSends.Made made) {
        return made.newest(SendKind.LOCK)
                .map(SwapSends::hasFailed)
                .orElse(row.acts().abandoning());
    }

    /**
     * Returns the transaction that ended our lock. A claim is the pool's, and is searched only once: when the lock is first observed as claimed.
     */
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
     * Returns the time at which our lock became settled, Unix seconds; the pool's window to lock starts then. It is taken from blocks by quorum, so
     * downtime of this daemon does not extend the window. When finality is a tag, no block shows that time, so the maximum delay of the tag is
     * added to the time of the lock's block. Fails without a quorum, and is retried then.
     *
     * @param lock our transaction; if the journal lacks it, after a restore, the time of observation counts
     * @param seen time of the block at which it was first observed as settled
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
                        // A journalled send already counts as spent.
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

    /**
     * Makes the lock. Its gas is estimated: the endpoint learns no more than the lock itself reveals, and a call that the contract rejects costs
     * nothing.
     */
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
                SwapSends.reference(row, SendKind.LOCK),
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

    /** Cancels our lock. A lock that was never journalled was not sent, and is not made any more once the row says that it is abandoned. */
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
        SwapTerms terms = row.terms();
        return ours().send(
                        row,
                        new SwapSends.Redeem(
                                SendKind.REFUND,
                                terms.ours().evm(),
                                terms.account().contract(),
                                SwapContract.refund(terms.hashLock()),
                                terms.given().units(),
                                OptionalLong.empty()),
                        () -> true);
    }
}
