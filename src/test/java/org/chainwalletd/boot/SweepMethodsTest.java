package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The method {@code sweep}, called over HTTP on a whole daemon with a development chain (payments.md, section 4). */
@Tag("long")
@Timeout(300)
class SweepMethodsTest {
    @TempDir
    static Path datadir;

    @AutoClose
    private static DaemonRig daemon;

    @BeforeAll
    static void start() {
        daemon = DaemonRig.withChain(datadir);
    }

    private static Map<String, Object> sweep(String token, Party to, Party... from) {
        List<String> addresses = java.util.Arrays.stream(from)
                .map(party -> party.address.toString())
                .toList();
        return params("from", params("addresses", addresses), "to", to.address, "client_token", token);
    }

    private static Map<String, Object> with(Map<String, Object> params, String name, Object value) {
        Map<String, Object> changed = new HashMap<>(params);
        changed.put(name, value);
        return changed;
    }

    private static int refusal(Map<String, ?> params) {
        return daemon.refusal("sweep", params);
    }

    private static Party funded(int number, long... values) {
        Party party = daemon.imported(number);
        daemon.fund(party, values);
        daemon.awaitFollowed();
        awaitCovered(party);
        return party;
    }

    /** Until the books have read the history of an address, a sweep of it is refused as busy. */
    private static void awaitCovered(Party... parties) {
        Map<String, Object> tooCheap = with(sweep("sweep-too-cheap", new Party(799), parties), "max_fee", 10);
        Await.until("the books cover the addresses", () -> refusal(tooCheap) == -32032);
    }

    @Test
    void a_thousand_coins_of_two_addresses_arrive_in_ten_transactions_and_are_told_as_own_payments() {
        Party one = daemon.imported(701);
        Party two = daemon.imported(702);
        Party shop = new Party(703);
        for (Party each : List.of(one, two)) {
            daemon.fund(each, LongStream.generate(() -> 5_000).limit(500).toArray());
        }
        daemon.awaitFollowed();
        awaitCovered(one, two);

        JsonNode[] answer = {daemon.call("sweep", sweep("sweep-thousand", shop, one, two))};

        assertThat(answer[0].get("spends")).hasSize(10);
        Await.until("every part is confirmed", () -> {
            daemon.mine(1);
            answer[0] = daemon.call("sweep", sweep("sweep-thousand", shop, one, two));
            return allAre("confirmed", answer[0]);
        });
        Await.until("the books have followed the newest block", () -> {
            answer[0] = daemon.call("sweep", sweep("sweep-thousand", shop, one, two));
            return answer[0].has("left_over");
        });
        long moved = 0;
        for (JsonNode part : answer[0].get("spends")) {
            assertThat(part.get("coins").asLong()).isEqualTo(100);
            moved += part.get("amount").asLong() + part.get("fee").asLong();
        }
        assertThat(moved).isEqualTo(5_000_000);
        assertThat(answer[0].get("left_over")).isEmpty();
        assertThat(answer[0].has("stopped")).isFalse();
        JsonNode told = daemon.call("get_sweep", "client_token", "sweep-thousand");
        assertThat(told.get("sweep").get("spends")).isEqualTo(answer[0].get("spends"));
        assertThat(daemon.call("list_spends", "kind", "sweep").get("spends")).hasSizeGreaterThanOrEqualTo(10);
    }

    @Test
    void a_part_is_reported_for_each_address_whose_coins_it_spends() {
        Party one = daemon.imported(781);
        Party two = daemon.imported(782);
        Party shop = new Party(783);
        daemon.fund(one, 5_000);
        daemon.fund(two, 6_000, 7_000);
        daemon.awaitFollowed();
        awaitCovered(one, two);
        JsonNode answer = daemon.call("sweep", sweep("sweep-of-two", shop, one, two));
        assertThat(answer.get("spends")).hasSize(1);

        for (Party each : List.of(one, two, shop)) {
            JsonNode found = daemon.call("list_spends", "kind", "sweep", "address", each.address);
            assertThat(found.get("spends")).hasSize(1);
            assertThat(found.at("/spends/0/tx_id")).isEqualTo(answer.at("/spends/0/tx_id"));
        }
        assertThat(daemon.call("list_spends", "kind", "sweep", "address", new Party(784).address)
                        .get("spends"))
                .isEmpty();
        daemon.mine(1);
    }

    @Test
    void coins_of_little_value_hide_no_others_and_all_of_them_are_reported() {
        Party one = daemon.imported(705);
        daemon.fund(one, LongStream.generate(() -> 200).limit(1_000).toArray());
        daemon.fund(one, LongStream.generate(() -> 5_000).limit(50).toArray());
        daemon.awaitFollowed();
        awaitCovered(one);

        JsonNode answer =
                daemon.call("sweep", with(sweep("sweep-among-dust", new Party(706), one), "min_value", 1_000));

        assertThat(answer.get("spends")).hasSize(1);
        assertThat(answer.at("/spends/0/coins").asLong()).isEqualTo(50);
        assertThat(answer.get("left_over")).hasSize(1);
        assertThat(answer.at("/left_over/0/coins").asLong()).isEqualTo(1_000);
        daemon.mine(1);
    }

