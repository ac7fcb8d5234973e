package org.chainwalletd.coins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.follow.Precedence;
import org.chainwalletd.node.ForwardingNodeClient;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.HistoryCursor;
import org.chainwalletd.store.books.HistoryEntry;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Coins;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.DistortingNode;
import org.chainwalletd.testkit.FollowRig;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class CoinLedgerTest {
    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @TempDir
    Path folder;

    private DistortingNode node;
    private FollowRig rig;
    private LedgerBooks books;
    private CoinLedger ledger;
    private final List<Address> fresh = List.of(address(1), address(2), address(3));

    private static Address address(int number) {
        byte[] bytes = new byte[Address.LENGTH];
        bytes[0] = (byte) number;
        return Address.of(bytes);
    }

    @BeforeEach
    void begin() {
        node = new DistortingNode(chain.uri());
        start();
        Await.result(ledger.watchOld(List.of(chain.node().minerAddress())));
    }

    private void start() {
        rig = new FollowRig(folder, List.of(new LedgerBook()), node.url());
        books = new LedgerBooks(rig.books());
        ledger = new CoinLedger(books, rig.follower(), rig.executor());
        awaitTip();
    }

    private void stop() {
        rig.close();
    }

    @AfterEach
    void end() {
        stop();
        node.close();
    }

    private void awaitFullyScanned() {
        Await.until("no rescan is pending", () -> rig.follower().isFullyScanned());
    }

    private void awaitTip() {
        rig.awaitTip(chain.node().tip().id());
    }

    private void watchFresh() {
        fresh.forEach(address -> Await.result(ledger.watchFresh(address)));
    }

    private LedgerSnapshot snapshot(List<Address> addresses) {
        return Await.result(ledger.snapshot(addresses)).orElseThrow();
    }

    private Amount balance(Address address) {
        return Await.result(ledger.balances(List.of(address)))
                .orElseThrow()
                .get(0)
                .orElseThrow();
    }

    private void awaitCovered(Address address) {
        Await.until("the address is covered", () -> snapshot(List.of(address)).covers(address));
    }

    private void assertLedgerEqualsTheNode(List<Address> addresses) {
        LedgerSnapshot snapshot = snapshot(addresses);
        for (Address address : addresses) {
            NodeClient.UtxoListing listing = Await.result(rig.client().addressUtxos(address));
            assertThat(snapshot.listing(address).utxos()).isEqualTo(listing.utxos());
            assertThat(snapshot.listing(address).truncated()).isEqualTo(listing.truncated());
            assertThat(balance(address)).isEqualTo(Await.result(rig.client().balance(address)));
        }
    }

    @Test
    void a_fresh_key_is_covered_at_once_and_its_coins_come_from_blocks() {
        watchFresh();
        assertThat(snapshot(fresh).coins()).containsKeys(fresh.toArray(Address[]::new));
        chain.fund(fresh.get(0), 5_000);
        chain.fund(fresh.get(0), 6_000);
        awaitTip();

        assertThat(balance(fresh.get(0))).isEqualTo(Amount.of(11_000));
        assertLedgerEqualsTheNode(fresh);
    }

    @Test
    void coins_of_little_value_hide_none_that_can_be_spent_however_many_they_are() {
        watchFresh();
        Address payer = fresh.get(0);
        Coins.give(
                chain.node(),
                payer,
                LongStream.range(0, 1_020)
                        .map(i -> i % 51 == 0 ? 5_000 + i : 200)
                        .toArray());
        awaitTip();

        assertThat(snapshot(List.of(payer)).listing(payer).truncated()).isTrue();
        NodeClient.UtxoListing all = spendable(ledger.spendable(payer, 5_000));
        assertThat(all.utxos()).hasSize(1_020);
        assertThat(all.truncated()).isFalse();
        NodeClient.UtxoListing some = spendable(ledger.spendable(payer, 20));
        assertThat(some.truncated()).isTrue();
        assertThat(some.utxos())
                .extracting(coin -> coin.value().bits())
                .containsExactlyElementsOf(LongStream.rangeClosed(0, 19)
                        .map(i -> 5_000 + 51 * (19 - i))
                        .boxed()
                        .toList());
        Set<Outpoint> wanted =
                all.utxos().stream().map(NodeClient.Utxo::outpoint).limit(1_010).collect(Collectors.toSet());
        assertThat(spendable(ledger.spendable(payer, wanted)).utxos())
                .extracting(NodeClient.Utxo::outpoint)
                .containsExactlyInAnyOrderElementsOf(wanted);
    }

    private static NodeClient.UtxoListing spendable(CompletionStage<Optional<NodeClient.UtxoListing>> listed) {
        return Await.result(listed).orElseThrow();
    }

    @Test
    void an_old_key_is_covered_by_a_rescan_that_begins_by_itself_and_what_it_spends_later_is_known() {
        Address miner = chain.node().minerAddress();
        chain.mine(2);
        awaitCovered(miner);
        chain.fund(fresh.get(0), 5_000);
        chain.mine(3);
        awaitTip();

        assertLedgerEqualsTheNode(List.of(miner));
    }

    @Test
    void an_old_key_stays_covered_when_blocks_that_its_rescan_has_read_go() {
        Address miner = chain.node().minerAddress();
        chain.mine(2);
        awaitCovered(miner);
        chain.node().reorg(2);
        awaitTip();
        awaitCovered(miner);

        assertLedgerEqualsTheNode(List.of(miner));
    }

    @Test
    void after_random_reorganisations_and_restarts_the_ledger_is_that_of_the_chain() {
        Random random = Seeded.random("ledger");
        int chains = Integer.getInteger("follow.chains", 3);
        watchFresh();
        for (int i = 0; i < chains; i++) {
            HangWatch.alive();
            for (int step = 0; step < 8; step++) {
                act(random);
            }
            awaitTip();
            chain.mine(2);
            awaitTip();
            List<Address> all = new ArrayList<>(fresh);
            all.add(chain.node().minerAddress());
            awaitCovered(chain.node().minerAddress());
            assertLedgerEqualsTheNode(all);
        }
    }

    private void act(Random random) {
        switch (random.nextInt(5)) {
            case 0 -> chain.mine(1 + random.nextInt(8));
            case 1 ->
                chain.node()
                        .reorg(1
                                + random.nextInt(
                                        (int) Math.min(50, chain.node().tip().height() - 1)));
            case 2 -> {
                stop();
                start();
            }
            default -> chain.fund(fresh.get(random.nextInt(fresh.size())), 1_000 + random.nextInt(10_000));
        }
    }

    @Test
    void a_rescan_finds_what_was_paid_before_the_books_began_and_joins_at_the_head() {
        stop();
        Address shop = address(9);
        chain.fund(shop, 8_000);
        chain.mine(20);
        folder = folder.resolve("later");
        start();
        Await.result(ledger.watchOld(List.of(shop)));
        long base = rig.follower().tip().orElseThrow().height();
        assertThat(Await.result(rig.follower().rescan(0))).isPresent();
        chain.mine(1);
        Await.until("the rescan has joined", () -> !historyOf(shop).isEmpty());
        awaitTip();

        assertThat(historyOf(shop)).extracting(HistoryEntry::height).containsExactly(11L);
        assertThat(base).isGreaterThanOrEqualTo(31L);
        Await.until("nothing is pending", () -> rig.follower().rescan().isEmpty());
        assertThat(balance(shop)).isEqualTo(Amount.of(8_000));
        chain.node().reorg(25);
        awaitTip();
        assertLedgerEqualsTheNode(List.of(shop));
    }

    /** Stops rescans at this block until it is changed; the head is above it. */
    private void holdRescansAt(long height) {
        node.refuse("get_block", params -> params.path("height").longValue() == height ? "not now" : null);
    }

    private LedgerBooks.Watched watched(Address address) {
        return Await.result(books.find(address)).orElseThrow();
    }

    @Test
    void a_rescan_continues_after_a_restart_in_its_middle() {
        chain.fund(address(9), 8_000);
        chain.mine(300);
        awaitTip();
        awaitFullyScanned();
        holdRescansAt(290);
        OptionalLong left = Await.result(ledger.watchOld(List.of(address(9))));
        assertThat(left.orElseThrow())
                .isBetween(300L, rig.follower().tip().orElseThrow().height());
        Await.until("most is read", () -> rig.follower().rescan().orElseThrow().height() >= 200);
        assertThat(snapshot(List.of(address(9))).covers(address(9))).isFalse();
        stop();
        start();
        Await.until("it goes on where it stood", () -> rig.follower().rescan().isPresent());
        assertThat(rig.follower().rescan().orElseThrow().height()).isGreaterThanOrEqualTo(200);
        assertThat(rig.follower().isFullyScanned()).isFalse();

        node.tellTheTruth();
        awaitCovered(address(9));
        assertThat(balance(address(9))).isEqualTo(Amount.of(8_000));
    }

    @Test
    void keys_that_come_at_once_or_while_a_rescan_runs_share_the_next_one() {
        List<Address> shops = List.of(address(9), address(10), address(11));
        shops.forEach(shop -> chain.fund(shop, 8_000));
        chain.mine(30);
        awaitTip();
        awaitFullyScanned();
        holdRescansAt(20);
        Await.result(ledger.watchOld(shops.subList(0, 1)));
        long first = rig.follower().rescan().orElseThrow().scan();
        long tip = rig.follower().tip().orElseThrow().height();
        CompletionStage<OptionalLong> second = ledger.watchOld(shops.subList(1, 2));
        CompletionStage<OptionalLong> third = ledger.watchOld(shops.subList(2, 3));
        assertThat(Await.result(second).orElseThrow()).isBetween(tip + 1, 2 * tip);
        assertThat(Await.result(third).orElseThrow()).isBetween(tip + 1, 2 * tip);
        Await.result(rig.follower().rescan(5));

        node.tellTheTruth();
        shops.forEach(this::awaitCovered);
        awaitFullyScanned();
        Optional<String> last = Await.result(rig.books().read(session -> BlockRows.fact(session.head(), "last_scan")));
        assertThat(last).as("two rescans in all").contains(Long.toString(first + 1));
        assertLedgerEqualsTheNode(shops);
    }

    @Test
    void a_rescan_of_a_chain_that_is_reorganised_below_it_and_above_it_covers_what_the_new_chain_has() {
        Address shop = address(9);
        chain.fund(shop, 8_000);
        chain.mine(30);
        awaitTip();
        awaitFullyScanned();
        holdRescansAt(35);
        Await.result(ledger.watchOld(List.of(shop)));
        Await.until("most is read", () -> rig.follower().rescan().orElseThrow().height() >= 12);

        chain.node().reorg(20);
        chain.fund(shop, 9_000);
        node.tellTheTruth();
        awaitTip();
        awaitCovered(shop);
        assertLedgerEqualsTheNode(List.of(shop));
        chain.node().reorg(3);
        chain.mine(1);
        awaitTip();
        assertLedgerEqualsTheNode(List.of(shop));
    }

    @Test
    void a_key_that_is_drawn_before_any_block_is_known_is_no_younger_than_the_chain() {
        stop();
        folder = folder.resolve("blank");
        node.refuse("get_block_height", params -> "not now");
        rig = new FollowRig(folder, List.of(new LedgerBook()), node.url());
        books = new LedgerBooks(rig.books());
        ledger = new CoinLedger(books, rig.follower(), rig.executor());
        Address early = address(9);
        Await.result(ledger.watchFresh(early));
        chain.fund(early, 8_000);
        chain.mine(50);

        assertThat(watched(early).isCovered()).isFalse();
        node.tellTheTruth();
        awaitTip();
        awaitCovered(early);
        assertThat(balance(early)).isEqualTo(Amount.of(8_000));
    }

    @Test
    void a_history_ascends_and_continues_after_its_cursor() {
        watchFresh();
        Address shop = fresh.get(0);
        chain.fund(shop, 1_000);
        chain.fund(shop, 2_000);
        chain.fund(shop, 3_000);
        awaitTip();
        List<HistoryEntry> all = historyOf(shop);
        LedgerBooks.History first =
                Await.result(ledger.history(shop, 0, Optional.empty(), 1)).orElseThrow();
        Optional<HistoryCursor> after =
                HistoryCursor.parse(first.next().orElseThrow().text());
        LedgerBooks.History second =
                Await.result(ledger.history(shop, 0, after, 1)).orElseThrow();

        assertThat(after).isEqualTo(first.next());
        assertThat(first.entries()).containsExactly(all.get(0));
        assertThat(all).extracting(HistoryEntry::height).containsExactly(11L, 12L, 13L);
        assertThat(second.entries()).containsExactly(all.get(1));
    }

    @Test
    void a_covered_address_is_read_without_a_scan_and_paid_from_when_the_node_refuses() {
        watchFresh();
        chain.fund(fresh.get(0), 5_000);
        awaitTip();
        chain.node().faults().quota(true);
        Address stranger = address(7);
        LedgerReads reads = new LedgerReads(rig.client(), ledger, rig.executor());
        LedgerSpends spends = new LedgerSpends(rig.client(), ledger, false, rig.executor());
        for (int i = 0; i < 40; i++) {
            assertThat(Await.result(reads.balance(fresh.get(0)))).isEqualTo(Amount.of(5_000));
        }
        for (int i = 0; i < 40; i++) {
            assertThat(Await.result(spends.addressUtxos(fresh.get(0))).utxos()).hasSize(1);
        }

        assertThat(reads.balance(stranger).toCompletableFuture()).failsWithin(Duration.ofSeconds(60));
        assertThat(spends.addressUtxos(stranger).toCompletableFuture()).failsWithin(Duration.ofSeconds(60));
    }

    @Test
    void a_balance_is_refused_while_the_only_node_does_not_show_the_blocks_that_it_reports() {
        watchFresh();
        chain.fund(fresh.get(0), 5_000);
        awaitTip();
        LedgerReads reads = new LedgerReads(rig.client(), ledger, rig.executor());
        node.lieAbout(
                "get_block_height",
                tip -> tip.put("height", tip.path("height").asLong() + 5).put("block_id", "aa".repeat(32)));
        Await.until("its tip is ignored", () -> ledger.precedence() == Precedence.NEITHER);
        assertThat(ledger.isBehind()).isTrue();

        assertThatThrownBy(() -> Await.result(reads.balance(fresh.get(0))))
                .hasMessageContaining("the nodes report more blocks without showing them");
        node.tellTheTruth();
        assertThat(Await.result(reads.balance(fresh.get(0)))).isEqualTo(Amount.of(5_000));
    }

    @Test
    void a_balance_is_read_without_a_node_of_our_chain_only_while_the_books_are_not_behind() {
        watchFresh();
        chain.fund(fresh.get(0), 5_000);
        awaitTip();
        NodeClient ofAnotherChain = new ForwardingNodeClient(rig.client()) {
            @Override
            public CompletionStage<NodeClient.Tip> tip() {
                return CompletableFuture.failedStage(new NodeException.WrongChain("of another chain"));
            }

            @Override
            public NodeClient patient(Duration time) {
                return this;
            }
        };
        LedgerReads reads = new LedgerReads(ofAnotherChain, ledger, rig.executor());
        assertThat(Await.result(reads.balance(fresh.get(0)))).isEqualTo(Amount.of(5_000));

        node.lieAbout(
                "get_block_height",
                tip -> tip.put("height", tip.path("height").asLong() + 5).put("block_id", "aa".repeat(32)));
        Await.until("the books are behind", () -> ledger.isBehind());
        assertThatThrownBy(() -> Await.result(reads.balance(fresh.get(0)))).hasMessageContaining("of another chain");
    }

    private List<HistoryEntry> historyOf(Address address) {
        return Await.result(books.history(address, 0, Long.MAX_VALUE, Optional.empty(), 100))
                .map(LedgerBooks.History::entries)
                .orElse(List.of());
    }

    @Test
    void coins_and_verified_outputs_are_known_without_a_node() {
        watchFresh();
        chain.fund(fresh.get(1), 7_000);
        awaitTip();
        var coin = snapshot(fresh).listing(fresh.get(1)).utxos().get(0);

        assertThat(Await.result(books.verified(Set.of(coin.outpoint())))
                        .get(coin.outpoint())
                        .value())
                .isEqualTo(Amount.of(7_000));
    }
}
