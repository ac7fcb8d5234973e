package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;
import static org.chainwalletd.testkit.DaemonRig.payout;
import static org.chainwalletd.testkit.DaemonRig.payouts;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.EventReader;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Methods of the payout queue, called over HTTP on a whole daemon with a development chain (payments.md, section 1). */
@Tag("long")
@Timeout(300)
class PayoutMethodsTest {
    private static final long CAP = 10_000_000;
    private static final int MOST_UNFINISHED = 300;

    @TempDir
    static Path datadir;

    @AutoClose
    private static DaemonRig daemon;

    @BeforeAll
    static void start() {
        daemon = DaemonRig.withChain(
                datadir,
                "--spend-cap-per-tx",
                Long.toString(CAP),
                "--payout-queue-max",
                Integer.toString(MOST_UNFINISHED),
                "--payout-delay",
                "0");
    }

    private static JsonNode payoutOf(String id) {
        return daemon.call("payout_get", "payout_id", id).get("payout");
    }

    private static boolean isIn(String id, String state) {
        return payoutOf(id).get("state").asText().equals(state);
    }

    /** Own address with coins deep enough for batches. */
    private static Party payer(int number) {
        Party payer = daemon.imported(number);
        daemon.fund(payer, 3_000_000, 3_000_000);
        daemon.mine(7);
        daemon.awaitFollowed();
        return payer;
    }

    @Test
    void payouts_are_paid_in_one_transaction_and_their_shares_add_up_to_its_fee() {
        Party payer = payer(801);
        Party shop = new Party(802);
        daemon.call("payout_pause");
        List<Map<String, Object>> orders = IntStream.range(0, 20)
                .mapToObj(i -> payout("batch-of-twenty-" + i, shop, 1_000 + i))
                .toList();

        JsonNode first = daemon.call("payout_submit", payouts(payer, orders));
        assertThat(first.get("payouts")).hasSize(20);
        assertThat(daemon.call("payout_submit", payouts(payer, orders)).get("payouts"))
                .as("the same ids with the same payments are the same payouts")
                .hasSize(20);
        daemon.call("payout_resume");

        Await.until("they are in flight", () -> isIn("batch-of-twenty-19", "in_flight"));
        mineSpendOf(payer);
        Await.until("they are confirmed", () -> isIn("batch-of-twenty-19", "confirmed"));
        Set<String> transactions = new HashSet<>();
        Set<Long> outputs = new HashSet<>();
        long shares = 0;
        for (int i = 0; i < 20; i++) {
            JsonNode payout = payoutOf("batch-of-twenty-" + i);
            payout.get("attempts").forEach(attempt -> transactions.add(attempt.asText()));
            outputs.add(payout.get("output_index").asLong());
            shares += payout.get("fee_share").asLong();
        }
        assertThat(transactions).hasSize(1);
        assertThat(outputs).hasSize(20);
        JsonNode mined =
                daemon.call("get_transaction", "tx_id", transactions.iterator().next());
        assertThat(mined.get("fee").asLong()).isEqualTo(shares);
        JsonNode spend = daemon.call(
                        "get_spend", "tx_id", transactions.iterator().next())
                .get("spend");
        assertThat(spend.get("output_count").asInt()).as("the change is split").isGreaterThan(21);
        assertThat(spend.get("amount").asLong())
                .as("no coin of the change is paid")
                .isEqualTo(20 * 1_000 + 190);
        assertThat(spend.get("fee").asLong()).isEqualTo(shares);
    }

    @Test
    void changes_give_each_payout_once_at_its_last_change_and_continue_at_the_cursor() {
        Party payer = payer(811);
        Party shop = new Party(812);
        String before = drained();
        daemon.call(
                "payout_submit",
                payouts(payer, List.of(payout("feed-one", shop, 2_000), payout("feed-two", shop, 2_001))));
        Await.until("both are in flight", () -> isIn("feed-one", "in_flight") && isIn("feed-two", "in_flight"));

        JsonNode page = daemon.call("payout_changes", "cursor", before);
        List<String> ids = new ArrayList<>();
        page.get("payouts").forEach(payout -> ids.add(payout.get("payout_id").asText()));
        assertThat(ids).containsExactlyInAnyOrder("feed-one", "feed-two");
        String cursor = page.get("cursor").asText();
        mineSpendOf(payer);

        JsonNode next = daemon.call("payout_changes", "cursor", cursor, "wait_secs", 30);

        assertThat(next.get("payouts")).isNotEmpty();
        next.get("payouts")
                .forEach(payout -> assertThat(payout.get("state").asText()).isEqualTo("confirmed"));
        daemon.refused(-32602, "payout_changes", "cursor", "nonsense");
    }

