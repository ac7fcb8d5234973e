package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;
import static org.chainwalletd.testkit.DaemonRig.payment;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.EventReader;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code GET /events} of a whole daemon, over sockets (following.md, section 3). The last test stops the daemon. */
@Tag("long")
@Timeout(120)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class EventsTest {
    private static final int STREAMS = 64;
    private static final long AMOUNT = 1_000_000_000L;

    @TempDir
    static Path folder;

    @AutoClose
    private static DaemonRig daemon;

    @AutoClose
    private static Devnet devnet;

    private static String token;
    private static String address;
    private static String publicKey;

    @BeforeAll
    static void start() throws Exception {
        devnet = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withPrompt(true));
        daemon = new DaemonRig(folder, devnet.uri());
        token = Files.readString(folder.resolve("token-read")).strip();
        daemon.awaitFollowed(devnet);
        JsonNode shop = daemon.call("generate_standard_address", "label", "shop");
        address = shop.path("address").asText();
        publicKey = shop.path("pubkey").asText();
    }

    /** Waits until the blocks of the previous test have been reported, so that each test receives only its own events. */
    @BeforeEach
    void follow() {
        daemon.awaitFollowed(devnet);
    }

    @Test
    @Order(1)
    void without_a_token_the_answer_is_401() throws Exception {
        try (EventReader reader = EventReader.open(daemon.uri(), null, null)) {
            assertThat(reader.status()).isEqualTo(401);
        }
        try (EventReader reader = EventReader.open(daemon.uri(), "wrong", null)) {
            assertThat(reader.status()).isEqualTo(401);
        }
    }

    @Test
    @Order(1)
    void the_tip_comes_first_and_then_each_newer_one_without_an_id() throws Exception {
        try (EventReader reader = open(null)) {
            EventReader.Event first = reader.next().orElseThrow();
            assertThat(first.kind()).isEqualTo("tip");
            assertThat(first.id()).isEmpty();
            long height = json(first).path("height").asLong();

            mine();

            EventReader.Event second = reader.next("tip");
            assertThat(second.id()).isEmpty();
            assertThat(json(second).path("height").asLong()).isEqualTo(height + 1);
            assertThat(json(second).path("block_id").asText())
                    .isEqualTo(daemon.call("get_block_id_at_height", "height", height + 1)
                            .path("block_id")
                            .asText());
        }
    }

    @Test
    @Order(1)
    void a_credit_is_the_one_of_list_credits_and_its_id_is_a_cursor() throws Exception {
        try (EventReader reader = open(null)) {
            reader.next("tip");
            String cursor = listFrom(Map.of("from", "now")).path("cursor").asText();
            pay();

            EventReader.Event credit = reader.next("credit");

            JsonNode listed = listFrom(Map.of("cursor", cursor));
            // A payment first seen in a mempool has a separate event for its block, which may have arrived by now.
            assertThat(json(credit)).hasToString(listed.path("credits").get(0).toString());
            assertThat(listFrom(Map.of("cursor", credit.id().orElseThrow())).path("credits"))
                    .noneMatch(later -> later.equals(listed.path("credits").get(0)));
        }
    }

    @Test
    @Order(1)
    void a_reader_who_comes_back_receives_tip_and_resync_and_then_what_it_missed_once() throws Exception {
        String last;
        // A payment of another test, whose block was removed, may wait in the mempool.
        mine();
        daemon.awaitFollowed(devnet);
        try (EventReader reader = open(null)) {
            reader.next("tip");
            pay();
            EventReader.Event credit = reader.next("credit");
            while (json(credit).path("block_height").asLong() != devnet.tip().height()) {
                credit = reader.next("credit");
            }
            last = credit.id().orElseThrow();
        }
        List<Long> missed = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            pay();
        }
        // A payment first seen in a mempool is reported twice.
        Await.until(
                "the books have their blocks",
                () -> listFrom(Map.of("cursor", last)).path("credits").findValuesAsText("event").stream()
                                .filter("confirmed"::equals)
                                .count()
                        == 3);
        listFrom(Map.of("cursor", last))
                .path("credits")
                .forEach(credit -> missed.add(credit.path("seq").asLong()));

        try (EventReader reader = open(last)) {
            assertThat(reader.next().orElseThrow().kind()).isEqualTo("tip");
            assertThat(reader.next().orElseThrow().kind()).isEqualTo("resync");
            List<Long> told = new ArrayList<>();
            String half = null;
            for (int i = 0; i < missed.size(); i++) {
                EventReader.Event credit = reader.next("credit");
                told.add(json(credit).path("seq").asLong());
                half = i == missed.size() - 2 ? credit.id().orElseThrow() : half;
            }
            assertThat(told).isEqualTo(missed);

            try (EventReader again = open(half)) {
                assertThat(json(again.next("credit")).path("seq").asLong()).isEqualTo(missed.get(missed.size() - 1));
            }
        }
    }

    @Test
    @Order(1)
    void a_first_visit_receives_tip_and_resync_too_because_it_may_be_a_return_without_an_id() throws Exception {
        try (EventReader reader = open(null)) {
            assertThat(reader.next().orElseThrow().kind()).isEqualTo("tip");
            assertThat(reader.next().orElseThrow().kind()).isEqualTo("resync");
        }
    }

    @Test
    @Order(1)
    void each_change_of_a_spend_is_reported_with_its_token() throws Exception {
        pay();
        Await.until("the coins are there", () -> daemon.balance(address) > 0);
        try (EventReader reader = open(null)) {
            reader.next("resync");

            String txId = daemon.call("transfer", payment(address, address, 5_000, "client_token", "events-test-1"))
                    .path("tx_id")
                    .asText();

            assertSpend(nextOf(reader, txId), txId, "prepared");
            assertSpend(nextOf(reader, txId), txId, "accepted");
            mine();
            assertSpend(nextOf(reader, txId), txId, "confirmed");
        }
    }

    /** Others may still change in the meantime. */
    private static EventReader.Event nextOf(EventReader reader, String txId) throws IOException {
        EventReader.Event event = reader.next("spend");
        while (!json(event).path("tx_id").asText().equals(txId)) {
            event = reader.next("spend");
        }
        return event;
    }

    private static void assertSpend(EventReader.Event event, String txId, String state) throws IOException {
        assertThat(event.id()).isEmpty();
        JsonNode data = json(event);
        assertThat(data.path("tx_id").asText()).isEqualTo(txId);
        assertThat(data.path("client_token").asText()).isEqualTo("events-test-1");
        assertThat(data.path("method").asText()).isEqualTo("transfer");
        assertThat(data.path("from").asText()).isEqualTo(address);
        assertThat(data.path("state").asText()).isEqualTo(state);
    }

    @Test
    @Order(1)
    void each_change_of_an_htlc_is_told_as_htlc_status_tells_it() throws Exception {
        pay();
        Await.until("the coins are there", () -> daemon.balance(address) > 0);
        JsonNode receiver = daemon.call("generate_standard_address", "label", "receiver");
        String preimage = "6f70656e";
        try (EventReader reader = open(null)) {
            reader.next("resync");
            Hash256 hashLock = Hash256.sha256(Bytes.parse(preimage).toArray());
            Map<String, Object> terms = params(
                    "from",
                    address,
                    "receiver",
                    receiver.path("pubkey").asText(),
                    "hash_lock",
                    hashLock,
                    "timeout",
                    1_000,
                    "amount",
                    100_000);
            String lock = daemon.call("htlc_lock", terms).path("tx_id").asText();

            JsonNode sent = next(reader, lock);
            assertThat(sent.path("state").asText()).isEqualTo("locked");
            assertThat(sent.path("lock_block_height").isNull()).isTrue();
            mine();
            JsonNode mined = next(reader, lock);
            assertThat(mined).hasToString(status(lock).toString());
            assertThat(mined.path("lock_block_height").isNumber()).isTrue();
            assertThat(mined.at("/params/timeout_height").asLong()).isEqualTo(1_000);

            Map<String, Object> claim = params(
                    "from", receiver.path("address").asText(),
                    "lock_tx_id", lock,
                    "preimage", preimage,
                    "sender", publicKey,
                    "timeout", 1_000);
            daemon.call("htlc_claim", claim);
            JsonNode claimed = next(reader, lock);
            assertThat(claimed.path("state").asText()).isEqualTo("locked");
            assertThat(claimed.path("claim").path("preimage").asText()).isEqualTo(preimage);
            assertThat(claimed.path("claim").path("block_height").isNull()).isTrue();
            mine();
            JsonNode settled = next(reader, lock);
            assertThat(settled.path("state").asText()).isEqualTo("claimed");
            assertThat(settled).hasToString(status(lock).toString());

            devnet.reorganise(1, false, List.of());
            JsonNode back = next(reader, lock);
            assertThat(back.path("state").asText()).isEqualTo("locked");
            assertThat(back.path("claim").path("block_height").isNull()).isTrue();
        }
    }

    /** Returns the next event for one lock. */
    private static JsonNode next(EventReader reader, String lock) throws IOException {
        JsonNode record = json(reader.next("htlc"));
        while (!record.path("lock_tx_id").asText().equals(lock)) {
            record = json(reader.next("htlc"));
        }
        return record;
    }

    private static JsonNode status(String lockTxId) {
        return daemon.call("htlc_status", "lock_tx_id", lockTxId);
    }

    @Test
    @Order(1)
    void an_id_of_other_books_is_refused() throws Exception {
        String deep = listFrom(Map.of("from", "now", "min_confirmations", 6L))
                .path("cursor")
                .asText();
        for (String id : List.of("7", "c1.x.0.-.1.-1.0", deep)) {
            try (EventReader reader = EventReader.open(daemon.uri(), token, id)) {
                assertThat(reader.status()).isEqualTo(400);
            }
        }
    }

    @Test
    @Order(2)
    void streams_are_bounded_and_a_reader_who_leaves_frees_its_place() throws Exception {
        List<EventReader> readers = new ArrayList<>();
        try {
            Await.until("the places of other tests are free", () -> fill(readers, STREAMS));
            try (EventReader refused = EventReader.open(daemon.uri(), token, null)) {
                assertThat(refused.status()).isEqualTo(429);
            }
            readers.remove(0).hangUp();
            Await.until("its place is free", () -> fill(readers, STREAMS));
        } finally {
            for (EventReader reader : readers) {
                reader.close();
            }
        }
    }

    @Test
    @Order(3)
    void a_stop_ends_the_streams_properly_and_at_once() throws Exception {
        List<EventReader> one = new ArrayList<>();
        Await.until("a place is free", () -> fill(one, 1));
        try (EventReader reader = one.get(0)) {
            reader.next("resync");

            CompletableFuture<Void> stopped =
                    CompletableFuture.runAsync(daemon.daemon()::close, ForkJoinPool.commonPool());

            assertThat(reader.next()).isEmpty();
            Await.outcome(stopped);
        }
    }

    /** Opens up to {@code most} streams; returns whether all were accepted. */
    private static boolean fill(List<EventReader> readers, int most) {
        while (readers.size() < most) {
            try {
                EventReader reader = EventReader.open(daemon.uri(), token, null);
                if (reader.status() != 200) {
                    reader.close();
                    return false;
                }
                readers.add(reader);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
        return true;
    }

    private static EventReader open(String lastEventId) throws IOException {
        EventReader reader = EventReader.open(daemon.uri(), token, lastEventId);
        assertThat(reader.status()).isEqualTo(200);
        return reader;
    }

    private static JsonNode listFrom(Map<String, ?> params) {
        return daemon.call("list_credits", params);
    }

    /** Creates one credit in one block. */
    private static void pay() {
        devnet.faucet(Address.parse(address), Amount.of(AMOUNT));
        mine();
    }

    private static void mine() {
        devnet.mine(1);
    }

    private static JsonNode json(EventReader.Event event) {
        return Dial.json(event.data());
    }
}
