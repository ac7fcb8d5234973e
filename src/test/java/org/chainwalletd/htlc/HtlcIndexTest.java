package org.chainwalletd.htlc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The index of HTLCs over HTTP: its records of locks, claims and reclaims in blocks, in flight, and in disconnected blocks. */
class HtlcIndexTest {
    private static final long FAR = 1_000_000;

    @TempDir
    static Path folder;

    @AutoClose
    private static DaemonRig rig;

    private static Party sender;
    private static Party receiver;
    private static int secrets;

    @BeforeAll
    static void start() {
        rig = DaemonRig.withChain(folder);
        sender = rig.imported(0x21);
        receiver = rig.imported(0x22);
    }

    private static byte[] secret() {
        return ("secret " + ++secrets).getBytes(StandardCharsets.US_ASCII);
    }

    private static String lock(byte[] preimage, long timeout, long amount) {
        rig.fund(sender, amount + 1_000);
        return Locks.txId(
                rig, "htlc_lock", Locks.lock(sender, receiver.key, HtlcWitness.hashLockOf(preimage), timeout, amount));
    }

    private static String claim(String lockTxId, byte[] preimage, long timeout) {
        return Locks.txId(rig, "htlc_claim", Locks.claim(receiver, sender.key, lockTxId, Bytes.of(preimage), timeout));
    }

    private static String state(String lockTxId) {
        return status(lockTxId).get("state").asText();
    }

    private static boolean forget(String lockTxId) {
        return rig.call("htlc_forget", params("lock_tx_id", lockTxId))
                .get("removed")
                .asBoolean();
    }

    private static JsonNode status(String lockTxId) {
        return rig.call("htlc_status", params("lock_tx_id", lockTxId));
    }

    private static List<String> outpoints(JsonNode listing) {
        List<String> outpoints = new ArrayList<>();
        listing.get("htlcs")
                .forEach(htlc -> outpoints.add(htlc.get("lock_tx_id").asText() + ":"
                        + htlc.get("output_index").asInt()));
        return outpoints;
    }

    /** Mines, and waits until the daemon has followed. */
    private static void mine(int blocks) {
        long height = rig.mine(blocks);
        followed(height);
    }

    private static void followed(long height) {
        rig.awaitFollowed();
        assertThat(rig.devnet().tip().height()).isEqualTo(height);
    }

    @Test
    void a_lock_and_its_claim_are_reported_before_and_after_their_blocks() {
        byte[] preimage = secret();
        String lockTxId = lock(preimage, FAR, 500_000);

        JsonNode sent = status(lockTxId);
        assertThat(sent.get("lock_block_height").isNull()).isTrue();
        assertThat(sent.get("state").asText()).isEqualTo("locked");
        assertThat(sent.get("role").asText()).isEqualTo("both");
        assertThat(sent.get("claim").isNull()).isTrue();
        assertThat(sent.get("reclaim").isNull()).isTrue();
        assertThat(sent.at("/params/sender").asText()).isEqualTo(sender.key.hex());
        assertThat(sent.at("/params/receiver").asText()).isEqualTo(receiver.key.hex());
        assertThat(sent.at("/params/timeout_height").asLong()).isEqualTo(FAR);
        assertThat(sent.at("/params/hash_lock").asText())
                .isEqualTo(HtlcWitness.hashLockOf(preimage).hex());
        assertThat(sent.get("amount").asLong()).isEqualTo(500_000);

        mine(1);
        long lockHeight = rig.devnet().tip().height();
        JsonNode locked = status(lockTxId);
        assertThat(locked.get("lock_block_height").asLong()).isEqualTo(lockHeight);
        assertThat(locked.get("last_indexed_height").asLong()).isEqualTo(lockHeight);

        String claimTxId = claim(lockTxId, preimage, FAR);
        JsonNode claiming = status(lockTxId);
        assertThat(claiming.get("state").asText())
                .as("until a block has the claim")
                .isEqualTo("locked");
        assertThat(claiming.at("/claim/block_height").isNull()).isTrue();
        assertThat(claiming.at("/claim/preimage").asText())
                .isEqualTo(Bytes.of(preimage).hex());

        mine(1);
        JsonNode claimed = status(lockTxId);
        assertThat(claimed.get("state").asText()).isEqualTo("claimed");
        assertThat(claimed.at("/claim/tx_id").asText()).isEqualTo(claimTxId);
        assertThat(claimed.at("/claim/block_height").asLong()).isEqualTo(lockHeight + 1);
        assertThat(claimed.at("/claim/input_index").asInt()).isZero();

        rig.devnet().reorganise(1, false, List.of());
        followed(rig.devnet().tip().height());
        JsonNode undone = status(lockTxId);
        assertThat(undone.get("state").asText()).isEqualTo("locked");
        assertThat(undone.at("/claim/block_height").isNull()).isTrue();

        rig.devnet().reorganise(3, false, List.of());
        followed(rig.devnet().tip().height());
        assertThat(status(lockTxId).get("lock_block_height").isNull())
                .as("a lock of ours stays known without its block")
                .isTrue();
    }

