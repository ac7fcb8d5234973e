package org.chainwalletd.swap.engine;

import java.math.BigInteger;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.chainwalletd.account.AccountBlock;
import org.chainwalletd.account.AccountChain;
import org.chainwalletd.account.AccountReads;
import org.chainwalletd.account.AccountSends;
import org.chainwalletd.account.BlockRef;
import org.chainwalletd.account.SendKind;
import org.chainwalletd.account.SendRequest;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.swap.gates.RefundDue;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.chainwalletd.swap.legs.SwapSends;

/**
 * Looks after a lock of ours in the contract of which only an event is known: takes it back when that is due, and when somebody has claimed it
 * uses the secret that this has shown.
 */
public final class Orphans {
    private final AccountChain chain;
    private final SwapSends sends;
    private final EvmAddress contract;
    private final SwapJournal journal;
    private final SharedSecrets secrets;
    private final Consumer<String> rewatch;
    private final Consumer<SwapAlarm> alarms;
    private final Executor executor;

    /** @param rewatch told the ids of rows that are there, and that nobody watches */
    public Orphans(
            AccountChain chain,
            AccountSends sends,
            EvmAddress contract,
            SwapJournal journal,
            SharedSecrets secrets,
            Consumer<String> rewatch,
            Consumer<SwapAlarm> alarms,
            Executor executor) {
        this.chain = chain;
        this.sends = new SwapSends(sends, executor);
        this.contract = contract;
        this.journal = journal;
        this.secrets = secrets;
        this.rewatch = rewatch;
        this.alarms = alarms;
        this.executor = executor;
    }

    /** Whether a lock has to be looked at again. */
    enum Fate {
        OPEN,
        /** Ended for good, never there, or looked after by somebody else. */
        OVER
    }

    CompletionStage<Fate> tend(LockScan.Seen lock) {
        return journal.ofHashLock(lock.hashLock())
                .thenComposeAsync(found -> found.map(this::known).orElseGet(() -> unknown(lock)), executor);
    }

    private CompletionStage<Fate> known(SwapJournal.Known row) {
        if (!row.watched()) {
            rewatch.accept(row.id());
        }
        return CompletableFuture.completedFuture(Fate.OVER);
    }

    private CompletionStage<Fate> unknown(LockScan.Seen lock) {
        return chain.finalBlock()
                .thenComposeAsync(
                        block -> block.isEmpty()
                                ? CompletableFuture.completedFuture(Fate.OPEN)
                                : slot(lock, block.get()).thenComposeAsync(slot -> fate(lock, slot), executor),
                        executor);
    }

    private CompletionStage<SwapContract.Swap> slot(LockScan.Seen lock, AccountBlock at) {
        return chain.agreed(reads -> reads.swap(contract, lock.hashLock(), BlockRef.hash(at.hash())));
    }

    /** An event that an endpoint has made up shows nothing in the contract. */
    private CompletionStage<Fate> fate(LockScan.Seen lock, SwapContract.Swap slot) {
        boolean ours = slot.sender().equals(lock.sender());
        if (ours && slot.state() == SwapContract.State.CLAIMED) {
            return secrets.fromTheContract(lock.hashLock(), lock.block())
                    .thenApplyAsync(isOpen -> isOpen ? Fate.OPEN : Fate.OVER, executor);
        }
        if (!ours || slot.state() != SwapContract.State.LOCKED) {
            return CompletableFuture.completedFuture(Fate.OVER);
        }
        return chain.reached(this::newestTime)
                .thenComposeAsync(
                        time -> RefundDue.inTheContract(time, slot.deadline())
                                ? takeBack(lock, slot.amount())
                                : CompletableFuture.completedFuture(Fate.OPEN),
                        executor);
    }

    private CompletionStage<Long> newestTime(AccountReads reads) {
        return reads.block(BlockRef.Tag.LATEST)
                .thenApplyAsync(block -> block.map(AccountBlock::timestamp).orElse(0L), executor);
    }

    /** The same transaction, however often this is asked for: its reference follows from the lock. A failed one is tried again. */
    private CompletionStage<Fate> takeBack(LockScan.Seen lock, BigInteger amount) {
        alarms.accept(SwapAlarm.withoutRow(
                SwapAlarm.Kind.LOCK_WITHOUT_ROW,
                lock.hashLock(),
                "a lock of " + lock.sender() + " in the contract, of which the journal knows nothing, is taken back"));
        return sends.send(
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
                                Optional.empty()))
                .thenApplyAsync(sent -> Fate.OPEN, executor);
    }
}
