package org.chainwalletd.htlc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DistortingNode;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Lock, claim and reclaim over HTTP: shapes, fees, every error, and a node that returns false data. */
class HtlcMethodsTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final byte[] PREIMAGE = "a secret of thirty-two bytes, ok".getBytes(StandardCharsets.US_ASCII);
    private static final Hash256 HASH_LOCK = HtlcWitness.hashLockOf(PREIMAGE);
    private static final long FAR = 1_000_000;
    private static final long CAP = 50_000_000;

    @TempDir
    static Path folder;

    @AutoClose
    private static DaemonRig rig;

    private static Party sender;
    private static Party receiver;
    /** A key of another wallet. */
    private static final Party STRANGER = new Party(0x77);

    @BeforeAll
    static void start() {
        rig = DaemonRig.withChain(folder, "--spend-cap-per-tx", Long.toString(CAP));
        sender = rig.imported(0x21);
        receiver = rig.imported(0x22);
    }

    @AfterEach
    void honest() {
        rig.node().tellTheTruth();
        rig.mine(1);
    }

    private static Map<String, Object> lock(long amount, Object... more) {
        return with(Locks.lock(sender, receiver.key, HASH_LOCK, FAR, amount), more);
    }

    private static Map<String, Object> claim(String lockTxId, Object... more) {
        return with(Locks.claim(receiver, sender.key, lockTxId, Bytes.of(PREIMAGE), FAR), more);
    }

    private static Map<String, Object> reclaim(String lockTxId, Object... more) {
        return with(Locks.reclaim(sender, receiver.key, lockTxId, HASH_LOCK, FAR), more);
    }

    private static Map<String, Object> with(Map<String, Object> params, Object... more) {
        params.putAll(params(more));
        return params;
    }

    /** Makes a confirmed lock of {@code amount} by the daemon. */
    private static String locked(long amount, Object... more) {
        rig.fund(sender, amount + 100_000);
        String txId = rig.call("htlc_lock", lock(amount, more)).get("tx_id").asText();
        rig.mine(1);
        return txId;
    }

    private static List<String> members(JsonNode result) {
        List<String> names = new ArrayList<>();
        Iterator<String> fields = result.fieldNames();
        fields.forEachRemaining(names::add);
        return names;
    }

    private static void assertRefused(WalletdException.RpcError error, int code, String data) throws Exception {
        assertThat(error.code()).as(error.getMessage()).isEqualTo(code);
        assertThat(error.data() == null ? null : JSON.readTree(error.data().toString()))
                .isEqualTo(data == null ? null : JSON.readTree(data));
    }

    @Test
    void a_lock_has_the_shape_and_the_fee_of_the_vectors_and_its_change_is_output_1() {
        rig.fund(sender, 40_000_000);

        JsonNode simulated = rig.call("simulate_htlc_lock", lock(20_000_000));
        JsonNode result = rig.call("htlc_lock", lock(20_000_000));

        assertThat(members(result))
                .containsExactly(
                        "tx_id",
                        "htlc_output_index",
                        "amount",
                        "hash_lock",
                        "timeout",
                        "receiver",
                        "size",
                        "fee",
                        "fee_rate",
                        "built_at_height",
                        "change");
        JsonNode vector = Vectors.row("htlc.json", "lock-basic");
        assertThat(result.get("fee").asLong()).isEqualTo(vector.get("min_fee").asLong());
        assertThat(result.get("size").asLong()).isEqualTo(vector.get("size").asLong());
        assertThat(result.get("fee_rate").asLong()).isEqualTo(1);
        assertThat(result.get("htlc_output_index").asInt()).isZero();
        assertThat(result.get("built_at_height").asLong())
                .isEqualTo(rig.devnet().tip().height());
        long change = result.get("change").asLong();
        JsonNode view =
                rig.call("get_transaction", params("tx_id", result.get("tx_id").asText()));
        Bytes script = HtlcScript.build(new HtlcParams(sender.key, receiver.key, HASH_LOCK, FAR));
        assertThat(view.at("/outputs/0/script_hex").asText()).isEqualTo(script.hex());
        assertThat(view.at("/outputs/0/value").asLong()).isEqualTo(20_000_000);
        assertThat(view.at("/outputs/1/address").asText()).isEqualTo(sender.address.hex());
        assertThat(view.at("/outputs/1/value").asLong()).isEqualTo(change);

        assertThat(members(simulated))
                .containsExactly(
                        "size",
                        "fee",
                        "fee_rate",
                        "htlc_output_index",
                        "amount",
                        "hash_lock",
                        "timeout",
                        "receiver",
                        "total_in",
                        "change",
                        "built_at_height");
        for (String same : List.of("size", "fee", "fee_rate", "amount", "hash_lock", "timeout", "receiver", "change")) {
            assertThat(simulated.get(same)).as(same).isEqualTo(result.get(same));
        }
        assertThat(simulated.get("total_in").asLong())
                .isEqualTo(20_000_000 + change + simulated.get("fee").asLong());
    }

    @Test
    void change_below_dust_goes_into_the_fee_and_is_not_named() {
        Party poor = rig.imported(0x31);
        rig.fund(poor, 10_173);

        JsonNode simulated = rig.call("simulate_htlc_lock", lock(10_000, "from", poor.address));
        JsonNode result = rig.call("htlc_lock", lock(10_000, "from", poor.address));

        assertThat(result.get("fee").asLong()).isEqualTo(173);
        assertThat(result.has("change")).isFalse();
        assertThat(simulated.get("change").asLong()).isZero();
    }

    @TestFactory
    Stream<DynamicTest> a_claim_costs_what_the_vectors_say_whatever_the_length_of_the_preimage() {
        return Stream.of(1, 63, 64, 1000)
                .map(length -> DynamicTest.dynamicTest(length + " bytes", () -> {
                    byte[] preimage = new byte[length];
                    preimage[0] = (byte) length.intValue();
                    String lockTxId = locked(5_000_000, "hash_lock", HtlcWitness.hashLockOf(preimage));

                    JsonNode result = rig.call("htlc_claim", claim(lockTxId, "preimage", Bytes.of(preimage)));

                    assertThat(members(result))
                            .containsExactly("tx_id", "kind", "value", "fee", "lock_tx_id", "output_index", "size");
                    JsonNode vector = Vectors.row("htlc.json", "claim-preimage-" + length);
                    assertThat(result.get("fee").asLong())
                            .isEqualTo(vector.get("min_fee").asLong());
                    assertThat(result.get("size").asLong())
                            .isEqualTo(vector.get("size").asLong());
                    assertThat(result.get("kind").asText()).isEqualTo("claim");
                    assertThat(result.get("value").asLong())
                            .isEqualTo(5_000_000 - result.get("fee").asLong());
                    assertThat(result.get("lock_tx_id").asText()).isEqualTo(lockTxId);
                    rig.mine(1);
                    assertThat(rig.coins(receiver))
                            .containsEntry(
                                    new Outpoint(
                                            Hash256.parse(result.get("tx_id").asText()), 0),
                                    result.get("value").asLong());
                }));
    }

    @Test
    void a_reclaim_waits_for_a_height_above_the_timeout() {
        long timeout = rig.devnet().tip().height() + 5;
        String lockTxId = locked(5_000_000, "timeout", timeout);
        // Refused before any check: not even the parameters are compared with the chain.
        assertThat(rig.refusedUnsent(-32037, "htlc_reclaim", reclaim("ab".repeat(32), "timeout", timeout)))
                .contains("above " + timeout);
        while (rig.devnet().tip().height() < timeout) {
            rig.mine(1);
        }
        rig.refusedUnsent(-32037, "htlc_reclaim", reclaim(lockTxId, "timeout", timeout));
        rig.mine(1);

        JsonNode result = rig.call("htlc_reclaim", reclaim(lockTxId, "timeout", timeout));

        JsonNode vector = Vectors.row("htlc.json", "reclaim-basic");
        assertThat(result.get("kind").asText()).isEqualTo("reclaim");
        assertThat(result.get("fee").asLong()).isEqualTo(vector.get("min_fee").asLong());
        assertThat(result.get("size").asLong()).isEqualTo(vector.get("size").asLong());
        rig.mine(1);
        assertThat(rig.coins(sender))
                .containsEntry(
                        new Outpoint(Hash256.parse(result.get("tx_id").asText()), 0),
                        5_000_000 - result.get("fee").asLong());
        assertThat(rig.refused("htlc_reclaim", reclaim(lockTxId, "timeout", timeout))
                        .code())
                .isEqualTo(-32021);
    }

    @Test
    void a_node_that_reports_a_height_below_the_followed_one_does_not_hold_back_a_reclaim() {
        long timeout = rig.devnet().tip().height() + 5;
        String lockTxId = locked(5_000_000, "timeout", timeout);
        rig.mine(6);
        rig.awaitFollowed();
        rig.node().lieAbout("get_block_height", tip -> tip.put("height", timeout));
        try {
            rig.call("htlc_reclaim", reclaim(lockTxId, "timeout", timeout));
        } finally {
            rig.node().tellTheTruth();
        }
    }

    @Test
    void timeouts_are_u64_and_one_that_has_passed_can_be_reclaimed_at_once() {
        rig.fund(sender, 1_000_000, 1_000_000);
        java.math.BigInteger max = java.math.BigInteger.ONE.shiftLeft(64).subtract(java.math.BigInteger.ONE);
        JsonNode never = rig.call("htlc_lock", lock(10_000, "timeout", max));
        assertThat(never.get("timeout").bigIntegerValue()).isEqualTo(max);
        String passed =
                rig.call("htlc_lock", lock(20_000, "timeout", 0)).get("tx_id").asText();
        rig.mine(1);

        rig.refusedUnsent(-32037, "htlc_reclaim", reclaim(never.get("tx_id").asText(), "timeout", max));
        rig.call("htlc_reclaim", reclaim(passed, "timeout", 0));
        rig.call("htlc_claim", claim(never.get("tx_id").asText(), "timeout", max));
    }

    @TestFactory
    Stream<DynamicTest> a_receiver_that_could_never_claim_is_refused() {
        return Vectors.tests(
                "weak-keys.json",
                row -> !Vectors.flag(row, "usable"),
                row -> assertThat(rig.refusedUnsent(
                                -32602, "htlc_lock", lock(10_000, "receiver", Vectors.text(row, "public_key"))))
                        .contains("`receiver`"));
    }

    @Test
    void parameters_of_a_wrong_shape_are_refused() {
        rig.refusedUnsent(-32602, "htlc_lock", lock(10_000, "receiver", "zz".repeat(32)));
        rig.refusedUnsent(-32602, "htlc_lock", lock(10_000, "receiver", "ab"));
        rig.refusedUnsent(-32602, "htlc_lock", lock(10_000, "hash_lock", "ab"));
        rig.refusedUnsent(-32602, "htlc_lock", lock(10_000, "fee", 100, "fee_rate", 1));
        rig.refusedUnsent(-32602, "htlc_lock", lock(10_000, "timeout", -1));
        rig.refusedUnsent(-32602, "htlc_lock", lock(10_000, "client_token", "short"));
        rig.refusedUnsent(-32602, "simulate_htlc_lock", lock(10_000, "client_token", "long enough"));
        assertThat(rig.refusedUnsent(-32602, "htlc_lock", lock(10_000, "receiver", receiver.address)))
                .contains("public keys");
        String anything = "ab".repeat(32);
        rig.refusedUnsent(-32602, "htlc_claim", claim(anything, "preimage", ""));
        rig.refusedUnsent(-32602, "htlc_claim", claim(anything, "preimage", "00".repeat(1025)));
        rig.refusedUnsent(-32602, "htlc_claim", claim(anything, "output_index", 1L << 32));
        rig.refusedUnsent(-32602, "htlc_claim", claim(anything, "client_token", "short"));
        assertThat(rig.refusedUnsent(-32602, "htlc_claim", claim(anything, "fee", 68)))
                .contains("minimum of 69");
        assertThat(rig.refusedUnsent(-32602, "htlc_reclaim", reclaim(anything, "fee", 63)))
                .contains("minimum of 64");
    }

    @Test
    void the_errors_of_a_lock_have_their_data() throws Exception {
        Party poor = rig.imported(0x32);
        assertRefused(rig.refused("htlc_lock", lock(10_000, "from", STRANGER.address)), -32010, null);
        assertRefused(
                rig.refused("htlc_lock", lock(199, "from", poor.address)),
                -32033,
                "{\"amount\":199,\"dust_threshold\":200}");
        assertRefused(
                rig.refused("htlc_lock", lock(CAP + 1, "from", poor.address)),
                -32038,
                "{\"scope\":\"per_tx\",\"limit\":50000000,\"spent\":0,\"requested\":50000001,\"remaining\":50000000,"
                        + "\"period_secs\":86400}");
        assertRefused(
                rig.refused("htlc_lock", lock(10_000, "from", poor.address)),
                -32031,
                "{\"in_flight_reserved\":false,\"needed\":10073,\"available\":0,\"utxo_count\":0,"
                        + "\"in_flight_value\":0,\"in_flight_count\":0}");
        rig.fund(poor, 1_000_000);
        assertRefused(
                rig.refused("htlc_lock", lock(10_000, "from", poor.address, "max_fee", 78)),
                -32032,
                "{\"fee\":79,\"max_fee\":78}");
        rig.call("htlc_lock", lock(10_000, "from", poor.address));
        assertRefused(
                rig.refused("htlc_lock", lock(10_000, "from", poor.address)),
                -32039,
                "{\"retryable\":true,\"retry_after\":\"next_block\",\"needed\":10073,\"available\":0,"
                        + "\"in_flight_value\":1000000,\"in_flight_count\":1}");
    }

    @Test
    void a_token_never_locks_claims_or_reclaims_twice_and_belongs_to_one_method() throws Exception {
        long timeout = rig.devnet().tip().height();
        rig.fund(sender, 3_000_000, 3_000_000);
        Map<String, Object> lock = lock(1_000_000, "timeout", timeout, "client_token", "token-lock");
        JsonNode locked = rig.call("htlc_lock", lock);
        assertThat(rig.call("htlc_lock", lock)).isEqualTo(locked);
        lock.put("fee_rate", 1);
        assertThat(rig.call("htlc_lock", lock)).as("a default counts as given").isEqualTo(locked);
        lock.put("amount", 1_000_001);
        assertRefused(rig.refused("htlc_lock", lock), -32035, "{\"client_token\":\"token-lock\"}");
        Map<String, Object> transfer = params(
                "from",
                sender.address,
                "outputs",
                List.of(params("to", receiver.address, "amount", 1_000_000)),
                "client_token",
                "token-lock");
        assertRefused(rig.refused("transfer", transfer), -32035, "{\"client_token\":\"token-lock\"}");
        rig.mine(1);

        String txId = locked.get("tx_id").asText();
        Map<String, Object> claim = claim(txId, "timeout", timeout, "client_token", "token-claim");
        JsonNode claimed = rig.call("htlc_claim", claim);
        claim.put("fee", 69);
        assertThat(rig.call("htlc_claim", claim))
                .as("a default counts as given")
                .isEqualTo(claimed);
        claim.put("fee", 70);
        assertRefused(rig.refused("htlc_claim", claim), -32035, "{\"client_token\":\"token-claim\"}");
        claim.put("fee", 69);
        claim.put("max_fee", 2_000_000);
        assertThat(rig.call("htlc_claim", claim))
                .as("a default counts as given")
                .isEqualTo(claimed);
        claim.put("max_fee", 68);
        assertRefused(rig.refused("htlc_claim", claim), -32035, "{\"client_token\":\"token-claim\"}");
        rig.mine(1);
        claim.remove("fee");
        claim.remove("max_fee");
        assertThat(rig.call("htlc_claim", claim)).isEqualTo(claimed);

        String other = rig.call("htlc_lock", lock(500_000, "timeout", timeout))
                .get("tx_id")
                .asText();
        rig.mine(1);
        Map<String, Object> reclaim = reclaim(other, "timeout", timeout, "client_token", "token-reclaim");
        JsonNode reclaimed = rig.call("htlc_reclaim", reclaim);
        assertThat(rig.call("htlc_reclaim", reclaim)).isEqualTo(reclaimed);
        reclaim.put("fee", 65);
        assertRefused(rig.refused("htlc_reclaim", reclaim), -32035, "{\"client_token\":\"token-reclaim\"}");
    }

    @Test
    void what_differs_from_the_chain_is_refused_before_anything_is_built() {
        String lockTxId = locked(5_000_000);
        assertThat(rig.refusedUnsent(-32036, "htlc_claim", claim(lockTxId, "preimage", "00")))
                .contains("hash lock");
        assertThat(rig.refusedUnsent(-32036, "htlc_claim", claim(lockTxId, "sender", STRANGER.key)))
                .contains("sender");
        assertThat(rig.refusedUnsent(-32036, "htlc_claim", claim(lockTxId, "timeout", FAR + 1)))
                .contains("timeout");
        assertThat(rig.refusedUnsent(-32036, "htlc_claim", claim(lockTxId, "from", sender.address)))
                .contains("receiver");
        assertThat(rig.refusedUnsent(-32036, "htlc_claim", claim(lockTxId, "output_index", 1)))
                .contains("no HTLC");
        rig.refusedUnsent(-32036, "htlc_claim", claim(lockTxId, "output_index", 2));
        rig.refusedUnsent(-32036, "htlc_reclaim", reclaim(lockTxId, "timeout", 1));
        rig.refusedUnsent(-32010, "htlc_claim", claim(lockTxId, "from", STRANGER.address));
        assertThat(rig.refusedUnsent(-32020, "htlc_claim", claim("ab".repeat(32))))
                .contains("Transaction not found");
        rig.call("htlc_claim", claim(lockTxId, "fee", 1000));
    }

    @Test
    void a_fee_that_leaves_dust_is_refused() {
        String lockTxId = locked(1000);
        assertThat(rig.refusedUnsent(-32030, "htlc_claim", claim(lockTxId, "fee", 801)))
                .contains("holds 1000", "dust");
        rig.refusedUnsent(-32030, "htlc_claim", claim(lockTxId, "fee", 1000));
        rig.refusedUnsent(-32030, "htlc_claim", claim(lockTxId, "fee", 2_000_000));
        assertThat(rig.call("htlc_claim", claim(lockTxId, "fee", 800))
                        .get("value")
                        .asLong())
                .isEqualTo(200);
    }

    @Test
    void a_fee_above_two_million_is_not_paid_without_a_max_fee_that_allows_it() throws Exception {
        long timeout = rig.devnet().tip().height();
        String lockTxId = locked(5_000_000, "timeout", timeout);
        String burning = "{\"fee\":4999800,\"max_fee\":2000000}";
        assertRefused(
                rig.refused("htlc_claim", claim(lockTxId, "timeout", timeout, "fee", 4_999_800)), -32032, burning);
        assertRefused(
                rig.refused("htlc_reclaim", reclaim(lockTxId, "timeout", timeout, "fee", 4_999_800)), -32032, burning);
        assertRefused(
                rig.refused("htlc_claim", claim(lockTxId, "timeout", timeout, "fee", 2_000_001, "max_fee", 2_000_000)),
                -32032,
                "{\"fee\":2000001,\"max_fee\":2000000}");
        assertRefused(
                rig.refused("htlc_reclaim", reclaim(lockTxId, "timeout", timeout, "max_fee", 63)),
                -32032,
                "{\"fee\":64,\"max_fee\":63}");

        JsonNode claimed =
                rig.call("htlc_claim", claim(lockTxId, "timeout", timeout, "fee", 2_000_001, "max_fee", 2_000_001));

        assertThat(claimed.get("fee").asLong()).isEqualTo(2_000_001);
    }

    @Test
    void what_a_claim_pays_above_the_minimum_fee_counts_against_the_caps() throws Exception {
        String lockTxId = locked(CAP - 1_000_000);
        String other = locked(CAP - 1_000_000);
        assertRefused(
                rig.refused("htlc_claim", claim(lockTxId, "fee", CAP + 70, "max_fee", CAP + 70)),
                -32038,
                "{\"scope\":\"per_tx\",\"limit\":50000000,\"spent\":0,\"requested\":50000001,\"remaining\":50000000,"
                        + "\"period_secs\":86400}");
        long before = spent();

        rig.call("htlc_claim", claim(lockTxId));
        assertThat(spent()).as("the minimum is no choice of the caller's").isEqualTo(before);
        rig.call("htlc_claim", claim(other, "fee", 1_000_069));
        assertThat(spent()).isEqualTo(before + 1_000_000);
    }

    private static long spent() {
        return rig.call("allowance_status", Map.of()).get("spent").asLong();
    }

    @Test
    void a_lock_that_is_in_no_block_yet_is_not_claimed_and_its_preimage_stays_secret() {
        rig.fund(sender, 2_000_000);
        String lockTxId = rig.call("htlc_lock", lock(1_000_000)).get("tx_id").asText();

        assertThat(rig.refusedUnsent(-32020, "htlc_claim", claim(lockTxId))).contains("in no block yet");

        rig.mine(1);
        rig.call("htlc_claim", claim(lockTxId));
    }

    @Test
    void the_word_of_one_of_two_nodes_publishes_no_preimage_and_holds_no_claim_up(@TempDir Path own) throws Exception {
        try (Devnet chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10));
                DistortingNode one = new DistortingNode(chain.uri());
                DistortingNode other = new DistortingNode(chain.uri());
                DaemonRig daemon = DaemonRig.over(chain, own, "--node-rpc", one.url() + "," + other.url())) {
            Party funder = new Party(0x43);
            daemon.imported(0x22);
            daemon.fund(funder, 1_000_000);
            Outpoint coin = daemon.coins(funder).keySet().iterator().next();
            HtlcParams params = new HtlcParams(funder.key, receiver.key, HASH_LOCK, FAR);
            Transaction locking = funder.pay(chain.genesisId(), coin, Locks.output(params, 900_000));
            Map<String, Object> claim = claim(chain.ledger().submit(locking).hex(), "sender", funder.key);
            String tip = chain.tip().id().hex();
            other.lieAbout(
                    "get_transaction",
                    told -> told.put("in_mempool", false).put("block_height", 1).put("block_hash", tip));

            assertThat(daemon.refused("htlc_claim", claim).code()).isEqualTo(-32020);
            assertThat(one.count("send_raw_transaction") + other.count("send_raw_transaction"))
                    .as("claims that were sent")
                    .isZero();

            chain.mine(1);
            daemon.awaitFollowed();
            other.lieAbout(
                    "get_transaction",
                    told -> told.put("in_mempool", true).without(List.of("block_height", "block_hash")));
            daemon.call("htlc_claim", claim);
        }
    }

    @Test
    void a_claim_larger_than_the_spend_cap_is_not_counted() {
        Hash256 genesis = rig.devnet().genesisId();
        Party funder = new Party(0x41);
        rig.fund(funder, CAP + 1_000_000);
        Outpoint coin = rig.coins(funder).keySet().iterator().next();
        HtlcParams params = new HtlcParams(funder.key, receiver.key, HASH_LOCK, FAR);
        Transaction foreign = funder.pay(genesis, coin, Locks.output(params, CAP + 900_000));
        Hash256 lockTxId = rig.devnet().ledger().submit(foreign);
        rig.mine(1);

        rig.call("htlc_claim", claim(lockTxId.hex(), "sender", funder.key));

        assertThat(rig.call("allowance_status", Map.of()).get("per_tx_limit").asLong())
                .isEqualTo(CAP);
    }

    @Test
    void an_inline_datum_does_not_hinder_and_a_mere_datum_hash_is_reported() {
        Hash256 genesis = rig.devnet().genesisId();
        Party funder = new Party(0x42);
        rig.fund(funder, 1_000_000);
        Outpoint coin = rig.coins(funder).keySet().iterator().next();
        HtlcParams params = new HtlcParams(funder.key, receiver.key, HASH_LOCK, FAR);
        Bytes datum = Bytes.parse("00ff");
        Hash256 datumHash = Hash256.sha256(datum.toArray());
        TxOutput plain = Locks.output(params, 100_000);
        Hash256 lockTxId = rig.devnet()
                .ledger()
                .submit(funder.pay(
                        genesis,
                        coin,
                        plain.withDatum(datum),
                        plain.withDatum(datum).withDatumHash(datumHash),
                        plain.withDatumHash(datumHash)));
        rig.mine(1);

        rig.call("htlc_claim", claim(lockTxId.hex(), "sender", funder.key));
        rig.call("htlc_claim", claim(lockTxId.hex(), "sender", funder.key, "output_index", 1));
        assertThat(rig.refusedUnsent(
                        -32030, "htlc_claim", claim(lockTxId.hex(), "sender", funder.key, "output_index", 2)))
                .contains("redeemer");
    }

    @Test
    void who_comes_second_is_told_and_a_late_claim_does_not_give_its_preimage_away() throws Exception {
        long timeout = rig.devnet().tip().height();
        String lockTxId = locked(1_000_000, "timeout", timeout);
        rig.call("htlc_reclaim", reclaim(lockTxId, "timeout", timeout));
        assertRefused(
                rig.refused("htlc_claim", claim(lockTxId, "timeout", timeout)),
                -32039,
                "{\"retryable\":true,\"retry_after\":\"next_block\",\"needed\":1000000,\"available\":0,"
                        + "\"in_flight_value\":1000000,\"in_flight_count\":1}");
        rig.mine(1);

        WalletdException.RpcError late = rig.refused("htlc_claim", claim(lockTxId, "timeout", timeout));

        assertRefused(late, -32021, "{\"input_conflict\":true,\"retryable\":false}");
        assertThat(late.getMessage()).contains("htlc_status");
        rig.refusedUnsent(-32021, "htlc_claim", claim(lockTxId, "timeout", timeout));
    }

    @Test
    void a_node_that_falsifies_the_lock_transaction_gets_nothing_signed() {
        String lockTxId = locked(1_000_000);
        for (String member : List.of("tx_hex-value", "tx_hex-script", "tx_hex-junk")) {
            rig.node().lieAbout("get_transaction", result -> result.put("tx_hex", falsified(member, result)));
            rig.refusedUnsent(-32036, "htlc_claim", claim(lockTxId));
        }
        rig.node().tellTheTruth();
        rig.call("htlc_claim", claim(lockTxId));
    }

    private static String falsified(String how, JsonNode result) {
        String hex = result.get("tx_hex").asText();
        // The value of output 0 follows 4 bytes of header and 36 of the only input, its script 10 bytes later.
        return switch (how) {
            case "tx_hex-value" -> hex.substring(0, 80) + "01" + hex.substring(82);
            case "tx_hex-script" -> hex.substring(0, 300) + (hex.charAt(300) == '0' ? '1' : '0') + hex.substring(301);
            default -> "00";
        };
    }

    @Test
    void a_node_that_merely_says_that_the_htlc_is_spent_does_not_stop_the_claim() {
        String lockTxId = locked(1_000_000);
        rig.node()
                .lieAbout(
                        "get_output_spent_by",
                        (params, result) -> JSON.createObjectNode()
                                .put("spent", true)
                                .put("spending_tx_id", lockTxId)
                                .put("input_index", 0)
                                .put("block_height", 11));

        rig.call("htlc_claim", claim(lockTxId));
    }

    @Test
    void a_node_that_overstates_the_height_gets_a_reclaim_refused_by_the_chain_and_the_same_call_works_later() {
        long timeout = rig.devnet().tip().height() + 8;
        String lockTxId = locked(1_000_000, "timeout", timeout);
        rig.node().lieAbout("get_block_height", result -> result.put("height", FAR));
        Map<String, Object> reclaim = reclaim(lockTxId, "timeout", timeout);

        assertThat(rig.refused("htlc_reclaim", reclaim).code()).isEqualTo(-32020);

        rig.node().tellTheTruth();
        while (rig.devnet().tip().height() <= timeout) {
            rig.mine(1);
        }
        rig.call("htlc_reclaim", reclaim);
    }

    @Test
    void a_lost_answer_is_no_error() {
        String lockTxId = locked(1_000_000);
        rig.devnet().faults().drop(org.chainwalletd.devnet.call.Faults.Drop.AFTER, 1, "send_raw_transaction");

        JsonNode claimed = rig.call("htlc_claim", claim(lockTxId));

        rig.mine(1);
        assertThat(rig.coins(receiver))
                .containsKey(new Outpoint(Hash256.parse(claimed.get("tx_id").asText()), 0));
        assertThat(Amount.of(claimed.get("value").asLong())).isEqualTo(Amount.of(999_931));
    }
}
