package org.chainwalletd.wait;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.push.PushNews;
import org.chainwalletd.stage.Spawner;
import org.chainwalletd.store.books.CreditCursor;
import org.chainwalletd.store.books.CreditFeed;

/** Entry point for callers of waits. Thread-safe. */
public final class Waits {
    /** Maximum duration of a wait; longer ones are cut to it (interface.md, section 8). */
    public static final Duration LONGEST = Duration.ofSeconds(600);

    private final ActorRef<TxWaits.Command> transactions;
    private final ActorRef<PaymentWaits.Command> payments;
    private final ActorRef<CreditWaits.Command> credits;
    private final CreditFeed feed;
    private final WaitMetrics paymentMetrics;
    private final WaitMetrics creditMetrics;
    private final Executor executor;
    private final LongSupplier clock;

    /**
     * @param watch registers the addresses of open waits
     * @param feed feed of credits
     * @param listener receives transactions found in mempools
     */
    public static Waits start(
            Spawner spawner,
            WaitSetup setup,
            AddressWatch watch,
            CreditFeed feed,
            MempoolListener listener,
            MeterRegistry meters) {
        ScanBudget budget = new ScanBudget(setup.nodeCount());
        WaitMetrics payments = new WaitMetrics(meters, "payment");
        ActorRef<MempoolWatch.Command> mempools =
                spawner.spawn(MempoolWatch.create(setup, budget, listener), "mempool-watch");
        AtomicBoolean ending = new AtomicBoolean();
        PaymentWaits.Mempools shared = new PaymentWaits.Mempools(budget, mempools, listener);
        return new Waits(
                spawner.spawn(TxWaits.create(setup, new WaitMetrics(meters, "tx"), ending), "tx-waits"),
                spawner.spawn(PaymentWaits.create(setup, watch, feed, shared, payments, ending), "payment-waits"),
                spawner.spawn(CreditWaits.create(setup, feed, watch, mempools, ending), "credit-waits"),
                feed,
                payments,
                new WaitMetrics(meters, "credits"),
                setup);
    }

    private Waits(
            ActorRef<TxWaits.Command> transactions,
            ActorRef<PaymentWaits.Command> payments,
            ActorRef<CreditWaits.Command> credits,
            CreditFeed feed,
            WaitMetrics paymentMetrics,
            WaitMetrics creditMetrics,
            WaitSetup setup) {
        this.transactions = transactions;
        this.payments = payments;
        this.credits = credits;
        this.feed = feed;
        this.paymentMetrics = paymentMetrics;
        this.creditMetrics = creditMetrics;
        this.executor = setup.executor();
        this.clock = setup.clock();
    }

    /**
     * Waits until a transaction is in a block of the followed chain with the given number of confirmations.
     *
     * @param minConfirmations 0 means 1
     * @param time zero: returns the present state
     * @param gone completes when the answer is no longer needed; the returned stage then never completes
     */
    public CompletionStage<TxOutcome> forTransaction(
            Hash256 txId, long minConfirmations, Duration time, CompletionStage<?> gone) {
        long now = clock.getAsLong();
        TxWaits.TxWait wait = new TxWaits.TxWait(txId, minConfirmations, now, now + capped(time));
        transactions.tell(new TxWaits.Enter(wait));
        gone.thenRunAsync(() -> transactions.tell(new TxWaits.Leave(wait)), executor);
        return wait.reply;
    }

    /**
     * Waits until a transaction that was not already pending pays an address, own or foreign. Change that the address pays to itself does not
     * count.
     *
     * @param minAmount minimum amount that one transaction pays
     * @param gone completes when the answer is no longer needed; the returned stage then never completes
     */
    public CompletionStage<PaymentOutcome> forPayment(
            Address address, Amount minAmount, Duration time, CompletionStage<?> gone) {
        long now = clock.getAsLong();
        PaymentWait wait = new PaymentWait(address, minAmount, now, now + capped(time));
        payments.tell(new PaymentWaits.Enter(wait));
        gone.thenRunAsync(() -> payments.tell(new PaymentWaits.Leave(wait)), executor);
        return wait.reply;
    }

