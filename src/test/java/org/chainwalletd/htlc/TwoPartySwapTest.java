package org.chainwalletd.htlc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.chainwalletd.testkit.DaemonRig.params;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.devnet.call.Lie;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.ManualClock;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two parties that do not trust each other, each with its own daemon on the same chain, exchanging only hashes and keys. Both use one node with the
 * quotas of a real one; each test has the quota of one minute, which its
 * clock starts but does not let expire.
 */
@Tag("long")
class TwoPartySwapTest {
    private static final long FUNDS = 10_000_000;
    private static final long ALICES = 5_000_000;
    private static final long BOBS = 3_000_000;

    @TempDir
    static Path folder;

    private static final ManualClock CLOCK = new ManualClock(Instant.now());
    private static Devnet chain;
    private static DaemonRig alice;
    private static DaemonRig bob;
    private static int round;

    private Party aliceKey;
    private Party bobKey;
    private byte[] secret;
    private Hash256 hashLock;

    @BeforeAll
    static void start() throws IOException {
        chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE)
                .withFirstBlocks(10)
                .withQuotas(true)
                .withClock(CLOCK));
        alice = daemon("alice");
        bob = daemon("bob");
    }

    @AfterAll
    static void stop() {
        bob.close();
        alice.close();
        chain.close();
    }

    private static DaemonRig daemon(String name, String... more) throws IOException {
        return DaemonRig.over(chain, Files.createDirectories(folder.resolve(name)), more);
    }

    /** Creates new keys, coins and a new secret in the same two daemons. */
    @BeforeEach
    void meet() {
        round++;
        CLOCK.advance(Duration.ofSeconds(61));
        aliceKey = alice.imported(0x30 + round);
        bobKey = bob.imported(0x50 + round);
        secret = ("known to alice alone " + round).getBytes(StandardCharsets.US_ASCII);
        hashLock = HtlcWitness.hashLockOf(secret);
        alice.fund(aliceKey, FUNDS);
        bob.fund(bobKey, FUNDS);
        followed();
    }

    private void mine(int blocks) {
        chain.mine(blocks);
        followed();
    }

    private static void followed() {
        alice.awaitFollowed();
        bob.awaitFollowed();
    }

    private void mineAbove(long height) {
        while (chain.tip().height() <= height) {
            chain.mine(1);
        }
        followed();
    }

    private String lock(DaemonRig daemon, Party from, Party receiver, long timeout, long amount) {
        return Locks.txId(daemon, "htlc_lock", Locks.lock(from, receiver.key, hashLock, timeout, amount));
    }

    private static Map<String, Object> claim(Party from, Party sender, String lock, String preimage, long timeout) {
        return Locks.claim(from, sender.key, lock, preimage, timeout);
    }

    private Map<String, Object> reclaim(Party from, Party receiver, String lock, long timeout) {
        return Locks.reclaim(from, receiver.key, lock, hashLock, timeout);
    }

    private String secret() {
        return Bytes.of(secret).hex();
    }

    private static JsonNode status(DaemonRig daemon, String lock) {
        return daemon.call("htlc_status", params("lock_tx_id", lock));
    }

    private List<JsonNode> ofTheHashLock(DaemonRig daemon) {
        JsonNode found = daemon.call("htlc_lookup_by_hashlock", params("hash_lock", hashLock))
                .get("htlcs");
        return StreamSupport.stream(found.spliterator(), false).toList();
    }

    private static long balance(DaemonRig daemon, Party party) {
        return daemon.call("get_balance", params("address", party.address))
                .get("balance")
                .asLong();
    }

    private static long fee(JsonNode spend) {
        return spend.get("fee").asLong();
    }

    @Test
    void each_finds_the_others_lock_and_who_claims_first_hands_the_other_the_preimage() {
        long longer = chain.tip().height() + 100;
        long shorter = chain.tip().height() + 50;
        String alicesLock = lock(alice, aliceKey, bobKey, longer, ALICES);
        mine(1);

        JsonNode seenByBob = ofTheHashLock(bob).get(0);
        assertThat(seenByBob.get("lock_tx_id").asText()).isEqualTo(alicesLock);
        assertThat(seenByBob.get("role").asText()).isEqualTo("receiver");
        assertThat(seenByBob.get("amount").asLong()).isEqualTo(ALICES);
        assertThat(seenByBob.at("/params/timeout_height").asLong()).isEqualTo(longer);
        String bobsLock = lock(bob, bobKey, aliceKey, shorter, BOBS);
        mine(1);

        assertThat(ofTheHashLock(alice))
                .extracting(htlc -> htlc.get("role").asText())
                .containsExactly("sender", "receiver");
        JsonNode first = alice.call("htlc_claim", claim(aliceKey, bobKey, bobsLock, secret(), shorter));
        mine(1);

        String revealed = status(bob, bobsLock).at("/claim/preimage").asText();
        assertThat(revealed).isEqualTo(secret());
        JsonNode second = bob.call("htlc_claim", claim(bobKey, aliceKey, alicesLock, revealed, longer));
        mine(1);

        for (DaemonRig side : List.of(alice, bob)) {
            assertThat(ofTheHashLock(side))
                    .extracting(htlc -> htlc.get("state").asText())
                    .containsExactly("claimed", "claimed");
        }
        long lockFee = 2 * FUNDS - balance(alice, aliceKey) - balance(bob, bobKey) - fee(first) - fee(second);
        assertThat(balance(alice, aliceKey)).isEqualTo(FUNDS - ALICES - lockFee / 2 + BOBS - fee(first));
        assertThat(balance(bob, bobKey)).isEqualTo(FUNDS - BOBS - lockFee / 2 + ALICES - fee(second));
    }

    @Test
    void a_wrong_preimage_claims_nothing_and_a_reclaim_waits_for_the_timeout() {
        long timeout = chain.tip().height() + 5;
        String lock = lock(alice, aliceKey, bobKey, timeout, ALICES);
        mine(1);

        bob.refusedUnsent(-32036, "htlc_claim", claim(bobKey, aliceKey, lock, "badbad", timeout));
        alice.refusedUnsent(-32037, "htlc_reclaim", reclaim(aliceKey, bobKey, lock, timeout));
        assertThat(status(alice, lock).get("state").asText()).isEqualTo("locked");

        mineAbove(timeout);
        assertThat(status(bob, lock).get("state").asText()).isEqualTo("locked_expired");
        JsonNode back = alice.call("htlc_reclaim", reclaim(aliceKey, bobKey, lock, timeout));
        mine(1);

        assertThat(status(alice, lock).get("state").asText()).isEqualTo("reclaimed");
        assertThat(status(bob, lock).at("/reclaim/tx_id").asText())
                .isEqualTo(back.get("tx_id").asText());
        assertThat(balance(bob, bobKey)).isEqualTo(FUNDS);
        assertThat(balance(alice, aliceKey)).isGreaterThan(FUNDS - 1_000).isLessThan(FUNDS);
    }

    @Test
    void a_late_claim_beats_a_reclaim_that_comes_after_it() {
        long timeout = chain.tip().height() + 2;
        String lock = lock(alice, aliceKey, bobKey, timeout, ALICES);
        mineAbove(timeout);

        JsonNode won = bob.call("htlc_claim", claim(bobKey, aliceKey, lock, secret(), timeout));
        assertConflict(alice.refused("htlc_reclaim", reclaim(aliceKey, bobKey, lock, timeout)));
        mine(1);

        assertConflict(alice.refused("htlc_reclaim", reclaim(aliceKey, bobKey, lock, timeout)));
        assertThat(status(alice, lock).at("/claim/tx_id").asText())
                .isEqualTo(won.get("tx_id").asText());
        assertThat(balance(bob, bobKey)).isEqualTo(FUNDS + ALICES - fee(won));
    }

    @Test
    void a_reclaim_beats_a_claim_that_comes_after_it_and_whose_preimage_stays_secret() {
        long timeout = chain.tip().height() + 2;
        String lock = lock(alice, aliceKey, bobKey, timeout, ALICES);
        mineAbove(timeout);

        JsonNode won = alice.call("htlc_reclaim", reclaim(aliceKey, bobKey, lock, timeout));
        Map<String, Object> claim = claim(bobKey, aliceKey, lock, secret(), timeout);
        bob.refusedUnsent(-32021, "htlc_claim", claim);
        assertConflict(bob.refused("htlc_claim", claim));
        mine(1);

        bob.refusedUnsent(-32021, "htlc_claim", claim);
        assertConflict(bob.refused("htlc_claim", claim));
        assertThat(status(bob, lock).at("/reclaim/tx_id").asText())
                .isEqualTo(won.get("tx_id").asText());
        assertThat(status(bob, lock).get("claim").isNull()).isTrue();
        assertThat(balance(bob, bobKey)).isEqualTo(FUNDS);
    }

    private static void assertConflict(WalletdException.RpcError error) {
        assertThat(error.code()).as(error.getMessage()).isEqualTo(-32021);
        assertThat(error.getMessage()).contains("htlc_status");
    }

    @Test
    void a_decoy_with_the_same_hash_lock_is_told_apart_and_is_not_taken_for_the_agreed_lock() {
        long timeout = chain.tip().height() + 50;
        String decoy = lock(bob, bobKey, aliceKey, timeout + 1, 300);
        mine(1);
        String agreed = lock(bob, bobKey, aliceKey, timeout, BOBS);
        mine(1);

        assertThat(ofTheHashLock(alice))
                .extracting(
                        htlc -> htlc.get("lock_tx_id").asText(),
                        htlc -> htlc.get("amount").asLong())
                .containsExactly(tuple(decoy, 300L), tuple(agreed, BOBS));
        alice.refusedUnsent(-32036, "htlc_claim", claim(aliceKey, bobKey, decoy, secret(), timeout));
        JsonNode claimed = alice.call("htlc_claim", claim(aliceKey, bobKey, agreed, secret(), timeout));
        mine(1);

        assertThat(balance(alice, aliceKey)).isEqualTo(FUNDS + BOBS - fee(claimed));
        assertThat(status(alice, decoy).get("state").asText()).isEqualTo("locked");
    }

    @Test
    void a_lock_of_which_the_node_shows_other_bytes_is_neither_shown_nor_claimed_until_it_tells_the_truth() {
        long timeout = chain.tip().height() + 50;
        String lock = lock(alice, aliceKey, bobKey, timeout, ALICES);
        Map<String, Object> claim = claim(bobKey, aliceKey, lock, secret(), timeout);
        long sent = bob.node().count("send_raw_transaction");
        chain.faults().lie(Lie.TX_VALUE);
        chain.mine(1);
        for (Lie lie : List.of(Lie.TX_VALUE, Lie.SCRIPT)) {
            chain.faults().lie(lie);
            long asked = bob.node().count("get_transaction");
            Await.until("the lie was told", () -> bob.node().count("get_transaction") > asked);
            bob.refused("htlc_claim", claim);
            assertThat(ofTheHashLock(bob))
                    .as(lie.name())
                    .allMatch(htlc -> htlc.get("lock_block_height").isNull());
        }
        assertThat(bob.node().count("send_raw_transaction")).isEqualTo(sent);

        chain.faults().lie(Lie.NONE);
        followed();
        assertThat(ofTheHashLock(bob).get(0).get("amount").asLong()).isEqualTo(ALICES);
        JsonNode claimed = bob.call("htlc_claim", claim);
        mine(1);
        assertThat(balance(bob, bobKey)).isEqualTo(FUNDS + ALICES - fee(claimed));
    }

    @Test
    void an_overdue_lock_is_shown_and_taken_back_exactly_once_also_after_a_new_start() throws Exception {
        long timeout = chain.tip().height() + 2;
        String lock = lock(alice, aliceKey, bobKey, timeout, ALICES);
        mineAbove(timeout);
        // A caller cannot use up the token under which the watchdog reclaims a lock.
        alice.call(
                "transfer",
                params(
                        "from",
                        aliceKey.address,
                        "outputs",
                        List.of(Map.of("to", bobKey.address.toString(), "amount", 1_000)),
                        "client_token",
                        "auto-reclaim-" + lock + ":0"));
        mine(1);
        Await.until("the watchdog counts it", () -> alice.metrics().contains("walletd_htlc_overdue 1"));
        assertThat(alice.call("htlc_list", params("state", "locked_expired"))
                        .at("/htlcs/0/lock_tx_id")
                        .asText())
                .isEqualTo(lock);

        alice.close();
        alice = daemon("alice", "--auto-reclaim", "true");
        Await.until("it is taken back", () -> !waiting().isEmpty());
        List<String> reclaims = waiting();
        assertThat(reclaims).hasSize(1);
        JsonNode spend =
                alice.call("get_spend", params("tx_id", reclaims.get(0))).get("spend");
        assertThat(spend.get("kind").asText()).isEqualTo("htlc_reclaim");
        assertThat(spend.get("token_name").isNull())
                .as("no access token requested it")
                .isTrue();

        alice.close();
        alice = daemon("alice", "--auto-reclaim", "true");
        followed();
        mine(1);
        mine(2);
        assertThat(status(alice, lock).at("/reclaim/tx_id").asText()).isEqualTo(reclaims.get(0));
        Await.until("nothing is overdue", () -> alice.metrics().contains("walletd_htlc_overdue 0"));
        assertThat(waiting()).isEmpty();
        assertThat(alice.coins(aliceKey)).hasSize(2);
        assertConflict(alice.refused("htlc_reclaim", reclaim(aliceKey, bobKey, lock, timeout)));

        alice.close();
        alice = daemon("alice");
    }

    /** Returns the transactions of the mempool that pay alice. */
    private List<String> waiting() {
        JsonNode mempool = bob.call("get_address_mempool", params("address", aliceKey.address))
                .get("mempool");
        return StreamSupport.stream(mempool.spliterator(), false)
                .map(tx -> tx.get("tx_id").asText())
                .toList();
    }
}
