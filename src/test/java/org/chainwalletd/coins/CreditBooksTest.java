package org.chainwalletd.coins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.follow.ChainBlock;
import org.chainwalletd.follow.ChainBlock.ChainTransaction;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.Credit;
import org.chainwalletd.store.books.CreditCursor;
import org.chainwalletd.store.books.CreditEvent;
import org.chainwalletd.store.books.CreditEvent.Kind;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.store.books.CreditPruning;
import org.chainwalletd.store.books.CreditTable;
import org.chainwalletd.store.books.LedgerChange;
import org.chainwalletd.store.books.LedgerTable;
import org.chainwalletd.store.books.OwnCoin;
import org.chainwalletd.store.books.Page;
import org.chainwalletd.store.postgres.BooksPlaces;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Feed over real books: for any course of the chain, folding the events of a reader gives the chain's credits. */
class CreditBooksTest {
    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final int ROUNDS = Integer.getInteger("credits.rounds", 6);
    private static final int STEPS = 120;
    private static final int OWNED = 3;

    private final BooksPlaces places = places();

    @TempDir
    Path folder;

    private final Set<Address> owned = new HashSet<>();
    private final LedgerTable ledger = new LedgerTable();
    private final CreditTable table = new CreditTable(page -> owned::contains);
    private final CreditBook book = new CreditBook(PROFILE, table);
    private final List<ChainBlock> chain = new ArrayList<>();
    private final List<ChainBlock> stale = new ArrayList<>();
    private Books books;
    private CreditFeed feed;
    private long fresh;
    private long scans;

    BooksPlaces places() {
        return BooksPlaces.FILES;
    }

    /** Returns the feed that a reader asks next. */
    CreditFeed asked() {
        return feed;
    }

    /** Writes like the follower of the chain. */
    void write(Books.Work<Void> work) {
        Await.result(books.write(work));
    }

    /** Returns when every feed has reported everything up to this height. */
    void awaitTold(long height) {}

    @AfterEach
    void close() {
        if (books != null) {
            books.close();
        }
    }

    /** Reader with a cursor that books the reported credits. */
    private final class Reader {
        private final long depth;
        private final Optional<Address> address;
        private final Map<String, Credit> booked = new HashMap<>();
        private final Set<Long> numbers = new HashSet<>();
        private final Set<Outpoint> seen = new HashSet<>();
        private String cursor;
        private long last;

        Reader(long depth, Optional<Address> address) {
            this.depth = depth;
            this.address = address;
            this.cursor = CreditCursor.beginning(Await.result(feed.store()), depth, address)
                    .text();
        }

        /** Returns whether there is more. */
        boolean read(int limit) {
            String store = Await.result(feed.store());
            CreditCursor from =
                    CreditCursor.parse(cursor, store, depth, address).orElseThrow();
            CreditFeed.Batch batch = Await.result(asked().read(from, true, limit));
            assertThat(batch.events()).hasSizeLessThanOrEqualTo(limit);
            batch.events().forEach(this::book);
            cursor = batch.cursor().text();
            return batch.more();
        }

        void readAll() {
            int rounds = 0;
            while (read(7)) {
                assertThat(++rounds).isLessThan(10_000);
            }
        }

        private void book(CreditEvent event) {
            assertThat(numbers.add(event.number()))
                    .as("number %d", event.number())
                    .isTrue();
            assertThat(depth > 0 || event.number() > last)
                    .as("the log is told in its order: %d after %d", event.number(), last)
                    .isTrue();
            last = event.number();
            if (!event.credit().isInBlock()) {
                assertThat(depth)
                        .as("what is only seen is told in the log alone")
                        .isZero();
                bookSeen(event);
                return;
            }
            String key = event.credit().block() + "/" + event.credit().outpoint();
            if (event.confirmed()) {
                assertThat(booked.put(key, event.credit()))
                        .as("told twice: %s", key)
                        .isNull();
            } else {
                assertThat(booked.remove(key))
                        .as("removed what was not told: %s", key)
                        .isNotNull();
            }
        }

