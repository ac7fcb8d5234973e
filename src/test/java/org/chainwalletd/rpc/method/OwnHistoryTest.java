package org.chainwalletd.rpc.method;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.U64;
import org.chainwalletd.coins.CoinLedger;
import org.chainwalletd.coins.LedgerBook;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Coins;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.DistortingNode;
import org.chainwalletd.testkit.FollowRig;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code get_address_history} of addresses that the books know in part, with and without an indexer. */
class OwnHistoryTest {
    /** Heights of the two payments before the books begin, and of the two after. */
    private static final List<Long> EARLY = List.of(11L, 12L);

    private static final List<Long> ALL = List.of(11L, 12L, 13L, 14L);
    private static final Party OWNER = new Party(7);
    private static final Address SHOP = OWNER.address;
    private static final Address STRANGER = Address.parse("78".repeat(32));

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @TempDir
    Path folder;

    @AutoClose
    private DistortingNode node;

    @AutoClose
    private FollowRig rig;

    private final List<IndexerRig> opened = new ArrayList<>();
    private final Set<Address> watched = new HashSet<>(Set.of(SHOP));
    private LedgerBooks books;
    private CoinLedger ledger;

    @BeforeEach
    void pay() {
        node = new DistortingNode(chain.uri());
        chain.fund(SHOP, 1_000);
        chain.fund(SHOP, 2_000);
        rig = new FollowRig(folder, List.of(new LedgerBook()), node.url());
        books = new LedgerBooks(rig.books());
        ledger = new CoinLedger(books, rig.follower(), rig.executor());
        awaitTip();
        watch(SHOP, OptionalLong.empty());
        chain.fund(SHOP, 3_000);
        chain.fund(SHOP, 4_000);
        awaitTip();
    }

    @AfterEach
    void close() {
        opened.forEach(IndexerRig::close);
    }

    private void awaitTip() {
        rig.awaitTip(chain.node().tip().id());
    }

    private void watch(Address address, OptionalLong birth) {
        Await.result(books.settleWatchOnly(Map.of(address, birth), List.of(), any -> false));
    }

    private void readAll() {
        watch(SHOP, OptionalLong.of(0));
        Await.result(ledger.readHistories());
        Await.until("the rescan has joined", () -> rig.follower().isFullyScanned());
    }

    private CallRig alone() {
        return calls();
    }

    private CallRig withIndexer() {
        return calls(chain.node().indexerUri());
    }

    private CallRig calls(URI... indexers) {
        opened.add(new IndexerRig(chain.uri(), Optional.empty(), indexers));
        return opened.get(opened.size() - 1).calls(new OwnHistory(ledger, watched::contains, rig.executor()));
    }

    private static Map<String, Object> of(Address address, Object... more) {
        Map<String, Object> params = new HashMap<>(Map.of("address", address.hex()));
        for (int i = 0; i < more.length; i += 2) {
            params.put((String) more[i], more[i + 1]);
        }
        return params;
    }

    private static JsonNode ask(CallRig calls, Object... more) {
        return calls.result("get_address_history", of(SHOP, more));
    }

    private static List<Long> heights(JsonNode page) {
        List<Long> heights = new ArrayList<>();
        page.get("history").forEach(row -> heights.add(row.get("block_height").longValue()));
        return heights;
    }

    private static void assertPartial(JsonNode page, long from, Long... rows) {
        assertPartialTo(14, page, from, rows);
    }

    private static void assertPartialTo(long to, JsonNode page, long from, Long... rows) {
        assertThat(heights(page)).containsExactly(rows);
        assertThat(page.path("complete_from").longValue()).isEqualTo(from);
        assertThat(page.get("last_indexed_height").longValue()).isEqualTo(to);
    }

    private static void assertWhole(JsonNode page, Long... rows) {
        assertThat(heights(page)).containsExactly(rows);
        assertThat(page.has("complete_from")).isFalse();
    }

    private static void assertOfTheBooks(JsonNode page, Long... rows) {
        assertWhole(page, rows);
        assertThat(page.path("last_indexed_height").longValue()).isEqualTo(14);
    }