    @Test
    void a_lock_past_its_timeout_is_expired_and_can_be_reclaimed_and_forgotten() {
        byte[] preimage = secret();
        long timeout = rig.devnet().tip().height() + 4;
        String lockTxId = lock(preimage, timeout, 400_000);
        while (rig.devnet().tip().height() < timeout) {
            mine(1);
        }
        assertThat(state(lockTxId)).isEqualTo("locked");
        mine(1);
        assertThat(state(lockTxId)).isEqualTo("locked_expired");
        assertThat(outpoints(rig.call("htlc_list", params("state", "locked_expired"))))
                .contains(lockTxId + ":0");
        assertThat(rig.refused("htlc_forget", params("lock_tx_id", lockTxId)).code())
                .isEqualTo(-32602);

        rig.call(
                "htlc_reclaim",
                Locks.reclaim(sender, receiver.key, lockTxId, HtlcWitness.hashLockOf(preimage), timeout));
        mine(1);
        JsonNode reclaimed = status(lockTxId);
        assertThat(reclaimed.get("state").asText()).isEqualTo("reclaimed");
        assertThat(reclaimed.at("/reclaim/block_height").asLong())
                .isEqualTo(rig.devnet().tip().height());
        assertThat(reclaimed.get("claim").isNull()).isTrue();

        assertThat(forget(lockTxId)).isTrue();
        assertThat(forget(lockTxId)).isFalse();
        assertThat(rig.refused("htlc_status", params("lock_tx_id", lockTxId)).code())
                .isEqualTo(-32010);

        rig.devnet().reorganise(1, false, List.of());
        followed(rig.devnet().tip().height());
        assertThat(state(lockTxId)).as("its money is locked again").isNotEqualTo("reclaimed");
    }

    @Test
    void foreign_locks_to_us_are_found_however_they_are_made_and_spent() {
        Hash256 genesis = rig.devnet().genesisId();
        Party payer = new Party(0x51);
        rig.fund(payer, 10_000_000);
        Outpoint coin = rig.coins(payer).keySet().iterator().next();
        byte[] empty = new byte[0];
        byte[] preimage = secret();
        HtlcParams ours = new HtlcParams(payer.key, receiver.key, HtlcWitness.hashLockOf(preimage), FAR);
        HtlcParams ofNothing = new HtlcParams(payer.key, receiver.key, HtlcWitness.hashLockOf(empty), FAR);
        HtlcParams notOurs = new HtlcParams(payer.key, payer.key, HtlcWitness.hashLockOf(preimage), FAR);
        Bytes datum = Bytes.parse("0102");
        TxOutput lock = Locks.output(ours, 1_000_000);
        Hash256 txId = rig.devnet()
                .ledger()
                .submit(payer.pay(
                        genesis,
                        coin,
                        lock,
                        Locks.output(ours, 300),
                        lock.withDatum(datum),
                        lock.withDatumHash(Hash256.sha256(datum.toArray())),
                        Locks.output(ofNothing, 1_000_000),
                        Locks.output(notOurs, 1_000_000)));
        mine(1);

        JsonNode found = rig.call("htlc_lookup_by_hashlock", params("hash_lock", HtlcWitness.hashLockOf(preimage)));
        assertThat(outpoints(found)).containsExactly(txId + ":0", txId + ":1", txId + ":2", txId + ":3");
        assertThat(found.at("/htlcs/0/role").asText()).isEqualTo("receiver");
        assertThat(found.at("/htlcs/1/amount").asLong()).as("a decoy").isEqualTo(300);

        // Boolean selectors, a redeemer added by another party, an empty preimage.
        spend(
                genesis,
                new Outpoint(txId, 0),
                999_000,
                signature -> boolSelector(HtlcWitness.claim(preimage, signature)));
        spend(
                genesis,
                new Outpoint(txId, 2),
                999_000,
                signature -> new Witness(HtlcWitness.claim(preimage, signature).data(), Bytes.parse("0102")));
        spend(genesis, new Outpoint(txId, 4), 999_000, signature -> HtlcWitness.claim(empty, signature));
        mine(1);

        for (int index : List.of(0, 2, 4)) {
            JsonNode claimed = rig.call("htlc_status", params("lock_tx_id", txId, "output_index", index));
            assertThat(claimed.get("state").asText()).as("output " + index).isEqualTo("claimed");
            assertThat(claimed.at("/claim/preimage").asText())
                    .isEqualTo(index == 4 ? "" : Bytes.of(preimage).hex());
        }
        assertThat(rig.refused("htlc_status", params("lock_tx_id", txId, "output_index", 5))
                        .code())
                .isEqualTo(-32010);
    }

    private static Witness boolSelector(Witness witness) {
        byte[] data = witness.data().toArray();
        data[0] = 8;
        data[1] = 0;
        return new Witness(Bytes.wrap(data), null);
    }

    private interface Signed {
        Witness witness(byte[] signature);
    }