        private void bookSeen(CreditEvent event) {
            if (event.kind() == Kind.SEEN) {
                assertThat(seen.add(event.credit().outpoint())).isTrue();
            } else {
                assertThat(seen.remove(event.credit().outpoint())).isTrue();
            }
        }

        void assertExact() {
            long top = height() - Math.max(1, depth) + 1;
            Set<String> expected = new HashSet<>();
            for (ChainBlock block : chain) {
                if (block.height() <= top) {
                    book.connect(block, owned::contains).stream()
                            .filter(credit -> address.isEmpty() || address.get().equals(credit.address()))
                            .forEach(credit -> expected.add(credit.block() + "/" + credit.outpoint()));
                }
            }
            assertThat(booked.keySet()).as("depth %d", depth).isEqualTo(expected);
        }
    }

    @Test
    void folding_the_feed_gives_exactly_the_chains_credits() {
        Random random = Seeded.random("credits");
        for (int round = 0; round < ROUNDS; round++) {
            HangWatch.alive();
            history(random, folder.resolve("round-" + round));
            books.close();
        }
    }

    private void history(Random random, Path place) {
        chain.clear();
        stale.clear();
        owned.clear();
        owned.add(address(0));
        open(place);
        List<Reader> readers = List.of(
                new Reader(0, Optional.empty()),
                new Reader(1, Optional.empty()),
                new Reader(3, Optional.empty()),
                new Reader(0, Optional.of(address(0))),
                new Reader(2, Optional.of(address(1))));
        for (int step = 0; step < STEPS; step++) {
            move(random, place);
            if (random.nextInt(3) == 0) {
                readers.get(random.nextInt(readers.size())).read(1 + random.nextInt(9));
            }
        }
        for (int i = 0; i < 5; i++) {
            connect(block(random, 2));
        }
        awaitTold(height());
        readers.forEach(Reader::readAll);
        readers.forEach(Reader::assertExact);
    }

    private void move(Random random, Path place) {
        switch (random.nextInt(12)) {
            case 10 -> see(transaction(random));
            case 11 -> pending().stream().findFirst().ifPresent(this::lose);
            case 0, 1 -> undo(1 + random.nextInt(Math.min(6, Math.max(1, chain.size()))));
            case 2 -> rejoin();
            case 3 -> rescan(random.nextInt(OWNED));
            case 4 -> {
                books.close();
                open(place);
            }
            default -> connect(block(random, 4));
        }
    }

    private void open(Path place) {
        books = places.open(place, List.of(ledger, table));
        feed = new CreditFeed(books, this::tip);
    }

    private Optional<BlockPlace> tip() {
        return chain.isEmpty()
                ? Optional.empty()
                : Optional.of(chain.get(chain.size() - 1).place());
    }

    private long height() {
        return chain.size() - 1;
    }

    private void connect(ChainBlock block) {
        connect(block, true);
    }

    private void connect(ChainBlock block, boolean workChecked) {
        write(session -> {
            Page page = session.head();
            BlockRows.put(page, row(block, workChecked));
            enter(page, block);
            return null;
        });
        chain.add(block);
    }

    private void enter(Page page, ChainBlock block) {
        for (Credit credit : book.connect(block, table.view(page))) {
            OwnCoin coin = new OwnCoin(
                    credit.outpoint(), credit.address(), credit.amount(), block.height(), credit.coinbase());
            ledger.write(page, new LedgerChange.Created(coin));
            table.write(page, credit);
        }
    }

    private static BlockRow row(ChainBlock block, boolean workChecked) {
        return new BlockRow(block.height(), block.id(), block.parentId(), 0, block.target(), workChecked);
    }

    private void undo(int depth) {
        if (chain.size() <= depth) {
            return;
        }
        long to = height() - depth;
        write(session -> {
            ledger.undo(session.head(), to);
            table.undo(session.head(), to);
            BlockRows.undo(session.head(), to);
            return null;
        });
        stale.clear();
        while (height() > to) {
            stale.add(0, chain.remove(chain.size() - 1));
        }
    }

    /** Reconnects the branch that was left last. */
    private void rejoin() {
        for (ChainBlock block : stale) {
            if (block.height() == height() + 1
                    && block.parentId().equals(chain.get(chain.size() - 1).id())) {
                connect(block);
            }
        }
        stale.clear();
    }

