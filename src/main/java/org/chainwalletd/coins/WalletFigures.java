package org.chainwalletd.coins;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.chainwalletd.api.Reads.GetWalletHistory.Step;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.store.books.MoneyFlow.Moved;

/**
 * Figures of the wallet: its balance and its movements in the last {@link #KEPT}, as {@link WalletWatch} has read them from the books, for
 * meters and for {@code get_wallet_history}. Answers from memory. Thread-safe.
 */
public final class WalletFigures {
    /** Length of the history. */
    public static final Duration KEPT = Duration.ofHours(24);

    /** Length of one step of the history. */
    public static final Duration STEP = Duration.ofMinutes(5);

    /** Maximum number of labels with a separate meter; the sum of all others is under {@link #OTHER}. */
    static final int MAX_LABELS = 50;

    static final String UNLABELLED = "(none)";
    static final String OTHER = "(other)";

    /**
     * State of the wallet after one block.
     *
     * @param total balance, in base units, of the addresses whose history was read completely
     * @param unread number of addresses that are not included yet
     * @param labels balance of the addresses of each label, in the order of their first keys
     * @param from Unix seconds from which on {@code moved} is complete
     * @param moved blocks with movements, ascending
     */
    record Figures(
            long height, BigInteger total, long unread, Map<String, BigInteger> labels, long from, List<Moved> moved) {
        Figures {
            labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels));
            moved = List.copyOf(moved);
        }
    }

    /** Sums moved by blocks. */
    record Moving(long deposits, BigInteger deposited, long payments, BigInteger paid) {
        static final Moving NONE = new Moving(0, BigInteger.ZERO, 0, BigInteger.ZERO);

        Moving plus(Moved moved) {
            return new Moving(
                    deposits + moved.deposits(),
                    deposited.add(moved.deposited().toBigInteger()),
                    payments + moved.payments(),
                    paid.add(moved.paid().toBigInteger()));
        }

        /** Returns the maximum of both, so that a movement that was undone and is repeated in another block counts once. */
        Moving orMore(Moving before) {
            return new Moving(
                    Math.max(deposits, before.deposits),
                    deposited.max(before.deposited),
                    Math.max(payments, before.payments),
                    paid.max(before.paid));
        }
    }

    /**
     * @param height height of the newest block included
     * @param completeFrom Unix seconds; the history does not reach back further
     */
    public record History(OptionalLong height, OptionalLong completeFrom, List<Step> steps) {
        static final History NONE = new History(OptionalLong.empty(), OptionalLong.empty(), List.of());

        public History {
            steps = List.copyOf(steps);
        }
    }

    private volatile Optional<Figures> figures = Optional.empty();
    /** Movements since the daemon started to follow them; never decreases. */
    private volatile Moving moving = Moving.NONE;

    private volatile Optional<MultiGauge> byLabel = Optional.empty();

    void publish(Figures now, Moving moved) {
        figures = Optional.of(now);
        moving = moved.orMore(moving);
        byLabel.ifPresent(gauge -> gauge.register(rows(now.labels()), true));
    }

    /** Returns the steps up to now that end in the last {@code span}, ascending; none before the books were read. */
    public History history(Duration span, Instant now) {
        return figures.map(known -> history(known, span.compareTo(KEPT) < 0 ? span : KEPT, now))
                .orElse(History.NONE);
    }

    private static History history(Figures known, Duration span, Instant now) {
        long last = beginning(now.getEpochSecond());
        Map<Long, Moving> sums = sums(known.moved(), last);
        List<Step> steps = new ArrayList<>();
        BigInteger balance = known.total();
        // Computed backwards, because only the present balance is known.
        for (long time = last;
                time > last - span.toSeconds() && time + STEP.toSeconds() > known.from();
                time -= STEP.toSeconds()) {
            Moving sum = sums.getOrDefault(time, Moving.NONE);
            steps.add(new Step(
                    time,
                    sum.deposits(),
                    amount(sum.deposited()),
                    sum.payments(),
                    amount(sum.paid()),
                    amount(balance)));
            balance = balance.add(sum.paid()).subtract(sum.deposited());
        }
        Collections.reverse(steps);
        return new History(OptionalLong.of(known.height()), OptionalLong.of(known.from()), steps);
    }

    private static long beginning(long time) {
        return Math.floorDiv(time, STEP.toSeconds()) * STEP.toSeconds();
    }

    /** Sums the movements by the start times of their steps. Block times need not ascend, and may be ahead: the order of blocks counts. */
    private static Map<Long, Moving> sums(List<Moved> blocks, long last) {
        Map<Long, Moving> sums = new HashMap<>();
        long time = Long.MIN_VALUE;
        for (Moved moved : blocks) {
            time = Math.max(time, Math.min(last, beginning(moved.time())));
            sums.put(time, sums.getOrDefault(time, Moving.NONE).plus(moved));
        }
        return sums;
    }

    /** Converts a sum that may be negative, because coins of a key that was deleted since have moved too. */
    private static Amount amount(BigInteger units) {
        return Amount.of(units.max(BigInteger.ZERO).min(Amount.MAX.toBigInteger()));
    }

    /** Registers the meters. They have no value, or zero, until the books were read. */
    public void measure(MeterRegistry meters) {
        Supplier<Number> total = () -> figures.<Number>map(Figures::total).orElse(Double.NaN);
        Gauge.builder("walletd.balance.base.units", total)
                .description("What the wallet's addresses have in blocks, as get_wallet_balance tells it")
                .register(meters);
        Supplier<Number> unread = () -> figures.<Number>map(Figures::unread).orElse(Double.NaN);
        Gauge.builder("walletd.balance.unread.addresses", unread)
                .description("Addresses that are not in the balance because their history is not read to the end")
                .register(meters);
        MultiGauge gauge = MultiGauge.builder("walletd.balance.label.base.units")
                .description("What the addresses of a label have in blocks")
                .register(meters);
        byLabel = Optional.of(gauge);
        figures.ifPresent(now -> gauge.register(rows(now.labels()), true));
        count(meters, "walletd.deposits", "Outputs of blocks that have paid the wallet", Moving::deposits);
        count(meters, "walletd.deposits.base.units", "What blocks have paid to the wallet", Moving::deposited);
        count(
                meters,
                "walletd.payments",
                "Transactions of blocks that have spent coins of the wallet",
                Moving::payments);
        count(meters, "walletd.payments.base.units", "What blocks have taken from the wallet, with fees", Moving::paid);
    }

    private void count(MeterRegistry meters, String name, String text, Function<Moving, Number> figure) {
        FunctionCounter.builder(name, this, self -> figure.apply(self.moving).doubleValue())
                .description(text)
                .register(meters);
    }

    /**
     * Returns one meter per label, at most {@link #MAX_LABELS}, and one for the rest: each label is a time series in the monitoring
     * system.
     */
    static List<MultiGauge.Row<?>> rows(Map<String, BigInteger> labels) {
        List<MultiGauge.Row<?>> rows = new ArrayList<>();
        BigInteger others = BigInteger.ZERO;
        for (Map.Entry<String, BigInteger> label : labels.entrySet()) {
            if (rows.size() < MAX_LABELS && !label.getKey().equals(OTHER)) {
                rows.add(MultiGauge.Row.of(Tags.of("label", label.getKey()), label.getValue()));
            } else {
                others = others.add(label.getValue());
            }
        }
        if (rows.size() < labels.size()) {
            rows.add(MultiGauge.Row.of(Tags.of("label", OTHER), others));
        }
        return rows;
    }
}
