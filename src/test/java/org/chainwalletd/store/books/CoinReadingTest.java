package org.chainwalletd.store.books;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.StoreSample.hash;

import java.util.ArrayList;
import java.util.Collections;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Coins and sums as of any kept block, for few and many addresses, before and after undoing blocks. */
class CoinReadingTest extends OnBooks {
    private static final int MANY = 1_001;
    private static final int TOP = 40;
    private static final int MATURITY = 10;

    final LedgerTable table = new LedgerTable();
    private final List<Address> many =
            IntStream.range(0, MANY).mapToObj(CoinReadingTest::address).toList();

    private LedgerBooks books;

    private static Address address(int number) {
        return Address.of(hash(number).toArray());
    }

    @Override
    protected List<? extends BookTable<?, ?>> tables() {
        return List.of(table);
    }

    @BeforeEach
    void open() {
        books = new LedgerBooks(another());
        block(0);
        Await.result(books.watch(many, true, 0));
    }

    private static BlockPlace place(long height) {
        return new BlockPlace(height, hash(-1 - (int) height));
    }

    private void block(long height, LedgerChange... changes) {
        write(head -> {
            put(head, place(height));
            List.of(changes).forEach(change -> table.write(head, change));
        });
    }

    private static LedgerChange.Created created(OwnCoin coin) {
        return new LedgerChange.Created(coin);
    }

    private static OwnCoin coin(int number, Address address, long bits, long height, boolean coinbase) {
        return new OwnCoin(new Outpoint(hash(number), number), address, Amount.ofUnsigned(bits), height, coinbase);
    }

    private Map<Address, Amount> sums(long height, List<Address> addresses) {
        List<Optional<Amount>> told =
                Await.result(books.sums(place(height), MATURITY, addresses)).orElseThrow();
        assertThat(told).hasSameSizeAs(addresses);
        Map<Address, Amount> sums = new HashMap<>();
        for (int i = 0; i < addresses.size(); i++) {
            Address address = addresses.get(i);
            told.get(i).ifPresent(sum -> sums.put(address, sum));
        }
        return sums;
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
        blocks(lives, 1);
        for (int height : new int[] {1, MATURITY, TOP / 2, TOP - 1, TOP}) {
            assertTold(lives, height);
        }
        assertHistories(lives);
        undo(TOP / 2);
        assertTold(lives, TOP / 2);
    }

    @Test
    void the_most_valuable_coins_are_those_at_the_block_and_unsigned_numbers_decide() {
        Address owner = many.get(0);
        OwnCoin largest = coin(1, owner, -5, 1, false);
        OwnCoin second = coin(2, owner, 900, 1, false);
        OwnCoin third = coin(3, owner, 800, 2, false);
        block(1, created(largest), created(second));
        block(2, created(third), created(coin(4, owner, 7, 2, false)), created(coin(5, many.get(1), 990, 2, false)));
        block(3, new LedgerChange.Spent(second.outpoint(), 3, hash(77)));

        assertThat(mostValuable(2, owner, 3)).containsExactly(largest, second, third);
        assertThat(mostValuable(3, owner, 2)).containsExactly(largest, third);
        assertThat(mostValuable(1, owner, 9)).containsExactly(largest, second);
    }

    private List<OwnCoin> mostValuable(long height, Address owner, int most) {
        return Await.result(books.mostValuable(place(height), owner, most))
                .orElseThrow()
                .get(owner);
    }

    @Test
    void sums_that_were_kept_in_mind_are_those_of_the_chain_as_it_grows_and_is_reorganised() {
        Random random = Seeded.random("sums");
        List<Life> lives = lives(random);
        long top = 0;
        for (int i = 0; i < 40; i++) {
            if (random.nextInt(4) == 0) {
                long fork = random.nextInt((int) top + 1);
                undo(fork);
                lives = reorganised(lives, lives(random), fork, i);
                top = fork;
            } else if (top < TOP) {
                block(++top, changes(lives, top));
            }
            // Query only sometimes, so that several blocks are added in between, and as of a tip that may be below the
            // newest block.
            if (random.nextInt(3) > 0) {
                long told = top - random.nextInt((int) Math.min(3, top + 1));
                // Mostly in the order of the last query, which is cached too.
                List<Address> asked = new ArrayList<>(many);
                if (random.nextInt(4) == 0) {
                    Collections.swap(asked, 0, asked.size() - 1);
                }
                assertThat(sums(told, asked)).as("at %d of %d", told, top).isEqualTo(expected(lives, told));
            }
        }
    }

