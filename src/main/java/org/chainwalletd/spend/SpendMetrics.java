package org.chainwalletd.spend;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Locale;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.spend.plan.PaymentPlan;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.SweepStore;

/** Metrics of spending for operators. Thread-safe. */
public final class SpendMetrics {
    /** Outcome of a spend. One spend may count several times, once per step. */
    enum Outcome {
        ACCEPTED,
        CONFIRMED,
        REFUSED,
        CONFLICTED,
        ABANDONED,
        CONTESTED,
        UNKNOWN,
        REORGANISED;

        static Outcome of(IntentState recorded) {
            return valueOf(recorded.name());
        }
    }

    /** Kinds of spends, see {@link org.chainwalletd.store.Intent#kind}. */
    static final List<String> KINDS = List.of(
            PaymentPlan.TRANSFER,
            "htlc_lock",
            "htlc_claim",
            "htlc_reclaim",
            SweepStore.KIND,
            StandIns.PAYOUT_BATCH,
            StandIns.PAYOUT_RECALL,
            StandIns.SWAP_LOCK,
            StandIns.SWAP_INSTEAD_OF_LOCK);

    private final MeterRegistry registry;
    private final Counter rebroadcasts;
    private final Counter reorganised;

    public SpendMetrics(MeterRegistry registry) {
        this.registry = registry;
        // All counters start from zero: an alert on the increase misses the first event of a counter that is created
        // by it.
        KINDS.forEach(kind -> List.of(Outcome.values()).forEach(outcome -> outcomes(kind, outcome)));
        this.rebroadcasts = Counter.builder("walletd.spend.rebroadcasts")
                .description("Transactions sent again because the nodes had forgotten them")
                .register(registry);
        this.reorganised = Counter.builder("walletd.spend.reorganised")
                .description("Confirmed spends that a reorganisation took off the chain")
                .register(registry);
    }

    /**
     * @param kind name of the method that requested the spend
     */
    void ended(String kind, Outcome outcome) {
        outcomes(kind, outcome).increment();
    }

    private Counter outcomes(String kind, Outcome outcome) {
        return Counter.builder("walletd.spend.outcomes")
                .description("Spends by what became of them; each step counts")
                .tag("kind", kind)
                .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                .register(registry);
    }

    /**
     * @param node URL of the node whose listing was contradicted by bytes
     */
    void contradicted(String node) {
        contradictions(node).increment();
    }

    /**
     * Counts the contradictions of a node, from zero: an alert on the increase misses the first event of a counter that is created by it.
     *
     * @param node URL of the node
     */
    Counter contradictions(String node) {
        return Counter.builder("walletd.spend.contradicted")
                .description("Selections that lost a coin because its bytes contradicted the node that listed it")
                .tag("node", node)
                .register(registry);
    }

    void sentAgain() {
        rebroadcasts.increment();
    }

    void reorganised() {
        reorganised.increment();
    }

    void allowanceUsed(Supplier<Amount> used) {
        gauge(
                "walletd.spend.allowance.used",
                "Base units spent of the allowance in the current period; 0 without caps",
                () -> used.get().toBigInteger().doubleValue());
    }

    /**
     * @param left amount that may still leave within the period; not called without a cap per period
     */
    void allowanceLeft(Supplier<Amount> left) {
        gauge(
                "walletd.spend.allowance.left",
                "Base units that may still leave in the current period",
                () -> left.get().toBigInteger().doubleValue());
    }

    void inFlight(IntSupplier transfers, IntSupplier utxos, IntSupplier unburied) {
        gauge(
                "walletd.spend.in.flight",
                "Spends broadcast and not yet seen confirmed, conflicted or abandoned",
                transfers::getAsInt);
        gauge("walletd.spend.reserved", "Outpoints that are held or reserved", utxos::getAsInt);
        gauge(
                "walletd.spend.unburied",
                "Confirmed spends that a reorganisation may still take off the chain",
                unburied::getAsInt);
    }

    /** @param seconds age of the oldest spend in flight; 0 when there is none */
    void oldest(LongSupplier seconds) {
        gauge(
                "walletd.spend.oldest.unconfirmed.seconds",
                "Age of the oldest spend that is broadcast and not yet settled; 0 without any",
                seconds::getAsLong);
    }

    /** Number of writes that wait for the store's next commit. */
    void storeQueue(IntSupplier queued) {
        gauge("walletd.store.queue", "Writes that wait for the store's next commit", queued::getAsInt);
    }

    private void gauge(String name, String description, Supplier<Number> value) {
        Gauge.builder(name, value).description(description).register(registry);
    }
}
