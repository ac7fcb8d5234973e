package org.chainwalletd.htlc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;
import static org.chainwalletd.testkit.ScriptedNode.error;
import static org.chainwalletd.testkit.ScriptedNode.result;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records that an indexer adds to the index of the daemon's own HTLCs, and those that it cannot change, over HTTP. */
class MergedRecordsTest {
    private static final byte[] PREIMAGE = {1, 2, 3};
    private static final Hash256 HASH_LOCK = HtlcWitness.hashLockOf(PREIMAGE);
    private static final String ELSEWHERE = "ee".repeat(32);
    private static final Party STRANGER = new Party(0x77);

    @TempDir
    Path folder;

    private final ScriptedNode indexer = ScriptedNode.start();
    private DaemonRig rig;
    private Party own;

    @AfterEach
    void stop() {
        rig.close();
        indexer.close();
    }

    /** Makes a confirmed lock by the daemon. */
    private String started() {
        rig = DaemonRig.withChain(folder, "--indexer-rpc", indexer.url().toString());
        own = rig.imported(0x21);
        rig.fund(own, 1_000_000);
        String lock = Locks.txId(rig, "htlc_lock", Locks.lock(own, STRANGER.key, HASH_LOCK, 1_000_000, 500_000));
        long height = rig.mine(1);
        Await.until(
                "the lock is followed",
                () -> rig.followerStatus().path("last_indexed_height").asLong() == height);
        return lock;
    }

    /** Returns an indexer's row of a lock by the daemon's own key. */
    private String row(String lock, long height, String state, String claim) {
        return "{\"lock_tx_id\":\"" + lock + "\",\"output_index\":0,\"params\":{\"sender\":\"" + own.key.hex()
                + "\",\"receiver\":\"" + STRANGER.key.hex() + "\",\"hash_lock\":\"" + HASH_LOCK.hex()
                + "\",\"timeout_height\":9},\"amount\":7,\"lock_block_height\":" + height + ",\"state\":\"" + state
                + "\",\"claim\":" + claim + ",\"reclaim\":null,\"role\":\"sender\",\"last_indexed_height\":12}";
    }

    private static String claim(String preimage) {
        return "{\"tx_id\":\"" + "cc".repeat(32) + "\",\"preimage\":\"" + preimage
                + "\",\"block_height\":8,\"input_index\":4000000000}";
    }

    private static ScriptedNode.Step htlcs(String... rows) {
        return result("{\"htlcs\":[" + String.join(",", rows) + "]}");
    }

    private static List<String> told(JsonNode answer) {
        List<String> told = new ArrayList<>();
        answer.get("htlcs")
                .forEach(htlc -> told.add(htlc.get("lock_tx_id").asText() + " "
                        + htlc.get("role").asText() + " " + htlc.get("state").asText()));
        return told;
    }

    @Test
    void the_own_record_and_role_win_and_what_only_the_indexer_knows_is_an_observers() {
        String lock = started();
        String own = lock + " sender locked";
        String seen = ELSEWHERE + " observer claimed";
        String lie = row(lock, 3, "claimed", claim("010203"));
        String news = row(ELSEWHERE, 5, "claimed", claim("010203"));
        indexer.on("htlc_lookup_by_hashlock", htlcs(lie, news, news)).on("htlc_list", htlcs(lie, news));
        indexer.on("htlc_status", result(news));

        assertThat(told(rig.call("htlc_lookup_by_hashlock", params("hash_lock", HASH_LOCK))))
                .containsExactly(seen, own);
        Map<String, Object> ofAddress = params("address", this.own.address);
        assertThat(told(rig.call("htlc_list", ofAddress))).containsExactly(seen, own);
        assertThat(indexer.requests().stream()
                        .filter(asked -> asked.method().equals("htlc_list"))
                        .toList())
                .allMatch(asked -> asked.params().get("address").asText().equals(this.own.key.hex()));
        assertThat(told(rig.call("htlc_list", params("address", this.own.address, "role", "sender"))))
                .containsExactly(own);
        assertThat(told(rig.call("htlc_list", params("address", this.own.address, "state", "locked"))))
                .containsExactly(own);
        assertThat(told(rig.call("htlc_list", Map.of()))).containsExactly(own);

        JsonNode first = rig.call("htlc_list", params("address", this.own.address, "limit", 1));
        assertThat(told(first)).containsExactly(seen);
        JsonNode second = rig.call(
                "htlc_list",
                params(
                        "address",
                        this.own.address,
                        "limit",
                        1,
                        "cursor",
                        first.get("next_cursor").asText()));
        assertThat(told(second)).containsExactly(own);
        assertThat(second.has("next_cursor")).isFalse();

        long before = indexer.count("htlc_status");
        assertThat(rig.call("htlc_status", params("lock_tx_id", lock))
                        .get("role")
                        .asText())
                .isEqualTo("sender");
        assertThat(indexer.count("htlc_status")).isEqualTo(before);
        JsonNode foreign = rig.call("htlc_status", params("lock_tx_id", ELSEWHERE));
        assertThat(foreign.get("role").asText()).isEqualTo("observer");
        assertThat(foreign.at("/claim/input_index").asLong()).isEqualTo(4_000_000_000L);
    }