    private static void assertOfTheIndexer(JsonNode page, Long... rows) {
        assertWhole(page, rows);
        assertThat(page.has("last_indexed_height")).isFalse();
    }

    private static void assertBadCursor(CallRig calls, Address address, Object cursor) {
        JsonNode error = calls.error("get_address_history", of(address, "cursor", cursor));
        assertThat(error.get("code").intValue()).as(error.toString()).isEqualTo(-32602);
        assertThat(error.get("message").textValue()).contains("`cursor`", "begin without it");
    }

    @Test
    void a_history_that_was_not_read_comes_from_the_indexer_or_says_from_where_on_it_is_complete() {
        assertPartial(ask(alone()), 13, 13L, 14L);
        assertOfTheIndexer(ask(withIndexer()), ALL.toArray(Long[]::new));
    }

    @Test
    void a_history_comes_from_the_books_only_if_it_was_read_as_a_whole() {
        CallRig alone = alone();
        CallRig withIndexer = withIndexer();
        assertOfTheIndexer(ask(withIndexer, "since_height", 13), 13L, 14L);
        assertOfTheIndexer(ask(withIndexer, "since_height", 12), 12L, 13L, 14L);
        assertPartial(ask(alone, "since_height", 14), 13, 14L);
        assertPartial(ask(alone, "since_height", 12), 13, 13L, 14L);

        readAll();
        assertOfTheBooks(ask(alone), ALL.toArray(Long[]::new));
        assertOfTheBooks(ask(withIndexer), ALL.toArray(Long[]::new));
        assertOfTheBooks(ask(withIndexer, "since_height", 13), 13L, 14L);
    }

    @Test
    void a_late_payment_of_an_early_coin_is_not_missing_from_a_list_that_counts_as_complete() {
        CallRig alone = alone();
        CallRig withIndexer = withIndexer();
        Outpoint early = Coins.of(chain.node(), SHOP, 11).keySet().iterator().next();
        chain.submit(OWNER.pay(chain.node().genesisId(), early, TxOutput.toAddress(STRANGER, Amount.of(500))));
        chain.mine(1);
        awaitTip();

        assertPartialTo(15, ask(alone, "since_height", 15), 13);
        assertOfTheIndexer(ask(withIndexer, "since_height", 15), 15L);
        readAll();
        assertWhole(ask(alone, "since_height", 15), 15L);
    }

    @Test
    void a_whole_list_does_not_go_on_when_the_coins_before_its_cursor_are_no_longer_known() {
        CallRig calls = alone();
        readAll();
        String cursor = ask(calls, "limit", 3).get("next_cursor").textValue();
        Await.result(books.settleWatchOnly(Map.of(), List.of(SHOP), any -> false));
        watch(SHOP, OptionalLong.of(12));
        Await.result(ledger.readHistories());
        Await.until("the rescan has joined", () -> rig.follower().isFullyScanned());

        assertBadCursor(calls, SHOP, cursor);
    }

    @Test
    void a_birth_that_a_caller_names_does_not_make_a_history_complete() {
        watch(SHOP, OptionalLong.of(12));
        Await.result(ledger.readHistories());
        Await.until("the rescan has joined", () -> rig.follower().isFullyScanned());

        assertPartial(ask(alone()), 12, 12L, 13L, 14L);
        assertOfTheIndexer(ask(withIndexer()), ALL.toArray(Long[]::new));
    }

    @Test
    void a_key_made_here_has_nothing_before_it() {
        Address fresh = Address.parse("79".repeat(32));
        Await.result(books.watch(List.of(fresh), true, 1));
        watched.add(fresh);

        JsonNode page = withIndexer().result("get_address_history", of(fresh));
        assertOfTheBooks(page);
    }