    @Test
    void a_default_that_is_written_out_is_the_same_sweep_and_its_parts_name_the_token() {
        Party one = funded(707, 5_000);
        Map<String, Object> sweep = sweep("sweep-with-defaults", new Party(708), one);
        JsonNode first = daemon.call("sweep", sweep);

        assertThat(daemon.call("sweep", with(sweep, "min_value", 61)).at("/spends/0/tx_id"))
                .isEqualTo(first.at("/spends/0/tx_id"));
        assertThat(refusal(with(sweep, "min_value", 62))).isEqualTo(-32035);
        JsonNode part = daemon.call(
                        "get_spend", "tx_id", first.at("/spends/0/tx_id").asText())
                .get("spend");
        assertThat(part.get("token_name").asText()).isEqualTo("spend");
        daemon.mine(1);
    }

    private static boolean allAre(String state, JsonNode answer) {
        for (JsonNode part : answer.get("spends")) {
            if (!part.get("state").asText().equals(state)) {
                return false;
            }
        }
        return true;
    }

    @Test
    void what_cannot_be_swept_is_refused_and_binds_no_token() {
        Party payer = funded(711, 50_000);
        Party shop = new Party(712);
        Map<String, Object> good = sweep("sweep-refused", shop, payer);

        assertThat(refusal(sweep("sweep-refused", shop, new Party(713)))).isEqualTo(-32010);
        assertThat(refusal(with(good, "from", params("label", "nobody has this label"))))
                .isEqualTo(-32010);
        assertThat(refusal(with(good, "from", Map.of()))).isEqualTo(-32602);
        for (Object tooSmall : List.of(60, 0, -1, "61", 61.5)) {
            assertThat(refusal(with(good, "min_value", tooSmall)))
                    .as(tooSmall.toString())
                    .isEqualTo(-32602);
        }
        assertThat(refusal(with(good, "client_token", "short"))).isEqualTo(-32602);
        assertThat(refusal(params("from", good.get("from"), "to", shop.address)))
                .isEqualTo(-32602);
        assertThat(daemon.call("get_sweep", "client_token", "sweep-refused")
                        .get("sweep")
                        .isNull())
                .isTrue();
        assertThat(refusal(sweep("sweep-refused", payer, payer))).isEqualTo(-32602);
        assertThat(refusal(with(good, "max_fee", 10))).isEqualTo(-32032);
        assertThat(refusal(with(good, "min_value", 60_000))).isEqualTo(-32031);

        good = with(good, "min_value", 61);
        assertThat(daemon.call("sweep", good).get("spends")).hasSize(1);
        assertThat(refusal(with(good, "min_value", 100)))
                .as("the token stands for other parameters")
                .isEqualTo(-32035);
        assertThat(refusal(sweep("sweep-while-held", shop, payer)))
                .as("the only coin is in flight")
                .isEqualTo(-32039);
    }

    @Test
    void a_key_is_kept_while_a_sweep_needs_it_and_the_label_of_a_sweep_means_the_addresses_that_it_meant_first() {
        Party one = funded(731, 40_000);
        Party two = funded(732, 50_000);
        Party shop = new Party(733);
        daemon.call("set_label", "address", one.address, "label", "summer");
        Map<String, Object> call =
                params("from", params("label", "summer"), "to", shop.address, "client_token", "sweep-of-summer");

        JsonNode first = daemon.call("sweep", call);
        assertThat(daemon.refused("delete_address", "address", one.address).getMessage())
                .isNotEmpty();
        daemon.call("set_label", "address", one.address, "label", "winter");
        daemon.call("set_label", "address", two.address, "label", "summer");
        JsonNode again = daemon.call("sweep", call);

        assertThat(first.get("spends")).hasSize(1);
        assertThat(again.get("spends").get(0).get("tx_id"))
                .isEqualTo(first.get("spends").get(0).get("tx_id"));
        assertThat(again.get("left_over")).isEmpty();
        daemon.refused(-32602, "unwatch_address", "address", one.address);
    }

    @Test
    void sources_that_are_named_twice_or_are_the_destination_count_once_and_not() {
        Party one = funded(741, 40_000);
        Party two = funded(742, 50_000);

        JsonNode answer = daemon.call("sweep", sweep("sweep-of-doubles", two, one, one, two));

        assertThat(answer.get("spends")).hasSize(1);
        assertThat(answer.get("spends").get(0).get("coins").asLong()).isEqualTo(1);
    }

    @Test
    void the_parts_of_a_stopped_sweep_that_are_in_flight_continue() {
        Party payer = funded(761, 40_000, 50_000);
        Party shop = new Party(762);
        Map<String, Object> call = sweep("sweep-to-be-stopped", shop, payer);
        Map<String, Object> name = params("client_token", "sweep-to-be-stopped");
        daemon.refused(-32602, "sweep_stop", name);
        daemon.call("sweep", call);

        JsonNode stopped = daemon.call("sweep_stop", name);

        assertThat(stopped.get("sweep").get("spends").get(0).get("state").asText())
                .as("a part that is in flight goes on")
                .isEqualTo("in_flight");
        assertThat(stopped.get("sweep").has("stopped")).isFalse();
        assertThat(daemon.call("sweep_stop", name)).isEqualTo(stopped);
    }

    @Test
    void an_address_that_is_only_watched_cannot_be_swept_and_the_answer_says_so() {
        Party elsewhere = new Party(721);
        daemon.call("watch_address", "address", elsewhere.address);

        assertThat(daemon.refused("sweep", sweep("sweep-watched", new Party(722), elsewhere))
                        .getMessage())
                .contains("only watched");
    }
}
