package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Whole daemon that imports keys with a history, at a node whose listings lie (following.md, section 2): only blocks enter its books; until
 * these are complete, the address is answered like a foreign one, and its history decides nothing.
 */
@Tag("long")
@Execution(ExecutionMode.CONCURRENT)
class ImportedKeysTest {
    private static final Party HOLDER = new Party(1);
    private static final Party SHOP = new Party(77);

    @TempDir
    Path folder;

    private Devnet chain;
    private DaemonRig rig;
    private Outpoint spent;

    /** Two of three coins are left. */
    @BeforeEach
    void fund() throws IOException {
        chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10));
        for (long value : List.of(10_000L, 20_000L, 30_000L)) {
            chain.faucet(HOLDER.address, Amount.of(value));
            chain.mine(1);
        }
        spent = chain.ledger().list(Bytes.wrap(HOLDER.address.toArray()), null, null, 9).coins().stream()
                .filter(coin -> coin.output().value().equals(Amount.of(10_000)))
                .findFirst()
                .orElseThrow()
                .outpoint();
        chain.ledger().submit(HOLDER.pay(chain.genesisId(), spent, TxOutput.toAddress(SHOP.address, Amount.of(9_000))));
        chain.mine(5);
    }

    @AfterEach
    void stop() {
        if (rig != null) {
            rig.close();
        }
        chain.close();
    }

    /** The node's listing of the holder's coins. */
    private enum Listing {
        HEIGHT_ABOVE_THE_TIP,
        COINBASES_OF_A_HEIGHT_THAT_NO_CHAIN_HAS,
        A_COIN_THAT_IS_SPENT,
        NOT_ALL_COINS;

        JsonNode of(JsonNode truth, Outpoint spent) {
            ArrayNode utxos = (ArrayNode) truth.get("utxos");
            switch (this) {
                case HEIGHT_ABOVE_THE_TIP ->
                    utxos.forEach(utxo -> ((ObjectNode) utxo)
                            .put("height", truth.get("tip_height").longValue() + 3));
                case COINBASES_OF_A_HEIGHT_THAT_NO_CHAIN_HAS ->
                    utxos.forEach(
                            utxo -> ((ObjectNode) utxo).put("is_coinbase", true).put("height", Long.MAX_VALUE));
                case A_COIN_THAT_IS_SPENT ->
                    utxos.insert(
                            0,
                            ((ObjectNode) utxos.get(0).deepCopy())
                                    .put("tx_id", spent.txId().hex())
                                    .put("output_index", spent.index())
                                    .put("value", 10_000)
                                    .put("height", 11));
                case NOT_ALL_COINS -> utxos.remove(0);
            }
            return truth;
        }
    }

    private void start(String... more) {
        rig = DaemonRig.over(chain, folder, more);
        rig.awaitFollowed();
    }

    private void lie(Listing listing) {
        rig.node().lieAbout("get_address_utxos", (params, truth) -> {
            boolean ofHolder = params.path("address").asText().equals(HOLDER.address.hex());
            return ofHolder ? listing.of(truth, spent) : null;
        });
        UnaryOperator<JsonNode> each = one -> listing.of(one, spent);
        rig.node().lieAbout("get_address_utxos_batch", (params, truth) -> {
            truth.findParents("utxos").forEach(each::apply);
            return truth;
        });
    }

    private JsonNode payment(long amount, String token) {
        return rig.call("transfer", DaemonRig.payment(HOLDER.address, SHOP.address, amount, "client_token", token));
    }

    private void assertCoinsAreThoseOfTheChainAndCanBeSpent(Listing listing, String ownCoins) {
        start("--own-coins", ownCoins);
        lie(listing);
        JsonNode imported = rig.call("import_private_key", "private_key", HOLDER.secret());
        assertThat(imported.get("rescan_blocks_left").asLong()).isBetween(1L, 18L);
        rig.awaitHistories();

        assertThat(rig.balance(HOLDER.address)).isEqualTo(50_000);
        chain.reorg(2);
        rig.mine(1);
        rig.awaitFollowed();
        assertThat(rig.balance(HOLDER.address)).as("after a reorganisation").isEqualTo(50_000);
        payment(40_000, "all of it");
        rig.mine(1);
        rig.awaitFollowed();
        assertThat(rig.coins(SHOP)).containsValue(40_000L);
        assertThat(rig.balance(HOLDER.address)).isLessThan(10_000);
    }

    @ParameterizedTest
    @EnumSource
    void listings_that_lie_change_nothing_in_books_that_payments_are_made_from(Listing listing) {
        assertCoinsAreThoseOfTheChainAndCanBeSpent(listing, "ledger");
    }

    @ParameterizedTest
    @EnumSource
    void listings_that_lie_keep_no_payment_from_coins_that_the_books_prove(Listing listing) {
        assertCoinsAreThoseOfTheChainAndCanBeSpent(listing, "node");
    }

    /** Stops the rescans at this block. */
    private void holdRescansAt(long height) {
        rig.node().refuse("get_block", asked -> asked.path("height").longValue() == height ? "not now" : null);
    }

    private WalletdException.RpcError refusedDeletion(Address address) {
        return rig.refused("delete_address", "address", address, "passphrase", DaemonRig.PASSPHRASE);
    }

    @Test
    void a_key_with_an_open_htlc_is_not_deleted_before_its_history_is_read_and_not_after() {
        start();
        Party sender = new Party(2);
        rig.imported(2);
        rig.fund(sender, 100_000);
        rig.awaitFollowed();
        JsonNode lock = rig.call(
                "htlc_lock",
                params(
                        "from",
                        sender.address,
                        "receiver",
                        new Party(33).key,
                        "amount",
                        50_000,
                        "hash_lock",
                        "ab".repeat(32),
                        "timeout",
                        1_000));
        assertThat(lock.path("tx_id").asText()).isNotEmpty();
        rig.mine(3);
        rig.awaitFollowed();
        rig.awaitHistories();
        holdRescansAt(5);
        Party receiver = rig.imported(33);

        WalletdException.RpcError unread = refusedDeletion(receiver.address);
        assertThat(unread.code()).isEqualTo(-32602);
        assertThat(unread.getMessage()).contains("cannot be checked yet", "blocks are left");

        rig.node().tellTheTruth();
        rig.awaitHistories();
        assertThat(refusedDeletion(receiver.address).getMessage()).contains("open HTLC");
    }

    @Test
    void a_key_whose_history_is_not_read_is_deleted_by_force_and_one_that_is_read_and_empty_without() {
        start();
        holdRescansAt(5);
        Party one = rig.imported(4);
        assertThat(refusedDeletion(one.address).getMessage()).contains("cannot be checked yet");
        rig.call("delete_address", "address", one.address, "passphrase", DaemonRig.PASSPHRASE, "force", true);
        Party other = rig.imported(5);
        rig.node().tellTheTruth();
        rig.awaitHistories();
        rig.call("delete_address", "address", other.address, "passphrase", DaemonRig.PASSPHRASE);
    }

    @Test
    void keys_of_a_restored_vault_are_answered_as_strangers_until_their_histories_are_read_and_then_from_the_books() {
        start();
        List<Party> parties = IntStream.of(1, 31, 32, 33, 34, 35, 36, 37)
                .mapToObj(rig::imported)
                .toList();
        String vault = rig.call("export_vault", "passphrase", "vault of tests")
                .get("vault_hex")
                .asText();
        rig.awaitHistories();
        rig.close();
        folder = folder.resolve("restored");
        start();
        holdRescansAt(5);
        JsonNode restored = rig.call("import_vault", "vault_hex", vault, "passphrase", "vault of tests");
        assertThat(restored.get("imported")).hasSize(8);
        assertThat(restored.get("rescan_blocks_left").asLong()).isPositive();
        assertThat(rig.followerStatus().get("full_scan_complete").asBoolean()).isFalse();
        assertThat(rig.followerStatus().get("rescan_blocks_left").asLong()).isPositive();
        long asked = rig.node().count("get_balance");
        assertThat(rig.balance(HOLDER.address)).isEqualTo(50_000);
        assertThat(rig.node().count("get_balance")).isGreaterThan(asked);

        rig.node().tellTheTruth();
        rig.awaitHistories();
        long before = rig.node().count("get_balance") + rig.node().count("get_balances");
        parties.forEach(party ->
                assertThat(rig.balance(party.address)).isEqualTo(party.address.equals(HOLDER.address) ? 50_000 : 0));
        assertThat(rig.node().count("get_balance") + rig.node().count("get_balances"))
                .isEqualTo(before);
    }

    @Test
    void who_wants_only_what_comes_gets_no_rescan_by_itself_and_one_when_it_is_called() {
        start("--follow-from", "now");
        rig.awaitFollowed();
        JsonNode imported = rig.call("import_private_key", "private_key", HOLDER.secret());
        assertThat(imported.has("rescan_blocks_left")).isFalse();
        assertThat(refusedDeletion(HOLDER.address).getMessage()).contains("balance");
        Party other = rig.imported(9);
        assertThat(refusedDeletion(other.address).getMessage()).contains("cannot be checked yet", "rescan reads it");

        rig.call("rescan", "from_height", 0);
        rig.awaitHistories();
        rig.call("delete_address", "address", other.address, "passphrase", DaemonRig.PASSPHRASE);
    }

    /** Lock of the holder that is past its timeout, created before the daemon has its key. */
    private Outpoint overdueLock(long amount) {
        HtlcParams terms = new HtlcParams(HOLDER.key, SHOP.key, Hash256.parse("ab".repeat(32)), 1);
        Outpoint coin = chain.ledger().list(Bytes.wrap(HOLDER.address.toArray()), null, null, 9).coins().stream()
                .filter(one -> one.output().value().bits() > amount)
                .findFirst()
                .orElseThrow()
                .outpoint();
        Hash256 txId = chain.ledger()
                .submit(HOLDER.pay(
                        chain.genesisId(), coin, TxOutput.toScript(HtlcScript.build(terms), Amount.of(amount))));
        chain.mine(2);
        return new Outpoint(txId, 0);
    }

    @Test
    void what_a_rescan_finds_is_told_counted_and_taken_back_while_the_chain_stalls() {
        Outpoint lock = overdueLock(29_000);
        start("--auto-reclaim", "true");
        String cursor = rig.call("list_credits", "from", "now").get("cursor").asText();
        holdRescansAt(5);
        rig.call("import_private_key", "private_key", HOLDER.secret());
        CompletableFuture<JsonNode> waiting = CompletableFuture.supplyAsync(
                () -> rig.call("list_credits", "cursor", cursor, "wait_secs", 30),
                task -> new Thread(task, "waits for credits").start());
        Await.until(
                "a caller waits for the next credit",
                () -> rig.metrics()
                        .lines()
                        .anyMatch(line -> line.startsWith("walletd_waits_open{")
                                && line.contains("credits")
                                && line.endsWith(" 1.0")));

        rig.node().tellTheTruth();
        rig.awaitHistories();

        assertThat(rig.followerStatus().get("indexed_htlc_count").asLong())
                .as("what the status counts is what is listed")
                .isEqualTo(rig.call("htlc_list").get("htlcs").size())
                .isOne();
        assertThat(Await.result(waiting).get("credits")).as("who waits is told").isNotEmpty();
        Await.until(
                "the lock is taken back",
                () -> !rig.call("htlc_status", "lock_tx_id", lock.txId())
                        .path("reclaim")
                        .isNull());
    }
}