    /** Adds an address of ours and reads its history. */
    private void rescan(int added) {
        owned.add(address(added));
        long scan = ++scans;
        write(session -> {
            Page page = session.page(scan);
            chain.forEach(block -> enter(page, block));
            ledger.join(page);
            table.join(page);
            return null;
        });
    }

    private void see(Transaction tx) {
        Hash256 txId = TransactionCodec.txId(PROFILE, tx);
        write(session -> {
            book.pending(txId, tx, table.view(session.head()))
                    .forEach(credit -> CreditTable.see(session.head(), credit));
            return null;
        });
    }

    private List<Hash256> pending() {
        return Await.result(books.read(session -> CreditTable.pending(session.head(), 100)));
    }

    private void lose(Hash256 txId) {
        write(session -> {
            CreditTable.lose(session.head(), txId);
            return null;
        });
    }

    /** Creates a block with these transactions. */
    private ChainBlock block(Transaction... transactions) {
        ChainBlock empty = block(new Random(0), 1);
        List<ChainTransaction> mined = new ArrayList<>();
        for (Transaction tx : transactions) {
            mined.add(new ChainTransaction(TransactionCodec.txId(PROFILE, tx), Optional.of(tx), false));
        }
        return new ChainBlock(empty.header(), empty.id(), mined);
    }

    private static Transaction paying(int previous, long... amounts) {
        return paying(address(0), previous, amounts);
    }

    private static Transaction paying(Address to, int previous, long... amounts) {
        byte[] id = new byte[32];
        id[0] = (byte) previous;
        List<TxOutput> outputs = new ArrayList<>();
        for (long amount : amounts) {
            outputs.add(TxOutput.toAddress(to, Amount.of(amount)));
        }
        return new Transaction(
                List.of(new Outpoint(Hash256.of(id), 0)), outputs, List.of(Witness.plain(key(5), new byte[64])));
    }

    private CreditFeed.NextPayment next(CreditCursor cursor, long least) {
        return Await.result(feed.payment(cursor, Amount.of(least)));
    }

    private CreditCursor now(long depth) {
        return Await.result(feed.now(depth, Optional.empty()));
    }

    private List<Kind> kinds(CreditCursor cursor) {
        return events(cursor).stream().map(CreditEvent::kind).toList();
    }

    private List<CreditEvent> events(CreditCursor cursor) {
        return Await.result(feed.read(cursor, false, 100)).events();
    }

    @Test
    void the_log_tells_seen_then_confirmed_then_removed_and_deeper_readers_hear_only_of_blocks() {
        start();
        CreditCursor log = now(0);
        CreditCursor deep = now(1);
        Transaction tx = paying(1, 500);
        see(tx);
        see(tx);
        connect(block(tx));
        see(tx);
        undo(1);
        see(tx);
        lose(TransactionCodec.txId(PROFILE, tx));

        assertThat(kinds(log)).containsExactly(Kind.SEEN, Kind.CONFIRMED, Kind.REMOVED, Kind.SEEN, Kind.REMOVED);
        assertThat(events(deep)).isEmpty();
    }

    @Test
    void a_reader_who_begins_now_during_a_reorganisation_is_told_the_credits_of_the_new_branch() {
        owned.add(address(0));
        open(folder);
        while (height() < 1_001) {
            connect(block());
        }
        Optional<BlockPlace> before = tip();
        undo(6);
        CreditFeed late = new CreditFeed(books, () -> before);
        List<CreditCursor> cursors = new ArrayList<>();
        for (long depth = 0; depth < 4; depth++) {
            cursors.add(Await.result(late.now(depth, Optional.empty())));
        }
        connect(block());
        connect(block());
        connect(block(paying(1, 500)));
        while (height() < 1_001) {
            connect(block());
        }

        for (CreditCursor now : cursors) {
            assertThat(events(now))
                    .as("depth %d", now.depth())
                    .extracting(event -> event.credit().block().height())
                    .containsExactly(998L);
        }
    }

