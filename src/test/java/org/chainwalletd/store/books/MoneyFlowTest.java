package org.chainwalletd.store.books;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.store.StoreSample.hash;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.MoneyFlow.Mark;
import org.chainwalletd.store.books.MoneyFlow.Moved;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Deposits and payments of blocks, from the rows of the ledger. The block at height h has the timestamp 1000 + 10 h. */
class MoneyFlowTest extends OnBooks {
    private static final int MATURITY = 3;
    private static final Address OURS = Address.of(hash(1).toArray());
    private static final Address ALSO_OURS = Address.of(hash(2).toArray());

    final LedgerTable table = new LedgerTable();

    private LedgerBooks books;
    private int branch;

    @Override
    protected List<? extends BookTable<?, ?>> tables() {
        return List.of(table);
    }

    @BeforeEach
    void open() {
        books = new LedgerBooks(another());
        block(0);
        Await.result(books.watch(List.of(OURS, ALSO_OURS), true, 0));
    }

    private BlockPlace place(long height) {
        return Await.result(file.read(session -> BlockRows.at(session.head(), height)))
                .orElseThrow()
                .place();
    }

    private void block(long height, LedgerChange... changes) {
        write(head -> {
            Hash256 id = hash(-1 - (int) height - branch * 100_000);
            BlockRows.put(head, new BlockRow(height, id, Hash256.ZERO, 1000 + 10 * height, Hash256.ZERO, true));
            List.of(changes).forEach(change -> table.write(head, change));
        });
    }

    @Override
    protected void undo(long height) {
        branch++;
        super.undo(height);
    }

    private static LedgerChange.Created made(int tx, int output, Address address, long value, long height) {
        return new LedgerChange.Created(
                new OwnCoin(new Outpoint(hash(tx), output), address, Amount.of(value), height, false));
    }

    private static LedgerChange.Created mined(int tx, long value, long height) {
        return new LedgerChange.Created(new OwnCoin(new Outpoint(hash(tx), 0), OURS, Amount.of(value), height, true));
    }

    private static LedgerChange.Spent spent(int tx, int output, long height, int by) {
        return new LedgerChange.Spent(new Outpoint(hash(tx), output), height, hash(by));
    }

    private static Moved moved(long height, long deposits, long deposited, long payments, long paid) {
        return new Moved(height, 1000 + 10 * height, deposits, Amount.of(deposited), payments, Amount.of(paid));
    }

    private Optional<MoneyFlow.Read> read(long height, long since, Mark... known) {
        return Await.result(books.flow(new MoneyFlow.Wanted(place(height), MATURITY, List.of(known), since)));
    }

    private List<Moved> all(long height) {
        return read(height, 0).orElseThrow().moved();
    }

    @Test
    void outputs_that_others_pay_are_deposits_and_what_a_transaction_takes_away_is_a_payment() {
        block(1, made(10, 0, OURS, 100, 1), made(10, 1, ALSO_OURS, 50, 1), made(11, 0, OURS, 7, 1));
        block(2, spent(10, 0, 2, 12), spent(11, 0, 2, 12), made(12, 1, OURS, 60, 2));
        block(3);

        assertThat(all(3)).containsExactly(moved(1, 3, 157, 0, 0), moved(2, 0, 0, 1, 47));
    }

    @Test
    void coins_of_an_address_whose_key_is_elsewhere_are_no_deposits_and_no_payments_also_when_it_is_left() {
        Address cold = Address.of(hash(500).toArray());
        Await.result(books.settleWatchOnly(Map.of(cold, OptionalLong.empty()), List.of(), address -> false));
        block(1, made(10, 0, cold, 100, 1), made(11, 0, OURS, 7, 1));
        block(2, spent(10, 0, 2, 12), made(12, 0, cold, 90, 2));

        assertThat(all(2)).containsExactly(moved(1, 1, 7, 0, 0));
        Await.result(books.settleWatchOnly(Map.of(), List.of(cold), address -> false));
        assertThat(all(2)).containsExactly(moved(1, 1, 7, 0, 0));
    }

    @Test
    void what_goes_to_another_own_address_is_not_paid_but_the_fee_is() {
        block(1, made(10, 0, OURS, 100, 1));
        block(2, spent(10, 0, 2, 12), made(12, 0, ALSO_OURS, 99, 2));

        assertThat(all(2)).last().isEqualTo(moved(2, 0, 0, 1, 1));
    }

    @Test
    void a_coinbase_is_a_deposit_of_the_block_after_which_it_may_be_spent() {
        block(1, mined(10, 500, 1));
        for (int height = 2; height < 6; height++) {
            block(height);
        }

        assertThat(all(2)).isEmpty();
        assertThat(all(5)).containsExactly(moved(MATURITY, 1, 500, 0, 0));
    }

    @Test
    void a_transaction_that_brings_more_than_it_spends_is_both() {
        block(1, made(10, 0, OURS, 10, 1));
        block(2, spent(10, 0, 2, 12), made(12, 0, OURS, 110, 2));

        assertThat(all(2)).last().isEqualTo(moved(2, 1, 100, 1, 0));
    }

    @Test
    void reading_continues_after_the_newest_mark_that_holds() {
        block(1, made(10, 0, OURS, 10, 1));
        Mark first = read(1, 0).orElseThrow().mark();
        block(2, made(11, 0, OURS, 20, 2));
        Mark second = read(2, 0).orElseThrow().mark();
        undo(1);
        block(2, made(12, 0, OURS, 30, 2));
        block(3, made(13, 0, OURS, 40, 3));

        MoneyFlow.Read read = read(3, 0, second, first).orElseThrow();
        assertThat(read.begun()).isEmpty();
        assertThat(read.after()).isEqualTo(1);
        assertThat(read.moved()).containsExactly(moved(2, 1, 30, 0, 0), moved(3, 1, 40, 0, 0));
        assertThat(read.mark().at()).isEqualTo(place(3));
    }