    private static void spend(Hash256 genesis, Outpoint outpoint, long value, Signed signed) {
        Transaction unsigned = Transaction.unsigned(
                List.of(outpoint),
                List.of(TxOutput.toAddress(receiver.address, org.chainwalletd.chain.Amount.of(value))));
        rig.devnet().ledger().submit(unsigned.withWitnesses(List.of(signed.witness(receiver.sign(genesis, unsigned)))));
    }

    @Test
    void a_lock_that_loses_its_coins_is_unknown_and_can_be_forgotten() {
        Party poor = rig.imported(0x52);
        rig.fund(poor, 50_000);
        Outpoint coin = rig.coins(poor).keySet().iterator().next();
        String lockTxId = Locks.txId(
                rig, "htlc_lock", Locks.lock(poor, receiver.key, HtlcWitness.hashLockOf(secret()), FAR, 10_000));
        Ledger ledger = rig.devnet().ledger();
        Transaction locking =
                ledger.transaction(Hash256.parse(lockTxId)).orElseThrow().tx();
        rig.devnet().forgetMempool();
        ledger.submit(poor.pay(
                rig.devnet().genesisId(),
                coin,
                TxOutput.toAddress(new Party(0x53).address, org.chainwalletd.chain.Amount.of(49_000))));
        mine(1);

        Await.until("it is unknown", () -> state(lockTxId).equals("unknown"));
        assertThat(outpoints(rig.call("htlc_list", params("state", List.of("unknown")))))
                .containsExactly(lockTxId + ":0");
        assertThat(forget(lockTxId)).isTrue();
        assertThat(outpoints(rig.call("htlc_list", params()))).doesNotContain(lockTxId + ":0");

        // The rival is removed from the chain, and the lock is mined after all.
        rig.devnet().reorganise(1, false, List.of(locking));
        rig.awaitFollowed();
        assertThat(state(lockTxId)).isEqualTo("locked");
        assertThat(outpoints(rig.call("htlc_list", params()))).contains(lockTxId + ":0");
    }

    @Test
    void a_listing_is_in_order_page_by_page_and_refuses_a_cursor_that_it_did_not_give() {
        for (int i = 0; i < 3; i++) {
            lock(secret(), FAR, 1_000 + i);
            lock(secret(), FAR, 2_000 + i);
            mine(1);
        }
        lock(secret(), FAR, 3_000);
        List<String> all = outpoints(rig.call("htlc_list", params("limit", 5_000)));
        List<String> paged = new ArrayList<>();
        String cursor = null;
        do {
            Map<String, Object> page = params("limit", 2, "role", "any");
            if (cursor != null) {
                page.put("cursor", cursor);
            }
            JsonNode listing = rig.call("htlc_list", page);
            paged.addAll(outpoints(listing));
            cursor = listing.has("next_cursor") ? listing.get("next_cursor").asText() : null;
        } while (cursor != null);

        assertThat(paged).isEqualTo(all).doesNotHaveDuplicates();
        JsonNode last = rig.call("htlc_list", params("limit", 1000)).get("htlcs");
        assertThat(last.get(last.size() - 1).get("lock_block_height").isNull())
                .as("in no block: last")
                .isTrue();
        long tip = rig.devnet().tip().height();
        rig.call("htlc_list", params("since_height", tip))
                .get("htlcs")
                .forEach(htlc ->
                        assertThat(htlc.get("lock_block_height").asLong()).isGreaterThanOrEqualTo(tip));
        rig.refusedUnsent(-32602, "htlc_list", params("cursor", "00"));
        rig.refusedUnsent(-32602, "htlc_list", params("cursor", "ff".repeat(45)));
        rig.refusedUnsent(-32602, "htlc_list", params("limit", 0));
        rig.refusedUnsent(-32602, "htlc_list", params("state", "open"));
        rig.refusedUnsent(-32602, "htlc_list", params("state", List.of()));
        rig.refusedUnsent(-32602, "htlc_list", params("role", "observer"));
        assertThat(rig.call("htlc_list", params("address", sender.address, "state", "locked", "limit", 1))
                        .at("/htlcs/0/params/sender")
                        .asText())
                .isEqualTo(sender.key.hex());
        assertThat(rig.call("htlc_list", params("address", new Party(0x55).address))
                        .get("htlcs"))
                .isEmpty();
        mine(1);
    }

    @Test
    void a_key_that_an_open_htlc_needs_is_not_deleted() {
        Party claimer = rig.imported(0x54);
        rig.fund(sender, 20_000);
        rig.call("htlc_lock", Locks.lock(sender, claimer.key, HtlcWitness.hashLockOf(secret()), FAR, 10_000));
        mine(1);
        Await.until(
                "the history of the imported keys is read",
                () -> rig.followerStatus().path("full_scan_complete").asBoolean());

        String refusal = rig.refusedUnsent(
                -32602, "delete_address", params("address", claimer.address, "passphrase", "tests only"));

        assertThat(refusal).contains("open HTLC");
    }

    @Test
    void the_follower_status_counts_the_index() {
        lock(secret(), FAR, 5_000);
        mine(1);
        Await.until(
                "the count is there",
                () -> rig.followerStatus().path("indexed_htlc_count").asLong() > 0);
    }
}
