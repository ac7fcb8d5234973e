package org.chainwalletd.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.chainwalletd.api.Call;
import org.chainwalletd.api.Spending.Output;
import org.chainwalletd.api.Spending.Payment;
import org.chainwalletd.api.Spending.Transfer;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.junit.jupiter.api.Test;

/** The rules of {@code retries.md}. */
class SettlementTest {
    /** Number of cells in a row of the table of the answers of `transfer`, including the empty one before the first bar. */
    private static final int CELLS = 4;

    private static final Payment PAYMENT = Payment.of(
            Address.parse("aa".repeat(32)), List.of(Output.of(Address.parse("bb".repeat(32)), Amount.of(10))));
    private static final Transfer PAYOUT = new Transfer(PAYMENT, "payout-1");
    private static final Transfer.Result RECEIPT =
            new Transfer.Result(Hash256.parse("cc".repeat(32)), 1, Amount.of(1), 1, List.of(), List.of(), 1);

    private final Deque<Supplier<WalletdException>> failures = new ArrayDeque<>();
    private final List<Call<?>> calls = new ArrayList<>();
    private final List<Duration> pauses = new ArrayList<>();
    private long now;
    private final WalletdCalls daemon = new WalletdCalls() {
        @Override
        @SuppressWarnings("unchecked") // only transfers are called
        public <R> R call(Call<R> call) {
            calls.add(call);
            if (!failures.isEmpty()) {
                throw failures.remove().get();
            }
            return (R) RECEIPT;
        }

        @Override
        public <R> CompletableFuture<R> callAsync(Call<R> call) {
            throw new UnsupportedOperationException();
        }
    };
    private final Settlement settlement = new Settlement(daemon, Duration.ofMinutes(5), this::rest, () -> now);

    @Test
    void the_same_call_is_made_until_its_outcome_is_known() {
        failures.add(() -> new WalletdException.Transport("no answer", null));
        failures.add(() -> error(-32020, null));
        failures.add(() -> error(-32603, null));
        failures.add(() -> error(-32039, null));

        assertThat(settlement.settle(PAYOUT)).isEqualTo(RECEIPT);

        assertThat(calls).hasSize(5).containsOnly(PAYOUT);
        assertThat(pauses)
                .containsExactly(
                        Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4), Duration.ofSeconds(8));
    }

    @Test
    void too_many_requests_says_how_long_to_wait() {
        failures.add(() -> error(-32042, JsonNodeFactory.instance.objectNode().put("retry_after_secs", 7)));

        settlement.settle(PAYOUT);

        assertThat(pauses).containsExactly(Duration.ofSeconds(7));
    }

    @Test
    void coins_that_are_only_reserved_are_waited_for_and_missing_ones_are_not() {
        failures.add(() -> error(-32031, JsonNodeFactory.instance.objectNode().put("in_flight_reserved", true)));
        failures.add(() -> error(-32031, JsonNodeFactory.instance.objectNode().put("in_flight_reserved", false)));

        assertThatThrownBy(() -> settlement.settle(PAYOUT)).isInstanceOf(WalletdException.InsufficientBalance.class);

        assertThat(calls).hasSize(2);
    }

    @Test
    void what_does_not_pass_by_itself_is_thrown_at_once() {
        for (int code : List.of(-32700, -32602, -32001, -32010, -32012, -32021, -32030, -32032, -32035, -32038, -1)) {
            failures.add(() -> error(code, null));
            assertThatThrownBy(() -> settlement.settle(PAYOUT)).isInstanceOf(WalletdException.RpcError.class);
        }
        failures.add(() -> new WalletdException.FingerprintMismatch("another certificate", null));
        assertThatThrownBy(() -> settlement.settle(PAYOUT)).isInstanceOf(WalletdException.FingerprintMismatch.class);

        assertThat(calls).hasSize(12);
        assertThat(pauses).isEmpty();
    }

    @Test
    void when_the_patience_is_used_up_the_last_failure_is_thrown() {
        for (int i = 0; i < 100; i++) {
            failures.add(() -> error(-32020, null));
        }

        assertThatThrownBy(() -> settlement.settle(PAYOUT)).isInstanceOf(WalletdException.Upstream.class);

        assertThat(Duration.ofNanos(now)).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));
        assertThat(pauses).allMatch(pause -> pause.compareTo(Duration.ofMinutes(1)) <= 0);
    }

    @Test
    void a_spend_without_a_token_is_never_even_tried() {
        Transfer bare = new Transfer(PAYMENT, Optional.empty(), Optional.empty());

        assertThatThrownBy(() -> settlement.settle(bare)).isInstanceOf(IllegalArgumentException.class);

        assertThat(calls).isEmpty();
    }

    /** Checks each row of the page's table of the answers of `transfer`: the codes that it names, and whether it says to repeat the same call. */
    @Test
    void it_makes_the_same_call_again_exactly_where_the_page_on_retries_says_so() throws IOException {
        List<Integer> checked = new ArrayList<>();
        for (String row : Files.readAllLines(Path.of("src/site/markdown/retries.md"))) {
            if (!row.startsWith("| -32")) {
                continue;
            }
            String[] cells = row.split(" *\\| *");
            if (cells.length != CELLS) {
                continue;
            }
            boolean again = cells[3].matches(".*(same call, same token|retry after|pause for).*");
            JsonNode data = JsonNodeFactory.instance
                    .objectNode()
                    .put("in_flight_reserved", cells[1].contains("in_flight_reserved: true"))
                    .put("retry_after_secs", 1);
            for (Matcher codes = Pattern.compile("-32\\d{3}").matcher(cells[1]); codes.find(); ) {
                int code = Integer.parseInt(codes.group());
                calls.clear();
                failures.add(() -> error(code, data));
                if (again) {
                    assertThat(settlement.settle(PAYOUT)).as(row).isEqualTo(RECEIPT);
                    assertThat(calls).as(row).hasSize(2).containsOnly(PAYOUT);
                } else {
                    assertThatThrownBy(() -> settlement.settle(PAYOUT)).as(row).isInstanceOf(WalletdException.class);
                    assertThat(calls).as(row).hasSize(1);
                }
                checked.add(code);
            }
        }
        assertThat(checked)
                .contains(-32700, -32600, -32602, -32001, -32010, -32012, -32020, -32021, -32030, -32031, -32032)
                .contains(-32033, -32034, -32035, -32038, -32039, -32042, -32603);
    }

    private void rest(Duration pause) {
        pauses.add(pause);
        now += pause.toNanos();
    }

    private static WalletdException error(int code, JsonNode data) {
        return WalletdException.RpcError.of(code, "refused", data);
    }
}
