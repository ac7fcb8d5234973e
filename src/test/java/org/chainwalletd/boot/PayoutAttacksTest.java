package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;
import static org.chainwalletd.testkit.DaemonRig.payout;
import static org.chainwalletd.testkit.DaemonRig.payouts;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Calls of the payout methods with one fault each, over HTTP: each gets its exact error, and changes nothing (payments.md, section 1). */
@Tag("long")
@Timeout(300)
class PayoutAttacksTest {
    private static final Party PAYER = new Party(61);
    private static final Party SHOP = new Party(62);
    private static final String TAKEN = "taken-by-another-payment";
    private static final BigInteger TOO_MUCH = BigInteger.ONE.shiftLeft(64);

    @TempDir
    static Path datadir;

    @AutoClose
    private static DaemonRig daemon;

    @BeforeAll
    static void start() {
        daemon = DaemonRig.withChain(datadir, "--payout-delay", "0");
        daemon.imported(61);
        daemon.fund(PAYER, 3_000_000, 3_000_000);
        daemon.mine(7);
        daemon.awaitFollowed();
        daemon.call("payout_pause");
        daemon.call("payout_submit", submission(List.of(order(TAKEN, 4_000))));
    }

    private static Map<String, Object> order(Object id, Object amount) {
        return payout(id, SHOP, amount);
    }

    private static Map<String, Object> with(String member, Object value) {
        Map<String, Object> order = order("with-a-wrong-member", 1_000);
        order.put(member, value);
        return order;
    }

    private static Map<String, Object> submission(List<?> orders) {
        return payouts(PAYER, orders);
    }

    private static Map<String, Object> from(Object source, List<?> orders) {
        return params("payouts", orders, "from", source);
    }