    @Test
    void a_rescan_that_joins_makes_all_be_read_again() {
        block(1);
        block(2);
        Mark known = read(2, 0).orElseThrow().mark();
        rescanned(table, List.of(made(10, 0, OURS, 10, 1)));

        MoneyFlow.Read read = read(2, 0, known).orElseThrow();
        assertThat(read.begun()).isPresent();
        assertThat(read.moved()).containsExactly(moved(1, 1, 10, 0, 0));
    }

    @Test
    void blocks_that_are_too_old_are_left_out_and_the_beginning_is_reported() {
        block(1, made(10, 0, OURS, 10, 1));
        block(2, made(11, 0, OURS, 20, 2));

        assertThat(read(2, 1010).orElseThrow().moved()).containsExactly(moved(2, 1, 20, 0, 0));
        assertThat(read(2, 1015).orElseThrow().begun()).hasValue(1015);
        assertThat(read(2, 5).orElseThrow().begun())
                .as("the first block that there is")
                .hasValue(1000);
        assertThat(read(2, 9_999).orElseThrow().moved()).isEmpty();
    }

    @Test
    void nothing_is_told_of_a_block_that_has_gone() {
        block(1);
        BlockPlace gone = place(1);
        undo(0);
        block(1);

        assertThat(Await.result(books.flow(new MoneyFlow.Wanted(gone, MATURITY, List.of(), 0))))
                .isEmpty();
    }

    @Test
    void piece_by_piece_with_reorganisations_it_is_what_is_read_at_once_and_what_the_sums_say() {
        Random random = Seeded.random("flow");
        TreeMap<Long, Moved> kept = new TreeMap<>();
        List<Mark> marks = new ArrayList<>();
        long top = 0;
        int tx = 100;
        List<Outpoint> made = new ArrayList<>();
        for (int round = 0; round < 60; round++) {
            if (top > 4 && random.nextInt(4) == 0) {
                top -= 1 + random.nextInt(4);
                undo(top);
            }
            int blocks = 1 + random.nextInt(3);
            for (int i = 0; i < blocks; i++) {
                top++;
                List<LedgerChange> changes = new ArrayList<>();
                for (int j = random.nextInt(4); j > 0; j--) {
                    tx++;
                    if (!made.isEmpty() && random.nextBoolean()) {
                        changes.add(new LedgerChange.Spent(made.remove(random.nextInt(made.size())), top, hash(tx)));
                    }
                    changes.add(new LedgerChange.Created(new OwnCoin(
                            new Outpoint(hash(tx), 0), OURS, Amount.of(1 + random.nextInt(50)), top, false)));
                    made.add(new Outpoint(hash(tx), 0));
                }
                block(top, changes.toArray(LedgerChange[]::new));
            }
            MoneyFlow.Read read = read(top, 0, marks.toArray(Mark[]::new)).orElseThrow();
            marks.removeIf(mark -> mark.at().height() > read.after());
            kept.tailMap(read.after(), false).clear();
            read.moved().forEach(moved -> kept.put(moved.height(), moved));
            marks.add(0, read.mark());

            assertThat(kept.values()).containsExactlyElementsOf(all(top));
            long balance = kept.values().stream()
                    .mapToLong(moved -> moved.deposited().bits() - moved.paid().bits())
                    .sum();
            assertThat(Await.result(books.sums(place(top), MATURITY, List.of(OURS)))
                            .orElseThrow()
                            .get(0))
                    .contains(Amount.of(balance));
        }
    }

    private static void put(Page page, int height) {
        BlockRows.put(
                page, new BlockRow(height, hash(-1 - height), Hash256.ZERO, 1000 + 10L * height, Hash256.ZERO, true));
    }

    @Test
    void reading_begins_above_the_blocks_that_a_joined_rescan_has_left_gaps_between() {
        undo(-1);
        write(head -> {
            for (int height = 4_500; height <= 6_000; height++) {
                put(head, height);
            }
            Page scan = head.session().page(1);
            for (int height = 1_000; height < 4_500; height += 500) {
                put(scan, height);
            }
            BlockRows.endScan(scan);
            table.write(head, made(10, 0, OURS, 10, 1_400));
            table.write(head, made(11, 0, OURS, 20, 5_000));
        });
        Mark below = new Mark(place(1_000), "");

        MoneyFlow.Read first = read(6_000, 0, below).orElseThrow();
        assertThat(first.begun()).hasValue(1000 + 10 * 4_500);
        assertThat(first.moved()).containsExactly(moved(5_000, 1, 20, 0, 0));
        MoneyFlow.Read second = read(6_000, 0, first.mark(), below).orElseThrow();
        assertThat(second.begun()).isEmpty();
        assertThat(second.mark().at()).isEqualTo(place(6_000));
    }

    @Test
    void very_many_blocks_are_read_in_pieces() {
        write(head -> {
            for (int height = 1; height <= 2_500; height++) {
                put(head, height);
            }
            table.write(head, made(10, 0, OURS, 10, 2_400));
        });
        Map<Integer, Integer> pieces = new TreeMap<>();
        List<Mark> marks = new ArrayList<>();
        do {
            MoneyFlow.Read read = read(2_500, 0, marks.toArray(Mark[]::new)).orElseThrow();
            marks.add(0, read.mark());
            pieces.put((int) read.mark().at().height(), read.moved().size());
        } while (marks.get(0).at().height() < 2_500);

        assertThat(pieces).hasSize(3).containsEntry(2_500, 1);
    }
}
