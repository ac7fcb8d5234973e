package org.chainwalletd.follow;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Difficulty;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Conditions under which the followed chain is known to be the operator's (decisions.md, 8h). */
class VerifiedChainTest {
    private static final int TIP = 30;
    private static final int BASE = 20;

    @TempDir
    Path folder;

    private final List<BlockHeader> chain = chain(TIP, 0);

    /** Creates linked headers from height 0 on. */
    static List<BlockHeader> chain(int tip, long nonce) {
        List<BlockHeader> headers = new ArrayList<>();
        Hash256 parent = Hash256.ZERO;
        for (int height = 0; height <= tip; height++) {
            BlockHeader header = new BlockHeader(
                    BlockHeader.VERSION,
                    height,
                    parent,
                    1_700_000_000L + 10L * height,
                    Difficulty.EASIEST,
                    nonce,
                    Hash256.ZERO,
                    Hash256.ZERO);
            headers.add(header);
            parent = header.id();
        }
        return headers;
    }

    private BlockPlace place(int height) {
        return new BlockPlace(height, chain.get(height).id());
    }

    private List<BlockRow> rows() {
        return chain.subList(BASE, TIP + 1).stream()
                .map(header -> HeaderCheck.row(header, true))
                .toList();
    }

    private static FollowerSetup.Rules rules(Optional<Hash256> genesis, Optional<BlockPlace> checkpoint) {
        return new FollowerSetup.Rules(true, genesis, checkpoint, Optional.empty(), true);
    }

    @Test
    void a_chain_is_verified_by_the_named_genesis_or_checkpoint_that_its_headers_stand_on() {
        Optional<Hash256> genesis = Optional.of(chain.get(0).id());
        FollowerSetup.Rules unnamed = rules(Optional.empty(), Optional.of(place(7)));
        FollowerSetup.Rules named = rules(genesis, Optional.empty());
        FollowerSetup.Rules marked = rules(genesis, Optional.of(place(7)));
        FollowerSetup.Rules other = rules(Optional.of(chain(TIP, 1).get(0).id()), Optional.empty());

        for (BlockPlace ancestor : List.of(place(0), place(7), place(20))) {
            assertThat(unnamed.unverified(Network.MAINNET, ancestor).orElseThrow())
                    .contains("no --expect-genesis");
            assertThat(unnamed.unverified(Network.DEVNET, ancestor)).isEmpty();
            assertThat(unnamed.linkedFrom(Network.MAINNET, ancestor)).isEmpty();
        }
        assertThat(named.unverified(Network.TESTNET, place(0))).isEmpty();
        assertThat(named.linkedFrom(Network.TESTNET, place(0))).isEmpty();
        assertThat(named.unverified(Network.MAINNET, place(7)).orElseThrow()).contains("down to block 7");
        assertThat(named.linkedFrom(Network.MAINNET, place(7))).contains(1L);
        assertThat(marked.unverified(Network.MAINNET, place(7))).isEmpty();
        assertThat(marked.unverified(Network.MAINNET, place(20))).isPresent();
        assertThat(marked.linkedFrom(Network.MAINNET, place(20))).contains(8L);
        assertThat(other.unverified(Network.MAINNET, place(0)).orElseThrow()).contains("of another chain");
    }

    @Test
    void books_of_another_chain_are_not_read_again_indefinitely() {
        FollowerSetup.Rules other = rules(Optional.of(chain(TIP, 1).get(0).id()), Optional.of(place(7)));

        assertThat(other.linkedFrom(Network.MAINNET, place(0))).isEmpty();
    }

    @Test
    void a_rescan_that_joins_links_the_chain_to_the_parent_of_its_first_block() {
        try (Books file = Books.open(folder, List.of())) {
            Bookkeeping books = begun(file, FollowerSetup.Rules.DEFAULT, Optional.of(1L));
            long scan = scan(books);

            Bookkeeping.Scanned low =
                    Await.result(books.connectScan(scan, blocks(1, 9))).orElseThrow();
            assertThat(low.ancestor()).contains(place(BASE));
            Bookkeeping.Scanned met =
                    Await.result(books.connectScan(scan, blocks(10, TIP))).orElseThrow();

            assertThat(met.joined()).isTrue();
            assertThat(met.ancestor()).contains(place(0));
            assertThat(Await.result(books.load()).ancestor()).contains(place(0));
        }
    }

    @Test
    void a_rescan_begins_by_itself_until_the_chain_is_linked_to_the_genesis_that_the_operator_names_even_later() {
        FollowerSetup.Rules named = rules(Optional.of(chain.get(0).id()), Optional.empty());
        try (Books file = Books.open(folder, List.of())) {
            begun(file, FollowerSetup.Rules.DEFAULT, Optional.empty());
            assertThat(Await.result(new Bookkeeping(file, List.of(), FollowerSetup.Rules.DEFAULT).pendingScan())
                            .scan())
                    .isEmpty();

            Bookkeeping books = new Bookkeeping(file, List.of(), named);
            Bookkeeping.Pending pending = Await.result(books.pendingScan());
            assertThat(pending.scan().orElseThrow().fromHeight()).isEqualTo(1);
            assertThat(pending.next()).isEmpty();
            Await.result(books.connectScan(scan(books), blocks(1, TIP)));

            assertThat(Await.result(books.pendingScan()).scan()).isEmpty();
        }
    }

