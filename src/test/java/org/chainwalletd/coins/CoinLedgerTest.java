package org.chainwalletd.coins;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.books.HistoryEntry;
import org.chainwalletd.store.books.LedgerBooks;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DevnetExtension;
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

    private Duration coveringAgainAfter = Duration.ofSeconds(5);
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
        start();
        Await.result(books.watchMissing(List.of(chain.node().minerAddress())));
    }

    private void start() {
        rig = new FollowRig(folder, List.of(new LedgerBook()), chain.uri());
        books = new LedgerBooks(rig.books());
        ledger = new CoinLedger(books, rig.follower(), rig.executor());
        VerifiedOutputs outputs = new VerifiedOutputs(
                ChainProfile.of("chain"),
                List.of(new LedgerOutputs(books, rig.executor())),
                rig.client(),
                rig.executor(),
                new SimpleMeterRegistry());
        rig.kit()
                .spawn(Coverage.create(
                        books, rig.follower(), rig.client(), outputs, coveringAgainAfter, rig.executor()));
        awaitTip();
    }

    /** For tests that wait for it. */
    private void coverQuickly() {
        stop();
        coveringAgainAfter = Duration.ofMillis(50);
        start();
    }

    @AfterEach
    void stop() {
        rig.close();
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
        assertThat(snapshot(fresh).covers(fresh)).isTrue();
        chain.fund(fresh.get(0), 5_000);
        chain.fund(fresh.get(0), 6_000);
        awaitTip();

        assertThat(balance(fresh.get(0))).isEqualTo(Amount.of(11_000));
        assertLedgerEqualsTheNode(fresh);
    }

    @Test
    void an_old_key_is_covered_by_one_listing_and_what_it_spends_later_is_known() {
        coverQuickly();
        Address miner = chain.node().minerAddress();
        chain.mine(2);
        awaitCovered(miner);
        chain.fund(fresh.get(0), 5_000);
        chain.mine(3);
        awaitTip();

        assertLedgerEqualsTheNode(List.of(miner));
    }

    @Test
    void an_old_key_is_uncovered_when_the_block_of_its_listing_goes_and_is_listed_again() {
        coverQuickly();
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
        coverQuickly();
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

    @Test
    void a_rescan_goes_on_after_a_restart() {
        chain.mine(300);
        awaitTip();
        Address shop = address(9);
        Await.result(ledger.watchOld(List.of(shop)));
        assertThat(Await.result(rig.follower().rescan(0))).isPresent();
        stop();
        start();
        Await.until(
                "the rescan has joined",
                () -> Await.result(books.find(shop)).orElseThrow().historyFrom() <= 1);
    }

    @Test
    void a_history_ascends_and_goes_on_after_its_cursor() {
        watchFresh();
        Address shop = fresh.get(0);
        chain.fund(shop, 1_000);
        chain.fund(shop, 2_000);
        chain.fund(shop, 3_000);
        awaitTip();
        List<HistoryEntry> all = historyOf(shop);
        HistoryEntry.Position after =
                HistoryEntry.Position.parse(all.get(0).position().text());

        assertThat(all).extracting(HistoryEntry::height).containsExactly(11L, 12L, 13L);
        assertThat(Await.result(ledger.history(shop, 0, Optional.of(after), 1))).containsExactly(all.get(1));
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

        assertThat(reads.balance(stranger).toCompletableFuture()).failsWithin(Duration.ofSeconds(10));
        assertThat(spends.addressUtxos(stranger).toCompletableFuture()).failsWithin(Duration.ofSeconds(10));
    }

    private List<HistoryEntry> historyOf(Address address) {
        return Await.result(books.history(address, 0, Long.MAX_VALUE, Optional.empty(), 100));
    }

    @Test
    void coins_and_verified_outputs_are_known_without_a_node() {
        watchFresh();
        chain.fund(fresh.get(1), 7_000);
        awaitTip();
        var coin = snapshot(fresh).listing(fresh.get(1)).utxos().get(0);

        assertThat(Await.result(new LedgerOutputs(books, rig.executor()).find(java.util.Set.of(coin.outpoint())))
                        .get(coin.outpoint())
                        .value())
                .isEqualTo(Amount.of(7_000));
    }
}