    @Test
    void a_reader_who_begins_now_is_not_told_what_happened_before_a_block_came_back() {
        start();
        Optional<BlockPlace> before = tip();
        connect(block(paying(1, 500)));
        undo(1);
        CreditCursor undone = now(0);
        rejoin();

        CreditFeed late = new CreditFeed(books, () -> before);
        assertThat(Await.result(late.now(0, Optional.empty()))).isEqualTo(undone);
        assertThat(kinds(undone)).containsExactly(Kind.CONFIRMED);
    }

    @Test
    void the_height_of_a_tip_that_is_off_the_chain_does_not_tell_blocks_whose_work_is_not_checked() {
        start();
        CreditCursor log = Await.result(feed.now(0, Optional.of(address(0))));
        CreditCursor deep = now(1);
        while (height() < 200) {
            connect(block());
        }
        Optional<BlockPlace> before = tip();
        undo(50);
        connect(block(paying(1, 500)), false);
        while (height() < 220) {
            connect(block(), false);
        }
        CreditFeed late = new CreditFeed(books, () -> before);

        assertThat(List.of(log, deep))
                .allSatisfy(cursor -> assertThat(
                                Await.result(late.read(cursor, false, 100)).events())
                        .as("depth %d", cursor.depth())
                        .isEmpty());
        assertThat(Await.result(late.payment(log, Amount.ZERO)).payment()).isEmpty();
        while (height() < 320) {
            connect(block());
        }
        assertThat(Await.result(late.payment(log, Amount.ZERO)).payment())
                .map(CreditFeed.Payment::height)
                .contains(Optional.of(151L));
    }

    /** Follows a first block, with one address of ours. */
    private void start() {
        owned.add(address(0));
        open(folder);
        connect(block());
    }

    /** Begins to follow at a first block. */
    private void begin() {
        start();
        write(session -> {
            table.begin(session.head(), height());
            return null;
        });
    }

    @Test
    void credits_of_blocks_that_nobody_was_told_of_are_told_to_nobody_after_they_were_undone() {
        begin();
        Optional<BlockPlace> told = tip();
        feed = new CreditFeed(books, () -> told);
        CreditCursor log = now(0);
        CreditCursor deep = now(1);
        Transaction waiting = paying(1, 500);
        see(waiting);

        for (int i = 0; i < 2; i++) {
            connect(block(waiting, paying(2 + i, 600)), false);
            undo(1);

            see(waiting);
            assertThat(kinds(log)).containsExactly(Kind.SEEN);
            assertThat(events(deep)).isEmpty();
        }

        lose(TransactionCodec.txId(PROFILE, waiting));
        assertThat(kinds(log)).containsExactly(Kind.SEEN, Kind.REMOVED);
        connect(block(waiting));
        feed = new CreditFeed(books, this::tip);
        assertThat(kinds(log)).containsExactly(Kind.SEEN, Kind.REMOVED, Kind.CONFIRMED);
        assertThat(kinds(deep)).containsExactly(Kind.CONFIRMED);
    }

    @Test
    void credits_of_many_blocks_whose_work_was_not_checked_are_told_to_nobody_after_they_were_undone() {
        begin();
        Optional<BlockPlace> told = tip();
        feed = new CreditFeed(books, () -> told);
        CreditCursor log = now(0);
        connect(block(paying(1, 500)), false);
        for (int i = 0; i < BlockRows.TRUSTED_DEPTH + 50; i++) {
            connect(block(), false);
        }

        undo(BlockRows.TRUSTED_DEPTH + 51);

        assertThat(events(log)).isEmpty();
    }

    @Test
    void credits_that_were_told_because_of_the_blocks_above_them_are_removed_however_they_are_undone() {
        begin();
        CreditCursor log = now(0);
        CreditCursor deep = now(1);
        connect(block(paying(1, 500)), false);
        connect(block(paying(2, 600)), false);
        while (height() < BlockRows.TRUSTED_DEPTH + 3) {
            connect(block());
        }
        feed = new CreditFeed(books, () -> Optional.of(chain.get(1).place()));
        CreditFeed.Batch first = Await.result(feed.read(log, false, 100));
        CreditFeed.Batch firstDeep = Await.result(feed.read(deep, false, 100));
        assertThat(first.events()).hasSize(1).isEqualTo(firstDeep.events());

        undo(50);
        undo(30);
        undo((int) height());
        feed = new CreditFeed(books, this::tip);

        Credit credit = first.events().get(0).credit();
        assertThat(events(firstDeep.cursor()))
                .extracting(CreditEvent::kind, CreditEvent::credit)
                .containsExactly(tuple(Kind.REMOVED, credit));
        assertThat(events(first.cursor()))
                .filteredOn(event -> event.credit().equals(credit))
                .extracting(CreditEvent::kind)
                .containsExactly(Kind.REMOVED);
    }

