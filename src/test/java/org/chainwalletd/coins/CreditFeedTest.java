package org.chainwalletd.coins;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.follow.ChainBlock;
import org.chainwalletd.follow.ChainTransaction;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.Credit;
import org.chainwalletd.store.books.CreditCursor;
import org.chainwalletd.store.books.CreditEvent;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.store.books.CreditTable;
import org.chainwalletd.store.books.Page;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The feed over real books: whatever the chain does, folding what a reader was told gives the chain's credits. */
class CreditFeedTest {
    private static final ChainProfile PROFILE = ChainProfile.of("chain");
    private static final int ROUNDS = Integer.getInteger("credits.rounds", 6);
    private static final int STEPS = 120;
    private static final int OWNED = 3;

    @TempDir
    Path folder;

    private final Set<Address> owned = new HashSet<>();
    private final CreditTable table = new CreditTable(page -> owned::contains);
    private final CreditBook book = new CreditBook(PROFILE, table);
    private final List<ChainBlock> chain = new ArrayList<>();
    private final List<ChainBlock> stale = new ArrayList<>();
    private Books books;
    private CreditFeed feed;
    private long fresh;
    private long scans;

    @AfterEach
    void close() {
        if (books != null) {
            books.close();
        }
    }

    /** Someone who reads with a cursor and books what it is told. */
    private final class Reader {
        private final long depth;
        private final Optional<Address> address;
        private final Map<String, Credit> booked = new HashMap<>();
        private final Set<Long> numbers = new HashSet<>();
        private String cursor;

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
            CreditFeed.Batch batch = Await.result(feed.read(from, true, limit));
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
        readers.forEach(Reader::readAll);
        readers.forEach(Reader::assertExact);
    }

    private void move(Random random, Path place) {
        switch (random.nextInt(10)) {
            case 0, 1 -> undo(1 + random.nextInt(Math.min(6, Math.max(1, chain.size()))));
            case 2 -> rejoin();
            case 3 -> rescan(random);
            case 4 -> {
                books.close();
                open(place);
            }
            default -> connect(block(random, 4));
        }
    }

    private void open(Path place) {
        books = Books.open(place, List.of(table));
        feed = new CreditFeed(books, () -> chain.isEmpty() ? OptionalLong.empty() : OptionalLong.of(height()));
    }

    private long height() {
        return chain.size() - 1;
    }

    private void connect(ChainBlock block) {
        books.write(session -> {
                    Page page = session.head();
                    BlockRows.put(page, row(block));
                    enter(page, block);
                    return null;
                })
                .join();
        chain.add(block);
    }

    private void enter(Page page, ChainBlock block) {
        book.connect(block, table.view(page)).forEach(credit -> table.write(page, credit));
    }

    private static BlockRow row(ChainBlock block) {
        return new BlockRow(block.height(), block.id(), block.parentId(), 0, block.target(), true);
    }

    private void undo(int depth) {
        if (chain.size() <= depth) {
            return;
        }
        long to = height() - depth;
        books.write(session -> {
                    BlockRows.undo(session.head(), to);
                    table.undo(session.head(), to);
                    return null;
                })
                .join();
        stale.clear();
        while (height() > to) {
            stale.add(0, chain.remove(chain.size() - 1));
        }
    }

    /** The branch that was left last comes back. */
    private void rejoin() {
        for (ChainBlock block : stale) {
            if (block.height() == height() + 1
                    && block.parentId().equals(chain.get(chain.size() - 1).id())) {
                connect(block);
            }
        }
        stale.clear();
    }

    /** One more address is ours, and its history is read. */
    private void rescan(Random random) {
        owned.add(address(random.nextInt(OWNED)));
        long scan = ++scans;
        books.write(session -> {
                    Page page = session.page(scan);
                    chain.forEach(block -> enter(page, block));
                    table.join(page);
                    return null;
                })
                .join();
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
        Predicate<Address> ours = owned::contains;
        Transaction self = new Transaction(
                List.of(new Outpoint(Hash256.ZERO, 1)),
                List.of(TxOutput.toAddress(address(0), Amount.of(500)).withDatum(Bytes.parse("00"))),
                List.of(Witness.plain(key(0), new byte[64])));
        Transaction foreign = new Transaction(
                List.of(new Outpoint(Hash256.ZERO, 2)),
                List.of(TxOutput.toAddress(address(0), Amount.of(500))),
                List.of(Witness.plain(key(5), new byte[64])));
        BlockHeader header = new BlockHeader(1, 0, Hash256.ZERO, 0, Hash256.ZERO, 1, Hash256.ZERO, Hash256.ZERO);
        ChainBlock block = new ChainBlock(
                header,
                header.id(),
                List.of(
                        new ChainTransaction(TransactionCodec.txId(PROFILE, self), Optional.of(self), false),
                        new ChainTransaction(TransactionCodec.txId(PROFILE, foreign), Optional.of(foreign), false)));

        List<Credit> credits = book.connect(block, ours);

        assertThat(credits).extracting(Credit::change).containsExactly(true, false);
        assertThat(credits).extracting(Credit::own).containsExactly(true, false);
        assertThat(credits.get(0).datum()).contains(Bytes.parse("00"));
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