    /**
     * Reads the credit feed after a cursor; waits while there is nothing new.
     *
     * @param change whether change outputs are included
     * @param limit maximum number of events per answer
     * @param time zero: returns the present state
     * @param gone completes when the answer is no longer needed; the returned stage then never completes
     */
    public CompletionStage<CreditFeed.Batch> forCredits(
            CreditCursor cursor, boolean change, int limit, Duration time, CompletionStage<?> gone) {
        return ask(new FeedQuestion.NextCredits(cursor, change, limit), time, creditMetrics, gone);
    }

    /**
     * Finds the first payment after a cursor of the feed; waits while there is none. Fails with {@code CreditPruning.PrunedException} when the log
     * after the cursor is no longer kept.
     *
     * @param cursor for an own address, at depth 0
     * @param minAmount minimum amount that one transaction pays
     * @param time zero: returns the present state
     * @param gone completes when the answer is no longer needed; the returned stage then never completes
     */
    public CompletionStage<PaymentSince> forPaymentSince(
            CreditCursor cursor, Amount minAmount, Duration time, CompletionStage<?> gone) {
        long began = clock.getAsLong();
        return ask(new FeedQuestion.NextPayment(cursor, minAmount), time, paymentMetrics, gone)
                .thenApplyAsync(next -> PaymentSince.of(next, clock.getAsLong() - began), executor);
    }

    private <A> CompletionStage<A> ask(
            FeedQuestion<A> question, Duration time, WaitMetrics metrics, CompletionStage<?> gone) {
        if (time.isZero()) {
            return question.ask(feed);
        }
        long now = clock.getAsLong();
        CreditWaits.FeedWait<A> wait = new CreditWaits.FeedWait<>(question, metrics, now, now + capped(time));
        credits.tell(new CreditWaits.Enter(wait));
        gone.thenRunAsync(() -> credits.tell(new CreditWaits.Leave(wait)), executor);
        return wait.reply;
    }

    /** Notifies that the feed has new events that do not come from a block. Does not block. */
    public void creditsChanged() {
        credits.tell(new CreditWaits.Changed());
    }

    /** Handles news from the push streams. Does not block. */
    public void pushed(PushNews news) {
        payments.tell(new PaymentWaits.Pushed(news));
    }

    /** Ends all open and later waits at once with their time-out answer. */
    public CompletionStage<Void> end() {
        CompletableFuture<Void> first = new CompletableFuture<>();
        CompletableFuture<Void> second = new CompletableFuture<>();
        transactions.tell(new TxWaits.EndAll(first));
        CompletableFuture<Void> third = new CompletableFuture<>();
        payments.tell(new PaymentWaits.EndAll(second));
        credits.tell(new CreditWaits.EndAll(third));
        return CompletableFuture.allOf(first, second, third);
    }

    private static long capped(Duration time) {
        return time.compareTo(LONGEST) < 0 ? time.toMillis() : LONGEST.toMillis();
    }

    /**
     * Outcome of a wait for a payment after a cursor.
     *
     * @param cursor after what was read: start of the next wait
     */
    public record PaymentSince(PaymentOutcome outcome, CreditCursor cursor) {
        static PaymentSince of(CreditFeed.NextPayment next, long waitedMillis) {
            long waited = Math.max(0, waitedMillis) / 1_000;
            PaymentOutcome outcome = next.payment()
                    .<PaymentOutcome>map(payment -> new PaymentOutcome.Received(
                            Optional.of(payment.txId()),
                            payment.amount(),
                            payment.height()
                                    .map(height -> Math.max(1, next.tipHeight() - height + 1))
                                    .orElse(0L),
                            Math.max(0, next.tipHeight()),
                            waited))
                    .orElseGet(() -> new PaymentOutcome.TimedOut(waited));
            return new PaymentSince(outcome, next.cursor());
        }
    }
}