    private static List<Map<String, Object>> orders(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> order("one-of-many-" + i, 1_000 + i))
                .toList();
    }

    /** A thousand payouts of which the last but one is invalid. */
    private static Map<String, Object> thousandWith(Map<String, Object> bad) {
        List<Map<String, Object>> orders = new ArrayList<>(orders(1_000));
        orders.set(998, bad);
        return submission(orders);
    }

    private record Attack(String name, String method, Map<String, Object> params, int code, String words, String data) {
        @Override
        public String toString() {
            return method + ": " + name;
        }
    }

    private static Attack submit(String name, Map<String, Object> params, int code, String words, String data) {
        return new Attack(name, "payout_submit", params, code, words, data);
    }

    private static Attack submit(String name, Map<String, Object> order, String words) {
        return submit(name, submission(List.of(order("a-good-neighbour", 1_000), order)), -32602, words, "null");
    }

    private static Attack source(String name, Object source, int code, String words) {
        return submit(name, from(source, orders(1)), code, words, "null");
    }

    private static Attack read(String method, String name, Object value, String words) {
        return new Attack(name + " " + value, method, params(name, value), -32602, words, "null");
    }

    static Stream<Attack> attacks() {
        List<String> unowned = List.of(SHOP.address.toString());
        String addresses = PAYER.address.toString();
        return Stream.of(
                submit("0 items", submission(List.of()), -32602, "`payouts` must have 1 to 1000 items", "null"),
                submit("1,001 items", submission(orders(1_001)), -32602, "`payouts` must have 1 to 1000 items", "null"),
                submit(
                        "dust among 1,000",
                        thousandWith(order("dust-among-many", 199)),
                        -32033,
                        "dust",
                        "{\"amount\":199,\"dust_threshold\":200}"),
                submit(
                        "a taken id among 1,000",
                        thousandWith(order(TAKEN, 4_001)),
                        -32035,
                        "stands for another payout",
                        "{\"payout_id\":\"" + TAKEN + "\",\"index\":998}"),
                submit(
                        "a memo that is too long among 1,000",
                        thousandWith(with("memo", "m".repeat(257))),
                        -32602,
                        "256 bytes",
                        "null"),
                submit(
                        "the same id twice",
                        submission(List.of(order("twice-in-a-call", 1_000), order("twice-in-a-call", 1_000))),
                        -32035,
                        "stands for another payout",
                        "{\"payout_id\":\"twice-in-a-call\",\"index\":1}"),
                submit(
                        "the same id for two payments",
                        submission(List.of(order("twice-in-a-call", 1_000), order("twice-in-a-call", 1_001))),
                        -32035,
                        "stands for another payout",
                        "{\"payout_id\":\"twice-in-a-call\",\"index\":1}"),
                submit("an id of 7 characters", order("1234567", 1_000), "`payout_id` must have 8 to 128"),
                submit("an id of 129 characters", order("i".repeat(129), 1_000), "`payout_id` must have 8 to 128"),
                submit("an empty id", order("", 1_000), "`payout_id` must have 8 to 128"),
                submit("an id beyond ASCII", order("zahlung-für-anna", 1_000), "printable ASCII"),
                submit("an id of pictures", order("\uD83D\uDCB6".repeat(8), 1_000), "printable ASCII"),
                submit(
                        "an id with half a picture",
                        submission(List.of(order("payment-\uD83D", 1_000))),
                        -32700,
                        "half a surrogate pair",
                        "null"),
                submit("an id with a line break", order("payment-1\n", 1_000), "printable ASCII"),
                submit("an id with a NUL", order("payment-1\0", 1_000), "printable ASCII"),
                submit("an id with a DEL", order("payment-1\u007f", 1_000), "printable ASCII"),
                submit("a number as the id", order(123_456_789, 1_000), "payout_id"),
                submit("no id", params("to", SHOP.address, "amount", 1_000), "payout_id"),
                submit(
                        "nothing",
                        submission(List.of(order("amount-of-nothing", 0))),
                        -32033,
                        "dust",
                        "{\"amount\":0,\"dust_threshold\":200}"),
                submit("less than nothing", order("negative-amount", -1), "amount"),
                submit("part of a base unit", order("broken-amount", 1_000.5), "amount"),
                submit("2^64", order("overflowing-amount", TOO_MUCH), "amount"),
                submit(
                        "2^64 - 1, which leaves no fee",
                        order("amount-without-a-fee", TOO_MUCH.subtract(BigInteger.ONE)),
                        "amount"),
                submit("words as the amount", order("amount-in-words", "all of it"), "amount"),
                submit("no amount", params("payout_id", "without-an-amount", "to", SHOP.address), "amount"),
                submit("an account address", with("to", "0x" + "ab".repeat(20)), "to"),
                submit("an address with a prefix", with("to", "chain:" + SHOP.address), "to"),
                submit("31 bytes of an address", with("to", "ab".repeat(31)), "to"),
                submit("33 bytes of an address", with("to", "ab".repeat(33)), "to"),
                submit("an address that is not hex", with("to", "zz".repeat(32)), "to"),
                submit("a datum of 65 bytes", with("datum", "ab".repeat(65)), "at most 64 bytes"),
                submit("half a byte of datum", with("datum", "abc"), "datum"),
                submit("a datum that is not hex", with("datum", "xyz0"), "datum"),
                submit("a memo of 257 bytes", with("memo", "m".repeat(257)), "at most 256 bytes of UTF-8, got 257"),
                submit("a memo of 129 characters and 258 bytes", with("memo", "ü".repeat(129)), "got 258"),
                submit("a memo of 65 pictures", with("memo", "\uD83D\uDCB6".repeat(65)), "got 260"),
                submit("no payouts", params("from", params("label", "any")), -32602, "payouts", "null"),
                submit("no source", params("payouts", orders(1)), -32602, "`from` is required", "null"),
                source("no address and no label", Map.of(), -32602, "either `addresses` or `label`"),
                source(
                        "addresses and a label",
                        params("addresses", List.of(addresses), "label", "x"),
                        -32602,
                        "either `addresses` or `label`"),
                source("no addresses at all", params("addresses", List.of()), -32602, "1 to 1000 addresses"),
                source(
                        "1,001 addresses",
                        params(
                                "addresses",
                                IntStream.range(0, 1_001)
                                        .mapToObj(i -> addresses)
                                        .toList()),
                        -32602,
                        "1 to 1000 addresses"),
                source(
                        "a foreign address",
                        params("addresses", unowned),
                        -32010,
                        SHOP.address + " is not in this keystore"),
                source(
                        "a foreign address among own ones",
                        params("addresses", List.of(addresses, SHOP.address.toString())),
                        -32010,
                        SHOP.address + " is not in this keystore"),
                source("a label that nobody has", params("label", "nobody"), -32010, "label"),
                source("an empty label", params("label", ""), -32010, "label"),
                source("an address as the source", addresses, -32602, "from"),
                source("a list as the source", List.of(addresses), -32602, "from"),
                source("one address that is no list", params("addresses", addresses), -32602, "addresses"),
                source("a malformed address", params("addresses", List.of("abc")), -32602, "addresses"),
                read("payout_list", "cursor", "nonsense", "`cursor`"),
                read("payout_list", "cursor", "", "`cursor`"),
                read("payout_list", "cursor", "-1", "`cursor`"),
                read("payout_list", "cursor", "+1", "`cursor`"),
                read("payout_list", "cursor", "01", "`cursor`"),
                read("payout_list", "cursor", "9223372036854775808", "`cursor`"),
                read("payout_list", "cursor", "1-2-3", "`cursor`"),
                read("payout_list", "limit", 0, "`limit` must be 1 to 1000"),
                read("payout_list", "limit", 1_001, "`limit` must be 1 to 1000"),
                read("payout_list", "limit", -1, "limit"),
                read("payout_list", "limit", TOO_MUCH.subtract(BigInteger.ONE), "limit"),
                read("payout_list", "state", "QUEUED", "`state` must be one of queued"),
                read("payout_list", "waiting_for", "rain", "`waiting_for` must be one of coins"),
                new Attack(
                        "what is held waits for nothing",
                        "payout_list",
                        params("state", "held", "waiting_for", "coins"),
                        -32602,
                        "of payouts in the state queued",
                        "null"),
                read("payout_changes", "cursor", "nonsense", "`cursor`"),
                read("payout_changes", "cursor", "", "`cursor`"),
                read("payout_changes", "cursor", "1", "`cursor`"),
                read("payout_changes", "cursor", "1-2", "`cursor`"),
                read("payout_changes", "cursor", "1-2-3-4", "`cursor`"),
                read("payout_changes", "cursor", "x-2-3", "`cursor`"),
                read("payout_changes", "cursor", "1--2-3", "`cursor`"),
                read("payout_changes", "cursor", "1-2-3-", "`cursor`"),
                read("payout_changes", "cursor", "1-9223372036854775808-3", "`cursor`"),
                read("payout_changes", "cursor", "11111111111111111-2-3", "`cursor`"),
                read("payout_changes", "limit", 0, "`limit` must be 1 to 1000"),
                read("payout_changes", "limit", 1_001, "`limit` must be 1 to 1000"),
                read("payout_changes", "wait_secs", -1, "wait_secs"),
                read("payout_get", "payout_id", 5, "payout_id"),
                read("payout_cancel", "payout_ids", List.of(), "`payout_ids` must have 1 to 1000 items"),
                read("payout_release", "payout_ids", List.of(), "`payout_ids` must have 1 to 1000 items"),
                read(
                        "payout_cancel",
                        "payout_ids",
                        List.of(TAKEN, "not-there"),
                        "there is no payout not-there; nothing was changed"),
                read(
                        "payout_release",
                        "payout_ids",
                        List.of(TAKEN, "not-there"),
                        "there is no payout not-there; nothing was changed"),
                read("payout_recall", "tx_id", "ab".repeat(32), "is no batch of payouts"),
                read("payout_recall", "tx_id", "ab", "tx_id"),
                new Attack(
                        "fee_rate 0",
                        "payout_recall",
                        params("tx_id", "ab".repeat(32), "fee_rate", 0),
                        -32602,
                        "`fee_rate` must be at least 1",
                        "null"));
    }

    /** The position in the feed of changes advances with every write to payouts. */
    private static String position() {
        JsonNode page = daemon.call("payout_changes", "limit", 1_000);
        while (page.get("more").asBoolean()) {
            page = daemon.call("payout_changes", "cursor", page.get("cursor").asText());
        }
        return page.get("cursor").asText();
    }

    @ParameterizedTest
    @MethodSource("attacks")
    void a_wrong_call_is_refused_with_its_exact_error_and_changes_nothing(Attack attack) {
        String before = position();

        WalletdException.RpcError refused = daemon.refused(attack.code(), attack.method(), attack.params());
        assertThat(refused.getMessage()).contains(attack.words());
        assertThat(String.valueOf(refused.data())).isEqualTo(attack.data());
        assertThat(position()).isEqualTo(before);
    }

    @Test
    void payouts_of_more_than_there_is_hold_up_nobody_even_when_their_sum_is_no_amount() {
        BigInteger half = BigInteger.ONE.shiftLeft(63);
        daemon.call(
                "payout_submit",
                submission(List.of(
                        order("half-of-all-amounts", half),
                        order("the-other-half", half),
                        order("all-but-a-fee", TOO_MUCH.subtract(BigInteger.valueOf(1_000_000))),
                        order("a-small-neighbour", 1_000))));
        daemon.call("payout_resume");

        Await.until(
                "the small one is in the mempool",
                () -> !daemon.call("get_address_mempool", "address", PAYER.address)
                        .get("mempool")
                        .isEmpty());
        daemon.mine(1);
        Await.until(
                "the small one is confirmed", () -> state("a-small-neighbour").equals("confirmed"));
        daemon.call("payout_pause");
        List<String> great = List.of("half-of-all-amounts", "the-other-half", "all-but-a-fee");
        great.forEach(id -> assertThat(state(id)).isEqualTo("queued"));
        daemon.call("payout_cancel", "payout_ids", great);
    }

    private static String state(String id) {
        return daemon.call("payout_get", "payout_id", id).at("/payout/state").asText();
    }

    @Test
    void what_is_just_within_the_limits_is_taken() {
        List<Map<String, Object>> orders = List.of(
                order("8-chars!", 200),
                order("~ !\"#$%&'()*+,-./:;<=>?@[]^_`{|}".repeat(4).substring(0, 128), 1_000),
                with("memo", "ü".repeat(128)),
                Map.of(
                        "payout_id",
                        "longest-datum",
                        "to",
                        SHOP.address.toString(),
                        "amount",
                        1_000,
                        "datum",
                        "ab".repeat(64)));

        JsonNode taken = daemon.call("payout_submit", submission(orders)).get("payouts");

        assertThat(taken).hasSize(4);
        assertThat(taken.at("/2/memo").asText().getBytes(StandardCharsets.UTF_8))
                .hasSize(256);
        List<String> ids = new ArrayList<>();
        taken.forEach(payout -> ids.add(payout.get("payout_id").asText()));
        daemon.call("payout_cancel", "payout_ids", ids);
    }
}