    @Test
    void no_rescan_begins_by_itself_where_the_operator_wants_only_what_comes() {
        FollowerSetup.Rules now = new FollowerSetup.Rules(
                true, Optional.of(chain.get(0).id()), Optional.empty(), Optional.empty(), false);
        try (Books file = Books.open(folder, List.of())) {
            Bookkeeping books = begun(file, now, Optional.empty());

            assertThat(Await.result(books.pendingScan()).scan()).isEmpty();
        }
    }

    @Test
    void a_walk_that_leaves_blocks_out_links_no_further_than_to_the_last_one_that_it_left_out() {
        try (Books file = Books.open(folder, List.of())) {
            Bookkeeping books = begun(file, FollowerSetup.Rules.DEFAULT, Optional.of(1L));
            long scan = scan(books);
            List<Bookkeeping.Entry> some = new ArrayList<>(blocks(1, 5));
            some.addAll(blocks(7, 9));
            Await.result(books.connectScan(scan, some));
            Bookkeeping.Scanned met =
                    Await.result(books.connectScan(scan, blocks(12, TIP))).orElseThrow();

            assertThat(met.joined()).isTrue();
            assertThat(met.ancestor()).contains(place(11));
        }
    }

    @Test
    void a_walk_that_steps_back_below_what_it_stands_on_stands_on_its_last_block() {
        List<BlockHeader> fork = chain(TIP, 1);
        try (Books file = Books.open(folder, List.of())) {
            Bookkeeping books = begun(file, FollowerSetup.Rules.DEFAULT, Optional.of(1L));
            long scan = scan(books);
            Await.result(books.connectScan(scan, blocks(1, 5)));
            Await.result(books.connectScan(scan, blocks(fork, 8, 9)));
            Await.result(books.undoScan(scan, 5));
            Bookkeeping.Scanned met =
                    Await.result(books.connectScan(scan, blocks(6, TIP))).orElseThrow();

            assertThat(met.ancestor()).contains(place(5));
        }
    }

    @Test
    void a_walk_from_below_the_checkpoint_leaves_the_chain_linked_to_it() {
        FollowerSetup.Rules marked = rules(Optional.of(chain.get(0).id()), Optional.of(place(7)));
        try (Books file = Books.open(folder, List.of())) {
            Bookkeeping books = begun(file, marked, Optional.of(3L));
            Bookkeeping.Scanned met =
                    Await.result(books.connectScan(scan(books), blocks(3, TIP))).orElseThrow();
            assertThat(met.ancestor()).contains(place(7));

            Await.result(books.beginScan(2));
            Bookkeeping.Scanned again =
                    Await.result(books.connectScan(scan(books), blocks(2, TIP))).orElseThrow();
            assertThat(again.ancestor()).contains(place(7));

            Await.result(books.beginScan(1));
            Bookkeeping.Scanned whole =
                    Await.result(books.connectScan(scan(books), blocks(1, TIP))).orElseThrow();
            assertThat(marked.unverified(Network.MAINNET, whole.ancestor().orElseThrow()))
                    .isEmpty();
        }
    }

    @Test
    void a_chain_that_begins_again_stands_on_its_own_lowest_block() {
        try (Books file = Books.open(folder, List.of())) {
            Bookkeeping books = new Bookkeeping(file, List.of(), FollowerSetup.Rules.DEFAULT);
            Await.result(books.begin(rows(), place(0), Network.MAINNET, Optional.empty()));
            Await.result(books.replaceChain(rows().subList(3, 6), place(BASE + 3)));

            assertThat(Await.result(books.load()).ancestor()).contains(place(BASE + 3));
        }
    }

    private Bookkeeping begun(Books file, FollowerSetup.Rules rules, Optional<Long> from) {
        Bookkeeping books = new Bookkeeping(file, List.of(), rules);
        Await.result(books.begin(rows(), place(BASE), Network.MAINNET, from));
        return books;
    }

    private static long scan(Bookkeeping books) {
        return Await.result(books.pendingScan()).scan().orElseThrow().scan();
    }

    private List<Bookkeeping.Entry> blocks(int from, int to) {
        return blocks(chain, from, to);
    }

    private static List<Bookkeeping.Entry> blocks(List<BlockHeader> headers, int from, int to) {
        return headers.subList(from, to + 1).stream()
                .map(header -> new Bookkeeping.Entry(new ChainBlock(header, header.id(), List.of()), true))
                .toList();
    }
}