    private static ScriptedNode.Step swaps(Hash256 hashLock, String... rows) {
        return result(
                "{\"swaps\":[{\"hash_lock\":\"" + hashLock.hex() + "\",\"htlcs\":[" + String.join(",", rows) + "]}]}");
    }

    @Test
    void the_own_record_wins_in_a_swap_within_the_chain_too_and_a_false_group_is_refused() {
        String lock = started();
        String lie = row(lock, 3, "claimed", claim("010203"));
        String news = row(ELSEWHERE, 5, "claimed", claim("010203"));
        indexer.on("detect_in_chain_swaps", swaps(HASH_LOCK, lie, news, news));

        JsonNode told = rig.call("detect_in_chain_swaps", params("hash_lock", HASH_LOCK));
        assertThat(told(told.at("/swaps/0"))).containsExactly(lock + " sender locked", ELSEWHERE + " observer claimed");

        indexer.on("detect_in_chain_swaps", swaps(HASH_LOCK, lie, lie));
        assertThat(rig.call("detect_in_chain_swaps", Map.of()).get("swaps")).isEmpty();

        Hash256 other = HtlcWitness.hashLockOf(new byte[] {9});
        for (ScriptedNode.Step lying : List.of(
                swaps(other),
                swaps(HASH_LOCK, news),
                swaps(other, lie, news),
                swaps(other, lie.replace(HASH_LOCK.hex(), other.hex()), news.replace(HASH_LOCK.hex(), other.hex())))) {
            indexer.on("detect_in_chain_swaps", lying);
            assertThat(rig.refused(-32020, "detect_in_chain_swaps", params("hash_lock", HASH_LOCK)))
                    .message()
                    .containsPattern("badly: `(swaps|htlcs)` holds ");
        }
    }

    @Test
    void a_row_whose_preimage_does_not_open_its_hash_lock_or_of_another_party_is_not_told() {
        String lock = started();
        String broken = row(ELSEWHERE, 5, "claimed", claim("99"));
        indexer.on("htlc_lookup_by_hashlock", htlcs(broken)).on("htlc_status", result(broken));
        indexer.on("htlc_list", htlcs(row(ELSEWHERE, 5, "locked", "null").replace(own.key.hex(), STRANGER.key.hex())));

        assertThat(told(rig.call("htlc_lookup_by_hashlock", params("hash_lock", HASH_LOCK))))
                .containsExactly(lock + " sender locked");
        assertThat(told(rig.call("htlc_list", params("address", own.address))))
                .containsExactly(lock + " sender locked");
        assertThat(rig.refused("htlc_status", params("lock_tx_id", ELSEWHERE)).code())
                .isEqualTo(-32010);
    }

    @Test
    void an_indexer_that_fails_takes_nothing_from_what_the_own_index_has() {
        String lock = started();
        for (String method : List.of("htlc_lookup_by_hashlock", "htlc_list", "htlc_status")) {
            indexer.on(method, error(-32603, "broken"));
        }

        assertThat(told(rig.call("htlc_lookup_by_hashlock", params("hash_lock", HASH_LOCK))))
                .containsExactly(lock + " sender locked");
        assertThat(told(rig.call("htlc_list", params("address", own.address))))
                .containsExactly(lock + " sender locked");
        assertThat(rig.call("htlc_status", params("lock_tx_id", lock))
                        .get("state")
                        .asText())
                .isEqualTo("locked");

        // Absence cannot be concluded.
        assertThat(rig.refused("htlc_status", params("lock_tx_id", ELSEWHERE)).code())
                .isEqualTo(-32020);
        assertThat(rig.refused("htlc_lookup_by_hashlock", params("hash_lock", "ab".repeat(32)))
                        .code())
                .isEqualTo(-32020);
        indexer.on("htlc_status", error(-32602, "no indexed HTLC at (" + ELSEWHERE + ", 0)"));
        assertThat(rig.refused("htlc_status", params("lock_tx_id", ELSEWHERE)).code())
                .isEqualTo(-32010);
    }
}