    @Test
    void a_payment_after_a_cursor_is_reported_once_though_it_is_seen_and_then_confirmed() {
        start();
        CreditCursor start = Await.result(feed.now(0, Optional.of(address(0))));
        Transaction tx = paying(1, 500, 600);
        see(tx);

        CreditFeed.NextPayment seen = next(start, 1_100);
        assertThat(seen.payment())
                .contains(
                        new CreditFeed.Payment(TransactionCodec.txId(PROFILE, tx), Amount.of(1_100), Optional.empty()));
        connect(block(tx));
        assertThat(next(seen.cursor(), 1).payment()).isEmpty();

        CreditFeed.NextPayment mined = next(start, 1);
        assertThat(mined.payment())
                .as("one that was not told yet is told with its block")
                .contains(new CreditFeed.Payment(
                        TransactionCodec.txId(PROFILE, tx), Amount.of(1_100), Optional.of(height())));
    }

    @Test
    void a_payment_after_a_cursor_is_large_enough_and_still_there() {
        start();
        CreditCursor start = Await.result(feed.now(0, Optional.of(address(0))));
        see(paying(1, 900));
        lose(TransactionCodec.txId(PROFILE, paying(1, 900)));
        connect(block(paying(2, 900)));
        undo(1);
        connect(block(paying(3, 899), paying(4, 900)));

        CreditFeed.NextPayment found = next(start, 900);

        assertThat(found.payment())
                .map(CreditFeed.Payment::txId)
                .contains(TransactionCodec.txId(PROFILE, paying(4, 900)));
        assertThat(next(found.cursor(), 1).payment()).isEmpty();
    }

    @Test
    void what_our_keys_redeem_from_an_htlc_is_own() {
        owned.add(address(0));
        Outpoint lock = new Outpoint(Hash256.ZERO, 3);
        CreditTable.View view = new CreditTable.View() {
            @Override
            public boolean owns(Address address) {
                return owned.contains(address);
            }

            @Override
            public boolean redeems(Outpoint redeemed, HtlcSpend spend) {
                return redeemed.equals(lock) && spend instanceof HtlcSpend.Claim;
            }
        };

        assertThat(List.of(
                        isOwn(view, lock, HtlcWitness.claim(new byte[4], new byte[64])),
                        isOwn(view, lock, HtlcWitness.claim(new byte[20], new byte[64])),
                        isOwn(view, new Outpoint(Hash256.ZERO, 4), HtlcWitness.claim(new byte[4], new byte[64])),
                        isOwn(view, lock, HtlcWitness.reclaim(new byte[64]))))
                .containsExactly(true, true, false, false);
    }

    private boolean isOwn(CreditTable.View view, Outpoint spent, Witness witness) {
        Transaction tx = new Transaction(
                List.of(spent), List.of(TxOutput.toAddress(address(0), Amount.of(500))), List.of(witness));
        return book.pending(TransactionCodec.txId(PROFILE, tx), tx, view).get(0).own();
    }