    @Test
    void no_row_is_missing_on_the_pages_of_either_source() {
        CallRig calls = withIndexer();
        JsonNode first = ask(calls, "limit", 2);
        assertOfTheIndexer(first, EARLY.toArray(Long[]::new));
        readAll();
        String cursor = first.get("next_cursor").textValue();
        assertOfTheIndexer(ask(calls, "limit", 2, "cursor", cursor), 13L, 14L);

        JsonNode own = ask(calls, "limit", 3);
        assertOfTheBooks(own, 11L, 12L, 13L);
        String ownCursor = own.get("next_cursor").textValue();
        assertOfTheBooks(ask(calls, "cursor", ownCursor), 14L);
        watched.clear();
        assertBadCursor(calls, SHOP, ownCursor);
        assertBadCursor(alone(), SHOP, ownCursor);
    }

    @Test
    void a_list_that_began_in_part_stays_one_after_the_rescan() {
        CallRig calls = alone();
        JsonNode first = ask(calls, "limit", 1);
        assertPartial(first, 13, 13L);
        readAll();

        assertPartial(ask(calls, "cursor", first.get("next_cursor").textValue()), 13, 14L);
    }

    @Test
    void a_list_does_not_go_on_over_a_replaced_block_or_a_history_that_was_begun_anew() {
        CallRig calls = alone();
        readAll();
        String early = ask(calls, "limit", 1).get("next_cursor").textValue();
        String late = ask(calls, "limit", 3).get("next_cursor").textValue();
        chain.node().reorg(2);
        awaitTip();

        assertBadCursor(calls, SHOP, late);
        assertThat(heights(ask(calls, "cursor", early))).first().isEqualTo(12L);

        Await.result(books.settleWatchOnly(Map.of(), List.of(SHOP), any -> false));
        assertBadCursor(calls, SHOP, early);
        watch(SHOP, OptionalLong.empty());
        assertBadCursor(calls, SHOP, early);
    }

    @Test
    void text_that_is_no_cursor_is_refused_with_and_without_an_indexer() {
        readAll();
        CallRig alone = alone();
        CallRig withIndexer = withIndexer();
        String good = ask(alone, "limit", 1).get("next_cursor").textValue();
        List<String> bad = List.of(
                "",
                "zz",
                "AAAA",
                "h1.",
                "-5:" + "00".repeat(32) + ":o",
                good + "0",
                good.replace("h1.", "h2."),
                good.replace("h1.1", "h1.-1"),
                good.replace("h1.1", "h1.99999999999999999999"),
                good.replace(":o:", ":x:"));
        for (CallRig calls : List.of(alone, withIndexer)) {
            for (String cursor : bad) {
                assertBadCursor(calls, SHOP, cursor);
            }
        }
        assertBadCursor(withIndexer, STRANGER, "zz");
        assertBadCursor(withIndexer, STRANGER, good);
    }

    @Test
    void a_height_beyond_every_chain_is_above_all_rows() {
        assertPartial(ask(alone(), "since_height", U64.MAX), 13);
        assertOfTheIndexer(ask(withIndexer(), "since_height", U64.MAX));
        readAll();
        assertOfTheBooks(ask(withIndexer(), "since_height", U64.MAX));
    }

    @Test
    void books_that_lag_leave_the_answer_to_the_indexer_and_otherwise_say_how_far_they_reach() {
        readAll();
        node.lieAbout("get_block_height", answer -> answer.put("height", 40).put("block_id", "ee".repeat(32)));
        Await.until("the lag is known", () -> ledger.isBehind());

        assertOfTheIndexer(ask(withIndexer()), ALL.toArray(Long[]::new));
        assertOfTheBooks(ask(alone()), ALL.toArray(Long[]::new));
    }

    @Test
    void before_the_first_block_there_is_no_answer() {
        node.close();
        rig.close();
        rig = new FollowRig(folder.resolve("new"), List.of(new LedgerBook()), URI.create("http://127.0.0.1:1"));
        books = new LedgerBooks(rig.books());
        ledger = new CoinLedger(books, rig.follower(), rig.executor());
        Await.result(books.watch(List.of(SHOP), true, 1));

        JsonNode error = alone().error("get_address_history", of(SHOP));
        assertThat(error.get("code").intValue()).isEqualTo(-32020);
        assertThat(error.get("message").textValue()).contains("no block is followed yet");
        assertOfTheIndexer(ask(withIndexer()), ALL.toArray(Long[]::new));
    }
}
