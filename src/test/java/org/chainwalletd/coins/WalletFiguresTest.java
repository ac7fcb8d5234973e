package org.chainwalletd.coins;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.store.books.MoneyFlow.Moved;
import org.junit.jupiter.api.Test;

class WalletFiguresTest {
    private static final Instant NOW = Instant.ofEpochSecond(300 * 1_000 + 10);

    private final WalletFigures figures = new WalletFigures();

    private static Moved moved(long height, long time, long deposited, long paid) {
        return new Moved(height, time, deposited > 0 ? 1 : 0, Amount.of(deposited), paid > 0 ? 1 : 0, Amount.of(paid));
    }

    private static WalletFigures.Moving moving(long deposits, long deposited, long payments, long paid) {
        return new WalletFigures.Moving(deposits, BigInteger.valueOf(deposited), payments, BigInteger.valueOf(paid));
    }

    private void publish(long total, long from, Moved... moved) {
        figures.publish(
                new WalletFigures.Figures(9, BigInteger.valueOf(total), 0, Map.of(), from, List.of(moved)),
                WalletFigures.Moving.NONE);
    }

    private List<String> steps(Duration span) {
        return figures.history(span, NOW).steps().stream()
                .map(step -> step.time() / 300 + ": +" + step.deposited() + " -" + step.paid() + " = " + step.balance())
                .toList();
    }

    @Test
    void before_the_books_are_read_there_are_no_steps() {
        WalletFigures.History history = figures.history(Duration.ofHours(1), NOW);

        assertThat(history.steps()).isEmpty();
        assertThat(history.height()).isEmpty();
        assertThat(history.completeFrom()).isEmpty();
    }

    @Test
    void the_balance_of_each_step_is_that_of_now_without_what_came_later() {
        publish(100, 300 * 997, moved(7, 300 * 998 + 5, 70, 0), moved(8, 300 * 1_000, 0, 20));

        assertThat(steps(Duration.ofHours(1)))
                .containsExactly("997: +0 -0 = 50", "998: +70 -0 = 120", "999: +0 -0 = 120", "1000: +0 -20 = 100");
    }

    @Test
    void the_asked_hours_bound_the_steps() {
        publish(100, 0, moved(7, 300 * 900, 70, 0));

        assertThat(figures.history(Duration.ofHours(1), NOW).steps()).hasSize(12);
        assertThat(figures.history(Duration.ofHours(24), NOW).steps()).hasSize(288);
        assertThat(figures.history(Duration.ofHours(24), NOW).steps().get(0).balance())
                .isEqualTo(Amount.of(30));
    }

    @Test
    void a_block_whose_time_is_before_the_one_below_or_ahead_of_now_counts_in_the_order_of_blocks() {
        publish(100, 300 * 998, moved(7, 300 * 999, 10, 0), moved(8, 300 * 998, 20, 0), moved(9, 300 * 1_005, 30, 0));

        assertThat(steps(Duration.ofHours(1)))
                .containsExactly("998: +0 -0 = 40", "999: +30 -0 = 70", "1000: +30 -0 = 100");
    }

    @Test
    void meters_tell_the_total_and_each_label_up_to_their_bound() {
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        figures.measure(meters);
        assertThat(meters.scrape()).contains("walletd_balance_base_units NaN", "walletd_deposits_total 0.0");

        Map<String, BigInteger> labels = new LinkedHashMap<>();
        for (int i = 0; i < WalletFigures.MAX_LABELS + 3; i++) {
            labels.put("shop \"" + i + "\"", BigInteger.TEN);
        }
        figures.publish(
                new WalletFigures.Figures(9, BigInteger.valueOf(530), 2, labels, 0, List.of()), moving(3, 30, 2, 20));

        String scraped = meters.scrape();
        assertThat(scraped)
                .contains("walletd_balance_base_units 530.0", "walletd_balance_unread_addresses 2.0")
                .contains("walletd_balance_label_base_units{label=\"shop \\\"0\\\"\"} 10.0")
                .contains("walletd_balance_label_base_units{label=\"(other)\"} 30.0")
                .contains("walletd_deposits_total 3.0", "walletd_deposits_base_units_total 30.0")
                .contains("walletd_payments_total 2.0", "walletd_payments_base_units_total 20.0");
        assertThat(scraped.lines()
                        .filter(line -> line.startsWith("walletd_balance_label_base_units{"))
                        .collect(Collectors.toList()))
                .hasSize(WalletFigures.MAX_LABELS + 1);

        figures.publish(
                new WalletFigures.Figures(9, BigInteger.ZERO, 0, Map.of("a", BigInteger.ONE), 0, List.of()),
                WalletFigures.Moving.NONE);
        assertThat(meters.scrape())
                .as("a label that is gone is not told any more")
                .doesNotContain("shop")
                .contains("walletd_balance_label_base_units{label=\"a\"} 1.0");
    }

    @Test
    void counters_never_go_down_when_blocks_are_undone() {
        PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        figures.measure(meters);
        WalletFigures.Figures none = new WalletFigures.Figures(9, BigInteger.ZERO, 0, Map.of(), 0, List.of());
        figures.publish(none, moving(3, 30, 2, 20));
        figures.publish(none, moving(2, 25, 2, 20));
        assertThat(meters.scrape()).contains("walletd_deposits_total 3.0", "walletd_deposits_base_units_total 30.0");

        figures.publish(none, moving(4, 35, 2, 20));
        assertThat(meters.scrape()).contains("walletd_deposits_total 4.0", "walletd_deposits_base_units_total 35.0");
    }
}