    @Test
    void old_credits_are_forgotten_and_cursors_from_before_them_are_refused_with_the_first_valid_one() {
        owned.add(address(0));
        open(folder);
        CreditCursor oldLog = now(0);
        CreditCursor oldDeep = now(2);
        connect(block(paying(1, 500)));
        connect(block(paying(2, 500)));
        while (height() <= CreditPruning.KEPT_BLOCKS) {
            connect(block());
        }
        connect(block(paying(3, 500)));

        // All these blocks have the time 0; the last thousand of them are kept nevertheless.
        assertThat(prune(100)).isEqualTo(2);
        for (CreditCursor old : List.of(oldLog, oldDeep)) {
            CreditPruning.PrunedException refusal = refusal(old);
            assertThat(refusal).hasMessageContaining(refusal.first().text());
            assertThat(events(refusal.first()).size() + (old.depth() == 0 ? 0 : 1))
                    .isEqualTo(1);
        }
        CreditCursor beginning = Await.result(feed.beginning(0, Optional.empty()));
        assertThat(events(beginning))
                .extracting(CreditEvent::credit)
                .extracting(Credit::outpoint)
                .containsExactly(new Outpoint(TransactionCodec.txId(PROFILE, paying(3, 500)), 0));
        assertThat(prune(100)).isZero();
    }

    @Test
    void a_rescan_reports_no_forgotten_credit_again_and_of_a_new_key_only_what_is_not_too_old() {
        start();
        connect(block(paying(1, 501), paying(address(1), 2, 502)));
        connect(block(paying(address(1), 3, 503)));
        while (height() <= CreditPruning.KEPT_BLOCKS) {
            connect(block());
        }
        assertThat(prune(100)).isEqualTo(1);

        rescan(1);

        for (long depth : List.of(0L, 1L)) {
            CreditCursor beginning = Await.result(feed.beginning(depth, Optional.empty()));
            assertThat(events(beginning))
                    .as("depth %d", depth)
                    .extracting(event -> event.credit().amount())
                    .containsExactly(Amount.of(503));
        }
    }

    @Test
    void a_rescan_reports_no_forgotten_credit_again_though_older_ones_were_forgotten_after_it() {
        start();
        connect(block(paying(address(1), 1, 501)));
        connect(block());
        connect(block(paying(2, 502)));
        while (height() <= CreditPruning.KEPT_BLOCKS + 2) {
            connect(block());
        }
        rescan(1);
        assertThat(prune(1)).isEqualTo(1);
        undo(2);
        assertThat(prune(1)).isEqualTo(1);

        rescan(2);

        assertThat(events(Await.result(feed.beginning(0, Optional.empty())))).isEmpty();
    }

    @Test
    void a_credit_that_a_mempool_showed_is_reported_by_a_rescan_though_its_block_is_older_than_what_was_forgotten() {
        start();
        Transaction old = paying(address(1), 2, 502);
        connect(block(paying(1, 501), old));
        while (height() <= CreditPruning.KEPT_BLOCKS) {
            connect(block());
        }
        assertThat(prune(100)).isEqualTo(1);
        owned.add(address(1));
        see(old);
        assertThat(pending()).hasSize(1);

        rescan(1);

        assertThat(pending()).isEmpty();
        assertThat(kinds(Await.result(feed.beginning(0, Optional.empty())))).containsExactly(Kind.SEEN, Kind.CONFIRMED);
    }

    @Test
    void nothing_is_forgotten_while_a_rescan_is_to_be_done() {
        start();
        connect(block(paying(1, 501)));
        while (height() <= CreditPruning.KEPT_BLOCKS) {
            connect(block());
        }
        write(session -> {
            BlockRows.beginScan(session.head(), 0);
            return null;
        });

        assertThat(prune(100)).isZero();
    }

    private int prune(int most) {
        return Await.result(books.write(session -> CreditPruning.prune(session.head(), 1, most)));
    }

    private CreditPruning.PrunedException refusal(CreditCursor cursor) {
        try {
            events(cursor);
        } catch (CompletionException e) {
            return (CreditPruning.PrunedException) e.getCause();
        }
        throw new AssertionError("not refused");
    }

    private ChainBlock block(Random random, int most) {
        long height = chain.size();
        Hash256 parent =
                chain.isEmpty() ? Hash256.ZERO : chain.get(chain.size() - 1).id();
        BlockHeader header = new BlockHeader(1, height, parent, 0, Hash256.ZERO, ++fresh, Hash256.ZERO, Hash256.ZERO);
        List<ChainTransaction> transactions = new ArrayList<>();
        for (int i = random.nextInt(most); i > 0; i--) {
            Transaction tx = transaction(random);
            transactions.add(new ChainTransaction(TransactionCodec.txId(PROFILE, tx), Optional.of(tx), false));
        }
        return new ChainBlock(header, header.id(), transactions);
    }