    @Test
    void payouts_that_change_together_are_one_event_for_each_of_their_states() throws IOException {
        Party payer = payer(851);
        Party shop = new Party(852);
        List<Map<String, Object>> orders = IntStream.range(0, 200)
                .mapToObj(i -> payout("told-as-events-" + i, shop, 1_000 + i))
                .toList();
        try (EventReader reader = EventReader.open(daemon.uri(), daemon.token(), null)) {
            reader.next("resync");
            daemon.call("payout_submit", payouts(payer, orders));
            assertThat(told(reader, "queued").has("tx_id")).isFalse();
            String batch = told(reader, "in_flight").get("tx_id").asText();
            assertThat(payoutOf("told-as-events-199").at("/attempts/0").asText())
                    .isEqualTo(batch);
            mineSpendOf(payer);
            assertThat(told(reader, "confirmed").get("tx_id").asText()).isEqualTo(batch);
        }
    }

    /** Returns the next event of these payouts, which is the only one with this state. */
    private static JsonNode told(EventReader reader, String state) throws IOException {
        JsonNode event = Dial.json(reader.next("payout").data());
        while (!event.get("payout_id").asText().startsWith("told-as-events-")) {
            event = Dial.json(reader.next("payout").data());
        }
        assertThat(event.get("payout_id").asText()).isEqualTo("told-as-events-0");
        assertThat(event.get("count").asInt()).isEqualTo(200);
        assertThat(event.get("state").asText()).isEqualTo(state);
        return event;
    }

    /** A payout in flight may not have reached the node yet. */
    private static void mineSpendOf(Party payer) {
        Map<String, Object> address = params("address", payer.address);
        Await.until(
                "the node has it",
                () -> !daemon.call("get_address_mempool", address)
                        .get("mempool")
                        .isEmpty());
        daemon.mine(1);
    }

    /** Returns the cursor after all existing changes. */
    private static String drained() {
        JsonNode page = daemon.call("payout_changes");
        while (page.get("more").asBoolean()) {
            page = daemon.call("payout_changes", "cursor", page.get("cursor").asText());
        }
        return page.get("cursor").asText();
    }

    @Test
    void a_cancelled_payout_never_pays_and_a_held_or_flying_one_is_reported() {
        Party payer = payer(821);
        Party shop = new Party(822);
        Await.until(
                "no payout of another test waits",
                () -> daemon.call("payout_list", "state", "queued")
                        .get("payouts")
                        .isEmpty());
        daemon.call("payout_pause");
        daemon.call("payout_submit", payouts(payer, List.of(payout("cancelled-1", shop, 3_000))));
        Await.until(
                "it waits for the operator",
                () -> payoutOf("cancelled-1").path("waiting_for").asText().equals("paused"));
        Await.until("the gauges tell it", () -> daemon.tells("walletd_payouts_waiting\\{for=\"paused\".*\\} 1\\.0"));
        assertThat(daemon.metrics()).contains("walletd_payouts_oldest_seconds ");

        daemon.call("payout_cancel", "payout_ids", List.of("cancelled-1"));

        daemon.call("payout_resume");
        JsonNode again = daemon.call("payout_submit", payouts(payer, List.of(payout("cancelled-1", shop, 3_000))));
        assertThat(again.at("/payouts/0/state").asText()).isEqualTo("cancelled");
        daemon.call("payout_submit", payouts(payer, List.of(payout("after-the-cancelled", shop, 3_001))));
        Await.until("the next one flies", () -> isIn("after-the-cancelled", "in_flight"));
        assertThat(payoutOf("cancelled-1").get("attempts")).isEmpty();
        JsonNode late = daemon.call("payout_cancel", "payout_ids", List.of("after-the-cancelled"));
        assertThat(late.at("/payouts/0/state").asText()).isEqualTo("in_flight");
        daemon.refused(-32602, "payout_cancel", "payout_ids", List.of("never-submitted"));
        daemon.mine(1);
    }

    @Test
    void an_address_that_a_payout_waits_to_be_paid_from_is_kept() {
        String empty = daemon.newAddress();
        daemon.call(
                "payout_submit",
                params(
                        "payouts", List.of(payout("without-coins", new Party(827), 3_000)),
                        "from", params("addresses", List.of(empty))));
        Map<String, Object> deletion = params("address", empty, "passphrase", DaemonRig.PASSPHRASE);

        // Until the books cover the address, that is the objection.
        Await.until("the payout is the objection", () -> {
            WalletdException.RpcError refused = daemon.refused(-32602, "delete_address", deletion);
            return refused.getMessage().contains("the payout without-coins waits to be paid from it");
        });

        daemon.call("payout_cancel", "payout_ids", List.of("without-coins"));
        daemon.call("delete_address", deletion);
    }

    @Test
    void what_is_above_a_cap_or_the_length_of_the_queue_is_refused_whole() {
        Party payer = payer(841);
        Party shop = new Party(842);
        Map<String, Object> good = payout("bad-company-0", shop, 5_000);
        List<Map<String, Object>> many = IntStream.rangeClosed(0, MOST_UNFINISHED)
                .mapToObj(i -> payout("too-many-" + i, shop, 5_000 + i))
                .toList();

        daemon.refused(-32038, "payout_submit", payouts(payer, List.of(good, payout("bad-company-2", shop, CAP))));
        daemon.refused(-32042, "payout_submit", payouts(payer, many));

        assertThat(payoutOf("bad-company-0").isNull()).isTrue();
        assertThat(payoutOf("too-many-0").isNull()).isTrue();
    }
}
