package org.chainwalletd.store.books;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Coins and sums at any block that is kept, for few addresses and for many, after undoing as before. */
class CoinReadingTest {
    private static final int MANY = 1_001;
    private static final int TOP = 40;
    private static final int MATURITY = 10;

    @TempDir
    Path folder;

    private final LedgerTable table = new LedgerTable();
    private final List<Address> many =
            IntStream.range(0, MANY).mapToObj(CoinReadingTest::address).toList();
    private Books file;
    private LedgerBooks books;

    private static Address address(int number) {
        return Address.of(hash(number).toArray());
    }

    private static Hash256 hash(int number) {
        return Hash256.sha256(ByteBuffer.allocate(4).putInt(number).array());
    }

    @BeforeEach
    void open() {
        file = Books.open(folder, List.of(table));
        books = new LedgerBooks(file);
        block(0);
        Await.result(books.watch(many, true, 0));
    }

    @AfterEach
    void close() {
        file.close();
    }

    private static BlockPlace place(long height) {
        return new BlockPlace(height, hash(-1 - (int) height));
    }

    private void block(long height, LedgerChange... changes) {
        Await.result(file.write(session -> {
            BlockRows.put(
                    session.head(),
                    new BlockRow(height, place(height).blockId(), Hash256.ZERO, height, Hash256.ZERO, true));
            List.of(changes).forEach(change -> table.write(session.head(), change));
            return null;
        }));
    }

    private static LedgerChange.Created created(OwnCoin coin) {
        return new LedgerChange.Created(coin);
    }

    private static OwnCoin coin(int number, Address address, long bits, long height, boolean coinbase) {
        return new OwnCoin(new Outpoint(hash(number), number), address, Amount.ofUnsigned(bits), height, coinbase);
    }

    private Map<Address, Amount> sums(long height, List<Address> addresses) {
        return Await.result(books.sums(place(height), height + 1 - MATURITY, addresses))
                .orElseThrow();
    }

    private Map<Address, List<OwnCoin>> unspent(long height, List<Address> addresses) {
        return Await.result(books.unspent(place(height), addresses)).orElseThrow();
    }

    /** A coin and the height of the block that spends it, if one does. */
    private record Life(OwnCoin coin, OptionalLong spent) {
        boolean isThere(long height) {
            return coin.height() <= height && (spent.isEmpty() || spent.getAsLong() > height);
        }

        boolean counts(long height) {
            return isThere(height) && (!coin.coinbase() || height + 1 - coin.height() >= MATURITY);
        }
    }

    @Test
    void at_every_block_coins_and_sums_are_those_of_the_chain_however_many_are_asked_for() {
        Random random = Seeded.random("coins");
        List<Life> lives = lives(random);
        for (int height = 1; height <= TOP; height++) {
            List<LedgerChange> changes = new ArrayList<>();
            for (Life life : lives) {
                if (life.coin().height() == height) {
                    changes.add(created(life.coin()));
                }
                if (life.spent().orElse(-1) == height) {
                    changes.add(new LedgerChange.Spent(life.coin().outpoint(), height, Hash256.ZERO));
                }
            }
            block(height, changes.toArray(LedgerChange[]::new));
        }

        for (int height : new int[] {1, MATURITY, TOP / 2, TOP - 1, TOP}) {
            assertTold(lives, height);
        }
        assertHistories(lives);
        Await.result(file.write(session -> {
            table.undo(session.head(), TOP / 2);
            return null;
        }));
        assertTold(lives, TOP / 2);
    }