    private Transaction transaction(Random random) {
        byte[] previous = new byte[32];
        random.nextBytes(previous);
        List<TxOutput> outputs = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(3); i++) {
            outputs.add(TxOutput.toAddress(address(random.nextInt(OWNED + 2)), Amount.of(200 + random.nextInt(1_000))));
        }
        return new Transaction(
                List.of(new Outpoint(Hash256.of(previous), 0)),
                outputs,
                List.of(Witness.plain(key(random.nextInt(6)), new byte[64])));
    }

    @Test
    void what_an_address_pays_to_itself_is_change_and_what_our_keys_pay_is_own() {
        owned.add(address(0));
        CreditTable.View ours = owned::contains;
        Transaction self = new Transaction(
                List.of(new Outpoint(Hash256.ZERO, 1)),
                List.of(TxOutput.toAddress(address(0), Amount.of(500)).withDatum(Bytes.parse("00"))),
                List.of(Witness.plain(key(0), new byte[64])));
        Transaction foreign = new Transaction(
                List.of(new Outpoint(Hash256.ZERO, 2)),
                List.of(TxOutput.toAddress(address(0), Amount.of(500))),
                List.of(Witness.plain(key(5), new byte[64])));
        List<Credit> credits = book.connect(block(self, foreign), ours);

        assertThat(credits).extracting(Credit::change).containsExactly(true, false);
        assertThat(credits).extracting(Credit::own).containsExactly(true, false);
        assertThat(credits.get(0).datum()).contains(Bytes.parse("00"));
    }

    @Test
    void change_that_is_left_out_hides_nothing_that_comes_after_it() {
        open(folder);
        owned.add(address(0));
        Transaction[] transactions = new Transaction[5];
        for (int i = 0; i < transactions.length; i++) {
            transactions[i] = new Transaction(
                    List.of(new Outpoint(Hash256.ZERO, i)),
                    List.of(TxOutput.toAddress(address(0), Amount.of(500 + i))),
                    List.of(Witness.plain(key(i < 4 ? 0 : 5), new byte[64])));
        }
        connect(block(transactions));

        for (long depth : List.of(0L, 1L)) {
            CreditCursor start = Await.result(feed.beginning(depth, Optional.empty()));
            assertThat(Await.result(feed.read(start, false, 1)).events())
                    .as("depth %d", depth)
                    .extracting(event -> event.credit().amount())
                    .containsExactly(Amount.of(504));
        }
    }

    @Test
    void a_cursor_belongs_to_its_store_its_depth_and_its_address() {
        CreditCursor cursor = CreditCursor.beginning("a1b2", 3, Optional.of(address(1)));

        assertThat(CreditCursor.parse(cursor.text(), "a1b2", 3, Optional.of(address(1))))
                .contains(cursor);
        assertThat(CreditCursor.parse(cursor.text(), "a1b3", 3, Optional.of(address(1))))
                .isEmpty();
        assertThat(CreditCursor.parse(cursor.text(), "a1b2", 2, Optional.of(address(1))))
                .isEmpty();
        assertThat(CreditCursor.parse(cursor.text(), "a1b2", 3, Optional.of(address(2))))
                .isEmpty();
        assertThat(CreditCursor.parse(cursor.text(), "a1b2", 3, Optional.empty()))
                .isEmpty();
        assertThat(CreditCursor.parse("", "a1b2", 3, Optional.empty())).isEmpty();
        assertThat(CreditCursor.parse("c1.a1b2.3.-.-5.0.0", "a1b2", 3, Optional.empty()))
                .isEmpty();
        assertThat(CreditCursor.parse("c1.a1b2.3.-.99999999999999999999.0.0", "a1b2", 3, Optional.empty()))
                .isEmpty();
    }

    private static PublicKey key(int number) {
        byte[] bytes = new byte[32];
        bytes[0] = (byte) (number + 1);
        return PublicKey.of(bytes);
    }

    private static Address address(int number) {
        return PROFILE.addressOf(key(number));
    }
}