    /**
     * Returns the coins of the old chain up to the fork, spent as on the new chain, and the coins created on the new chain.
     *
     * @param branch differs for each new chain, so that no two chains create the same coin
     */
    private static List<Life> reorganised(List<Life> old, List<Life> fresh, long fork, int branch) {
        List<Life> lives = new ArrayList<>();
        for (Life life : old) {
            if (life.coin().height() <= fork) {
                boolean still = life.spent().orElse(Long.MAX_VALUE) <= fork;
                lives.add(still ? life : new Life(life.coin(), OptionalLong.empty()));
            }
        }
        for (Life life : fresh) {
            if (life.coin().height() > fork) {
                OwnCoin coin = life.coin();
                Hash256 id = Hash256.sha256(coin.outpoint().txId().toArray());
                lives.add(new Life(
                        new OwnCoin(
                                new Outpoint(id, branch), coin.address(), coin.value(), coin.height(), coin.coinbase()),
                        life.spent()));
            }
        }
        return lives;
    }

    private void blocks(List<Life> lives, long from) {
        for (long height = from; height <= TOP; height++) {
            block(height, changes(lives, height));
        }
    }

    private static LedgerChange[] changes(List<Life> lives, long height) {
        List<LedgerChange> changes = new ArrayList<>();
        for (Life life : lives) {
            if (life.coin().height() == height) {
                changes.add(created(life.coin()));
            }
            if (life.spent().orElse(-1) == height) {
                changes.add(new LedgerChange.Spent(life.coin().outpoint(), height, Hash256.ZERO));
            }
        }
        return changes.toArray(LedgerChange[]::new);
    }

    private Map<Address, Amount> expected(List<Life> lives, long height) {
        Map<Address, Amount> sums = new HashMap<>();
        many.forEach(address -> sums.put(address, Amount.ZERO));
        lives.stream()
                .filter(life -> life.counts(height))
                .forEach(life -> sums.merge(life.coin().address(), life.coin().value(), Amount::plus));
        return sums;
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

    /** Reads all pages of three entries of an address, which may begin in the middle of a block. */
    private List<HistoryEntry> history(Address address) {
        List<HistoryEntry> all = new ArrayList<>();
        Optional<HistoryCursor> after = Optional.empty();
        do {
            LedgerBooks.History page =
                    Await.result(books.history(address, 0, TOP, after, 3)).orElseThrow();
            all.addAll(page.entries());
            after = page.next();
            assertThat(page.entries())
                    .hasSize(after.isPresent() ? 3 : page.entries().size());
        } while (after.isPresent());
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
        block(1);
        Await.result(books.watch(List.of(old), false, 0));
        block(2, created(coin(1, old, 5, 2, false)));
        List<Address> asked = new ArrayList<>(many);
        asked.add(old);

        assertThat(sums(2, List.of(old))).isEmpty();
        assertThat(sums(2, asked)).hasSize(MANY);
        assertThat(unspent(2, List.of(old))).isEmpty();
        assertThat(unspent(2, asked)).hasSize(MANY);
        rescanned(table, List.of(created(coin(1, old, 5, 2, false)), created(coin(2, old, 6, 1, false))));
        assertThat(sums(2, asked)).as("sums that are in mind").hasSize(MANY + 1).containsEntry(old, Amount.of(11));
        Address later = address(-8);
        Await.result(books.watch(List.of(later), true, 0));
        asked.add(later);
        assertThat(sums(2, asked)).containsEntry(later, Amount.ZERO);
        assertThat(Await.result(books.sums(place(9), MATURITY, many))).isEmpty();
    }

    private OptionalLong height(int transaction, Outpoint... inputs) {
        return Await.result(books.heights(List.of(new LedgerBooks.Sought(hash(transaction), List.of(inputs)))))
                .get(0);
    }

    @Test
    void the_block_of_a_transaction_is_known_by_a_coin_that_it_makes_or_spends_until_it_is_undone() {
        OwnCoin paid = coin(1, many.get(0), 5, 1, false);
        Outpoint foreign = new Outpoint(hash(9), 0);
        block(1, created(paid));
        block(2, new LedgerChange.Spent(paid.outpoint(), 2, hash(2)));
        assertThat(height(1)).hasValue(1);
        assertThat(height(1, foreign)).hasValue(1);
        assertThat(height(2, foreign, paid.outpoint())).hasValue(2);
        assertThat(height(3, foreign, paid.outpoint())).as("has lost the coin").isEmpty();
        assertThat(height(9, foreign)).isEmpty();

        undo(1);
        assertThat(height(1)).hasValue(1);
        assertThat(height(2, foreign, paid.outpoint())).isEmpty();
    }
}