    private List<Life> lives(Random random) {
        List<Life> lives = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            long height = 1 + random.nextInt(TOP);
            long spent = height + 1 + random.nextInt(2 * TOP);
            lives.add(new Life(
                    coin(i, many.get(random.nextInt(20)), random.nextInt(1_000_000), height, random.nextInt(3) == 0),
                    spent <= TOP ? OptionalLong.of(spent) : OptionalLong.empty()));
        }
        return lives;
    }

    /** All pages of three of an address; its own page may begin in the middle of a block. */
    private List<HistoryEntry> history(Address address) {
        List<HistoryEntry> all = new ArrayList<>();
        Optional<HistoryEntry.Position> after = Optional.empty();
        List<HistoryEntry> page;
        do {
            page = Await.result(books.history(address, 0, TOP, after, 3));
            all.addAll(page);
            after = all.isEmpty()
                    ? Optional.empty()
                    : Optional.of(all.get(all.size() - 1).position());
        } while (page.size() == 3);
        return all;
    }

    private void assertHistories(List<Life> lives) {
        for (Address address : many.subList(0, 20)) {
            Map<HistoryEntry.Position, HistoryEntry> expected = new TreeMap<>();
            for (Life life : lives) {
                OwnCoin coin = life.coin();
                if (coin.address().equals(address)) {
                    Hash256 tx = coin.outpoint().txId();
                    enter(expected, new HistoryEntry(coin.height(), tx, false, coin.value(), coin.coinbase()));
                    life.spent()
                            .ifPresent(height ->
                                    enter(expected, new HistoryEntry(height, Hash256.ZERO, true, coin.value(), false)));
                }
            }
            assertThat(history(address)).isEqualTo(List.copyOf(expected.values()));
        }
    }

    private static void enter(Map<HistoryEntry.Position, HistoryEntry> history, HistoryEntry entry) {
        history.merge(
                entry.position(),
                entry,
                (one, other) -> new HistoryEntry(
                        one.height(), one.txId(), one.input(), one.amount().plus(other.amount()), one.coinbase()));
    }

    private void assertTold(List<Life> lives, long height) {
        Map<Address, Amount> sums = new HashMap<>();
        Map<Address, List<OwnCoin>> coins = new HashMap<>();
        for (Address address : many) {
            List<Life> own = lives.stream()
                    .filter(life -> life.coin().address().equals(address))
                    .toList();
            sums.put(
                    address,
                    own.stream()
                            .filter(life -> life.counts(height))
                            .map(life -> life.coin().value())
                            .reduce(Amount.ZERO, Amount::plus));
            coins.put(
                    address,
                    own.stream()
                            .filter(life -> life.isThere(height))
                            .map(Life::coin)
                            .sorted(java.util.Comparator.comparing(OwnCoin::outpoint))
                            .toList());
        }
        assertThat(sums(height, many)).as("sums at %d", height).isEqualTo(sums);
        assertThat(unspent(height, many)).as("coins at %d", height).isEqualTo(coins);
        for (Address address : many.subList(0, 21)) {
            assertThat(sums(height, List.of(address))).isEqualTo(Map.of(address, sums.get(address)));
            assertThat(unspent(height, List.of(address))).isEqualTo(Map.of(address, coins.get(address)));
        }
    }

    @Test
    void amounts_are_summed_as_unsigned_numbers_up_to_the_largest_one() {
        Address rich = many.get(0);
        Address richest = many.get(1);
        block(
                1,
                created(coin(1, rich, Long.MIN_VALUE, 1, false)),
                created(coin(2, rich, 0xffff_ffffL, 1, false)),
                created(coin(3, rich, 2, 1, false)),
                created(coin(4, richest, -1, 1, false)));

        for (List<Address> asked : List.of(List.of(rich, richest), many)) {
            assertThat(sums(1, asked))
                    .containsEntry(rich, Amount.ofUnsigned(Long.MIN_VALUE + 0x1_0000_0001L))
                    .containsEntry(richest, Amount.MAX);
        }
        block(2, created(coin(5, richest, 1, 2, false)));
        assertThatThrownBy(() -> sums(2, List.of(richest))).hasMessageContaining("2^64-1");
        assertThatThrownBy(() -> sums(2, many)).hasMessageContaining("2^64-1");
    }

    @Test
    void an_address_that_is_not_covered_is_left_out_and_a_block_that_is_gone_has_no_answer() {
        Address old = address(-7);
        Await.result(books.watch(List.of(old), false, 0));
        block(1, created(coin(1, old, 5, 1, false)));
        List<Address> asked = new ArrayList<>(many);
        asked.add(old);

        assertThat(sums(1, List.of(old))).isEmpty();
        assertThat(sums(1, asked)).hasSize(MANY);
        assertThat(unspent(1, List.of(old))).isEmpty();
        assertThat(unspent(1, asked)).hasSize(MANY);
        assertThat(Await.result(books.sums(place(9), 0, many))).isEmpty();
    }
}
