package org.chainwalletd.swap.engine;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.SendRequest;
import org.chainwalletd.account.SendRequest.SendKind;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.engine.LockScan.Fate;
import org.chainwalletd.swap.gates.SwapRow.RefundDue;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.chainwalletd.swap.legs.SwapSends;

/**
 * Handles a lock of ours in the contract that is known only from an event: refunds it when that is due, and when it was claimed, uses the secret
 * that the claim revealed.
 *
 * @param rewatch receives the ids of rows that exist but are not watched
 */
public record Orphans(
        AccountChain chain,
        AccountSends sends,
        EvmAddress contract,
        SwapJournal journal,
        SharedSecrets secrets,
        Consumer<String> rewatch,
        Consumer<SwapAlarm> alarms) {
    Fate handle(LockScan.Seen lock) {
        Optional<SwapJournal.Held> row = await(journal.ofHashLock(lock.hashLock()));
        if (row.isPresent()) {
            row.filter(held -> !held.entry().watched())
                    .map(held -> held.row().id())
                    .ifPresent(rewatch);
            return Fate.OVER;
        }
        Optional<AccountBlock> block = await(chain.finalBlock());
        return block.isEmpty() ? Fate.OPEN : withoutRow(lock, block.get());
    }

    /**
     * Handles a lock without a row. An event that an endpoint invented has no lock in the contract. Neither has an event of a block later than
     * {@code at}, because the endpoints that answer now may be behind those that reported the event; such a lock stays open.
     */
    private Fate withoutRow(LockScan.Seen lock, AccountBlock at) {
        if (at.number() < lock.block()) {
            return Fate.OPEN;
        }
        SwapContract.Swap slot =
                await(chain.agreed(reads -> reads.swap(contract, lock.hashLock(), BlockRef.hash(at.hash()))));
        boolean ours = slot.sender().equals(lock.sender());
        if (ours && slot.state() == SwapContract.State.CLAIMED) {
            return secrets.fromTheContract(lock, slot.deadline(), at);
        }
        if (!ours || slot.state() != SwapContract.State.LOCKED) {
            return Fate.OVER;
        }
        if (RefundDue.inTheContract(await(chain.reached(SharedSecrets::newestTime)), slot.deadline())) {
            takeBack(lock, slot.amount());
        }
        return Fate.OPEN;
    }

    /** Sends the refund. Its reference is derived from the lock, so repeated calls send the same transaction; a failed one is retried. */
    private void takeBack(LockScan.Seen lock, BigInteger amount) {
        alarms.accept(SwapAlarm.withoutRow(
                SwapAlarm.Kind.LOCK_WITHOUT_ROW,
                lock.hashLock(),
                "a lock of " + lock.sender() + " in the contract, of which the journal knows nothing, is taken back"));
        new SwapSends(sends)
                .send(
                        "watchtower/" + contract + "/" + lock.hashLock().hex() + "/refund",
                        OptionalLong.empty(),
                        (reference, attempt) -> new SendRequest(
                                reference,
                                SendKind.REFUND,
                                lock.sender(),
                                contract,
                                SendRequest.SendValue.exactly(BigInteger.ZERO),
                                SwapContract.refund(lock.hashLock()),
                                new SendRequest.Gas.Fixed(SwapSends.gas(attempt)),
                                Optional.of(amount),
                                SendRequest.Pushing.BY_ITSELF,
                                Optional.empty()));
    }
}
