package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.testkit.DaemonRig.params;
import static org.chainwalletd.testkit.DaemonRig.payment;
import static org.chainwalletd.testkit.DaemonRig.payout;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.htlc.Locks;
import org.chainwalletd.rpc.AllMethods;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.store.WatchStore;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Coins;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.EventReader;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Addresses whose keys are elsewhere, over HTTP (payments.md, section 4). */
@Tag("long")
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
class WatchOnlyTest {
    private static final Party COLD = new Party(41);
    private static final Party OWN = new Party(42);

    @TempDir
    Path folder;

    private Devnet chain;
    private DaemonRig rig;

    @BeforeEach
    void start() throws IOException {
        chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10));
        restart();
    }

    private void restart() {
        stopDaemon();
        rig = DaemonRig.over(chain, folder);
        rig.awaitFollowed();
    }

    private void stopDaemon() {
        if (rig != null) {
            rig.close();
            rig = null;
        }
    }

    @AfterEach
    void stop() {
        stopDaemon();
        chain.close();
    }

    private void pay(Party party, long amount) {
        chain.faucet(party.address, Amount.of(amount));
        chain.mine(1);
        rig.awaitFollowed();
    }

    private JsonNode watch(Object... more) {
        List<Object> all = new ArrayList<>(List.of("address", COLD.address));
        all.addAll(List.of(more));
        return rig.call("watch_address", all.toArray());
    }

    private List<JsonNode> credits(Object... more) {
        List<Object> all = new ArrayList<>(List.of("min_confirmations", 1, "limit", 1000));
        all.addAll(List.of(more));
        List<JsonNode> credits = new ArrayList<>();
        rig.call("list_credits", all.toArray()).get("credits").forEach(credits::add);
        return credits;
    }

    private List<Long> amounts(Object... more) {
        return credits(more).stream()
                .map(credit -> credit.get("amount").asLong())
                .toList();
    }

    private List<JsonNode> listed() {
        List<JsonNode> listed = new ArrayList<>();
        rig.call("list_addresses", "include_watch_only", true).get("watch_only").forEach(listed::add);
        return listed;
    }

    private Outpoint coinOf(Party party) {
        return Coins.of(chain, party.address).keySet().iterator().next();
    }

    @Test
    void an_address_is_credited_from_when_it_is_watched_and_in_no_total_unless_asked_for() {
        rig.imported(42);
        pay(OWN, 7_000);
        pay(COLD, 1_000);
        JsonNode watched = watch("label", "cold storage");
        assertThat(watched.get("origin").asText()).isEqualTo("watch_only");
        assertThat(watched.has("rescan_blocks_left")).isFalse();
        pay(COLD, 2_000);

        JsonNode credit = credits("address", COLD.address).get(0);
        assertThat(credit.get("amount").asLong()).isEqualTo(2_000);
        assertThat(credit.get("watch_only").asBoolean()).isTrue();
        assertThat(credit.get("own").asBoolean()).isFalse();
        assertThat(credits("address", OWN.address).get(0).has("watch_only")).isFalse();
        assertThat(rig.balance(COLD.address)).isEqualTo(3_000);
        assertThat(rig.call("get_wallet_balance").get("total").asLong()).isEqualTo(7_000);
        JsonNode all = rig.call("get_wallet_balance", "include_watch_only", true);
        assertThat(all.get("total").asLong()).isEqualTo(10_000);
        assertThat(all.get("entries").get(1).get("origin").asText()).isEqualTo("watch_only");
        assertThat(all.get("entries").get(0).has("origin")).isFalse();
        assertThat(rig.call("list_addresses").has("watch_only")).isFalse();
        assertThat(rig.call("list_addresses").get("addresses")).hasSize(1);

        restart();
        assertThat(listed()).singleElement().satisfies(row -> {
            assertThat(row.get("address").asText()).isEqualTo(COLD.address.hex());
            assertThat(row.get("label").asText()).isEqualTo("cold storage");
        });
        pay(COLD, 4_000);
        assertThat(amounts("address", COLD.address)).containsExactly(2_000L, 4_000L);
    }

    /** Otherwise the books would vouch for a balance without having read a block of the address. */
    @Test
    void a_birth_far_above_the_chain_is_refused_and_watches_nothing() {
        pay(COLD, 1_000);
        long tip = rig.followerStatus().get("last_indexed_height").asLong();
        WalletdException.RpcError refused =
                rig.refused(-32602, "watch_address", "address", COLD.address, "birth_height", tip + 1_100);
        assertThat(refused.getMessage()).contains("`birth_height` is far above the tip of the chain");
        assertThat(rig.call("list_addresses", "include_watch_only", true).get("watch_only"))
                .isEmpty();
        watch("birth_height", tip + 1);
    }

    @Test
    void blocks_from_the_birth_on_are_read_and_then_the_books_answer() {
        for (long value : List.of(1_000L, 2_000L, 3_000L)) {
            pay(COLD, value);
        }
        long birth = rig.followerStatus().get("last_indexed_height").asLong() - 1;
        assertThat(watch("birth_height", birth).get("rescan_blocks_left").asLong())
                .isPositive();
        rig.awaitHistories();
        assertThat(amounts("address", COLD.address)).containsExactly(2_000L, 3_000L);

        watch("birth_height", 1);
        rig.awaitHistories();
        assertThat(new HashSet<>(amounts("address", COLD.address))).isEqualTo(Set.of(1_000L, 2_000L, 3_000L));
        long asked = rig.node().count("get_balance");
        assertThat(rig.balance(COLD.address)).isEqualTo(6_000);
        assertThat(rig.node().count("get_balance")).isEqualTo(asked);
        chain.reorg(1);
        chain.mine(1);
        rig.awaitFollowed();
        assertThat(new HashSet<>(amounts("address", COLD.address))).isEqualTo(Set.of(1_000L, 2_000L, 3_000L));
    }

    @Test
    void a_wait_with_a_cursor_and_the_events_tell_of_a_watched_address() throws Exception {
        watch();
        String cursor = rig.call("list_credits", "from", "now", "address", COLD.address)
                .get("cursor")
                .asText();
        try (EventReader events = EventReader.open(rig.uri(), rig.token(), null)) {
            pay(COLD, 5_000);
            JsonNode waited =
                    rig.call("wait_for_payment", "address", COLD.address, "since_cursor", cursor, "timeout_secs", 20);
            assertThat(waited.get("amount").asLong()).isEqualTo(5_000);
            JsonNode told = Dial.json(events.next("credit").data());
            assertThat(told.get("address").asText()).isEqualTo(COLD.address.hex());
            assertThat(told.get("watch_only").asBoolean()).isTrue();
        }
    }

    /** Methods of spend scope that spend no coin of an address named by the caller. */
    private static final Set<String> NAMING_NO_PAYER = Set.of(
            "send_raw_transaction", "payout_cancel",
            "swap_get_quote", "swap_execute",
            "swap_refund", "evm_send_native",
            "evm_delete_key", "lp_withdraw_self",
            "delete_address", "import_vault");

    /** Methods of spend scope that use or reveal a key, and spend nothing. */
    private static final Set<String> SHOWING_KEYS = Set.of(
            "sign_message",
            "quote_issue",
            "reveal_mnemonic",
            "reveal_private_key",
            "reveal_address_mnemonic",
            "reveal_evm_private_key",
            "evm_reveal_mnemonic",
            "export_vault",
            "export_address");

    /** Parameters of a spend from the watched address, by method. */
    private static Map<String, Map<String, Object>> spends() {
        Map<String, Object> transfer = payment(COLD.address, OWN.address, 1_000);
        Hash256 hashLock = Hash256.parse("ab".repeat(32));
        Map<String, Object> lock = Locks.lock(COLD, OWN.key, hashLock, 1_000_000, 1_000);
        String nowhere = "cd".repeat(32);
        Object from = params("addresses", List.of(OWN.address.toString(), COLD.address.toString()));
        return Map.of(
                "transfer",
                transfer,
                "simulate_transfer",
                transfer,
                "htlc_lock",
                lock,
                "simulate_htlc_lock",
                lock,
                "htlc_claim",
                Locks.claim(COLD, OWN.key, nowhere, "ab".repeat(32), 1_000_000),
                "htlc_reclaim",
                Locks.reclaim(COLD, OWN.key, nowhere, hashLock, 1),
                "sweep",
                params("from", from, "to", OWN.address, "client_token", "watched-sweep"),
                "payout_submit",
                params("from", from, "payouts", List.of(payout("watched-payout", OWN, 1_000))));
    }

    @Test
    void no_method_spends_from_a_watched_address_and_each_refusal_says_why() {
        Set<String> known = new TreeSet<>(spends().keySet());
        known.addAll(NAMING_NO_PAYER);
        known.addAll(SHOWING_KEYS);
        assertThat(AllMethods.registry().methods().stream()
                        .filter(method ->
                                method.scope() == Scope.SPEND || method.name().startsWith("simulate_"))
                        .map(RpcMethod::name))
                .containsExactlyInAnyOrderElementsOf(known);
        rig.imported(42);
        watch();
        pay(COLD, 50_000);
        pay(OWN, 50_000);

        spends().forEach((method, call) -> {
            var refused = rig.refused(method, call);
            assertThat(refused.code()).as(method).isEqualTo(-32010);
            assertThat(refused.getMessage()).as(method).contains("only watched", "key is not in this keystore");
        });

        assertThat(rig.call("list_spends").get("spends")).isEmpty();
        assertThat(rig.call("payout_list").get("payouts")).isEmpty();
        assertThat(rig.call("get_sweep", "client_token", "watched-sweep")
                        .get("sweep")
                        .isNull())
                .isTrue();
        assertThat(Coins.of(chain, COLD.address)).hasSize(1);
    }

    @Test
    void an_address_of_the_keyring_is_neither_watched_nor_unwatched() {
        rig.imported(42);
        for (String method : List.of("watch_address", "unwatch_address")) {
            var refused = rig.refused(-32602, method, "address", OWN.address);
            assertThat(refused.getMessage()).contains("in the keyring");
        }
    }

    @Test
    void the_key_of_a_watched_address_makes_it_owned_and_no_credit_is_told_again() {
        watch("birth_height", 0);
        pay(COLD, 5_000);
        Party other = new Party(43);
        HtlcParams terms = new HtlcParams(COLD.key, other.key, Hash256.parse("ab".repeat(32)), 1_000);
        chain.ledger()
                .submit(COLD.pay(
                        chain.genesisId(), coinOf(COLD), TxOutput.toScript(HtlcScript.build(terms), Amount.of(4_000))));
        chain.mine(1);
        pay(COLD, 6_000);
        rig.awaitHistories();
        assertThat(rig.call("htlc_list").get("htlcs"))
                .as("an HTLC that nobody here can redeem")
                .isEmpty();
        String cursor = rig.call("list_credits", "limit", 1000).get("cursor").asText();
        List<JsonNode> before = credits();

        rig.imported(41);
        assertThat(listed()).isEmpty();
        rig.awaitHistories();
        assertThat(rig.call("list_credits", "cursor", cursor).get("credits")).isEmpty();
        assertThat(credits().stream().map(credit -> credit.get("seq")).toList())
                .isEqualTo(before.stream().map(credit -> credit.get("seq")).toList());
        assertThat(credits().get(0).has("watch_only")).isFalse();
        assertThat(rig.call("htlc_list").get("htlcs")).hasSize(1);
        assertThat(rig.call("get_wallet_balance").get("total").asLong()).isEqualTo(6_000);
        rig.refused(-32602, "unwatch_address", "address", COLD.address);

        rig.call("delete_address", "address", COLD.address, "passphrase", DaemonRig.PASSPHRASE, "force", true);
        restart();
        assertThat(listed()).as("a key that is deleted leaves nothing watched").isEmpty();
    }

    private void delete(Party party) {
        rig.call("delete_address", "address", party.address, "passphrase", DaemonRig.PASSPHRASE, "force", true);
    }

    @Test
    void an_address_that_is_watched_at_once_after_its_key_was_deleted_continues_to_be_credited() {
        Party other = rig.imported(45);
        rig.imported(41);
        delete(COLD);
        delete(other);
        watch();
        Await.until("the books follow the deletions", () -> {
            int before = amounts().size();
            pay(other, 1_000);
            return amounts().size() == before;
        });
        pay(COLD, 2_000);
        JsonNode credit = credits("address", COLD.address).get(0);
        assertThat(credit.get("amount").asLong()).isEqualTo(2_000);
        assertThat(credit.get("watch_only").asBoolean()).isTrue();
        restart();
        pay(COLD, 3_000);
        assertThat(amounts("address", COLD.address)).containsExactly(2_000L, 3_000L);
    }

    @Test
    void what_was_watched_is_reported_no_more_and_what_was_told_stays() {
        watch();
        pay(COLD, 1_000);
        assertThat(rig.call("unwatch_address", "address", COLD.address)
                        .get("was_watched")
                        .asBoolean())
                .isTrue();
        assertThat(rig.call("unwatch_address", "address", COLD.address)
                        .get("was_watched")
                        .asBoolean())
                .isFalse();
        pay(COLD, 2_000);
        assertThat(amounts()).containsExactly(1_000L);
        rig.refused(-32010, "list_credits", "address", COLD.address);
        restart();
        pay(COLD, 3_000);
        assertThat(amounts()).containsExactly(1_000L);
    }

    @Test
    void a_payment_by_a_watched_address_is_not_our_own() {
        rig.imported(42);
        watch();
        pay(COLD, 5_000);
        chain.ledger()
                .submit(COLD.pay(chain.genesisId(), coinOf(COLD), TxOutput.toAddress(OWN.address, Amount.of(3_000))));
        chain.mine(1);
        rig.awaitFollowed();
        assertThat(credits("address", OWN.address).get(0).get("own").asBoolean())
                .isFalse();
    }

    /** Change to the store's rows and the books of a stopped daemon. */
    private interface Change {
        void make(SqliteStore store, LedgerBooks books);
    }

    private void betweenTwoLives(Change change) {
        stopDaemon();
        try (SqliteStore store = SqliteStore.open(folder, Books.remembered(folder));
                Books books = Books.open(folder, Following.tables())) {
            change.make(store, new LedgerBooks(books));
        }
        restart();
    }

    @Test
    void a_start_makes_good_what_a_crash_has_left_between_the_store_and_the_books() {
        Address gone = new Party(44).address;
        rig.imported(42);
        betweenTwoLives((store, books) -> {
            Await.result(store.watchOnly()
                    .put(new WatchStore.WatchOnly(COLD.address, Optional.of("half"), OptionalLong.empty())));
            Await.result(store.watchOnly()
                    .put(new WatchStore.WatchOnly(OWN.address, Optional.empty(), OptionalLong.empty())));
            Await.result(books.settleWatchOnly(Map.of(gone, OptionalLong.empty()), List.of(), address -> false));
        });
        assertThat(listed()).extracting(row -> row.get("address").asText()).containsExactly(COLD.address.hex());
        pay(COLD, 1_000);
        pay(new Party(44), 2_000);
        assertThat(amounts()).containsExactly(1_000L);
        betweenTwoLives((store, books) -> {
            assertThat(Await.result(store.watchOnly().all()))
                    .as("the row of an address whose key is here is gone")
                    .extracting(WatchStore.WatchOnly::address)
                    .containsExactly(COLD.address);
            assertThat(Await.result(books.watchOnly())).containsExactly(COLD.address);
        });
    }

    private void copyStore(Path from, Path to) throws IOException {
        Files.copy(from.resolve("walletd.db"), to.resolve("walletd.db"), StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void an_older_store_that_was_put_back_by_mistake_unwatches_nothing() throws IOException {
        Path older = Files.createDirectory(folder.resolve("older"));
        Path newest = Files.createDirectory(folder.resolve("newest"));
        stopDaemon();
        copyStore(folder, older);
        restart();
        watch();
        pay(COLD, 1_000);
        stopDaemon();
        copyStore(folder, newest);
        copyStore(older, folder);
        restart();
        assertThat(listed()).as("what the older store watches").isEmpty();
        pay(COLD, 2_000);
        stopDaemon();

        copyStore(newest, folder);
        restart();

        assertThat(listed()).hasSize(1);
        pay(COLD, 3_000);
        assertThat(amounts("address", COLD.address)).containsExactly(1_000L, 2_000L, 3_000L);
    }

    @Test
    void books_that_are_rebuilt_watch_what_the_store_says() throws IOException {
        watch("birth_height", 1);
        pay(COLD, 1_000);
        stopDaemon();
        for (String file : List.of("books.db", "books.db-wal", "books.db-shm")) {
            Files.deleteIfExists(folder.resolve(file));
        }
        restart();
        rig.awaitHistories();
        assertThat(amounts("address", COLD.address)).containsExactly(1_000L);
    }
}
