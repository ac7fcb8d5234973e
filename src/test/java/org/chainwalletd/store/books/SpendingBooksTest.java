package org.chainwalletd.store.books;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.store.StoreSample.hash;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The fate of a transaction follows from the spenders of its inputs, regardless of its assumed state when it was sent. */
class SpendingBooksTest extends OnBooks {
    private static final Outpoint FIRST = new Outpoint(hash(1), 0);
    private static final Outpoint SECOND = new Outpoint(hash(1), 1);
    private static final Hash256 OURS = hash(2);
    private static final Hash256 RIVAL = hash(3);

    private final SpendingTable table = new SpendingTable(page -> new SpendingTable.View(to -> true, lock -> false));

    private SpendingBooks books;

    private static BlockPlace place(long height) {
        return new BlockPlace(height, hash(100 + (int) height));
    }

    @Override
    protected List<? extends BookTable<?, ?>> tables() {
        return List.of(table);
    }

    @BeforeEach
    void open() {
        books = new SpendingBooks(file);
        for (long height = 10; height < 15; height++) {
            block(height);
        }
    }

    private void block(long height, Spending... spendings) {
        write(head -> {
            put(head, place(height));
            List.of(spendings).forEach(spending -> table.write(head, spending));
        });
    }

    private SpendingBooks.Fate fate(long tip, Optional<BlockPlace> last) {
        List<SpendingBooks.Question> asked = List.of(new SpendingBooks.Question(OURS, List.of(FIRST, SECOND), last));
        return Await.result(books.fates(place(tip), asked)).orElseThrow().get(0);
    }

    @Test
    void a_transaction_that_nobody_believed_in_any_more_is_in_the_block_that_has_it() {
        assertThat(fate(14, Optional.empty())).isEqualTo(new SpendingBooks.Fate.Open());

        block(15, new Spending(FIRST, OURS, place(15)), new Spending(SECOND, OURS, place(15)));

        assertThat(fate(15, Optional.empty())).isEqualTo(new SpendingBooks.Fate.InBlock(place(15)));
        assertThat(fate(14, Optional.empty()))
                .as("at a tip below nobody is told of it yet")
                .isEqualTo(new SpendingBooks.Fate.Open());
        undo(14);
        assertThat(fate(14, Optional.of(place(15)))).isEqualTo(new SpendingBooks.Fate.Open());
    }

    @Test
    void one_input_that_another_transaction_has_spent_is_enough_for_being_lost_until_its_block_goes() {
        Spending won = new Spending(SECOND, RIVAL, place(15));
        block(15, won);
        assertThat(fate(15, Optional.empty())).isEqualTo(new SpendingBooks.Fate.Lost(won));

        undo(14);
        block(15, new Spending(FIRST, OURS, place(15)), new Spending(SECOND, OURS, place(15)));

        assertThat(fate(15, Optional.empty())).isEqualTo(new SpendingBooks.Fate.InBlock(place(15)));
    }

    @Test
    void of_a_block_from_before_the_books_only_its_id_tells() {
        assertThat(fate(14, Optional.of(place(12)))).isEqualTo(new SpendingBooks.Fate.InBlock(place(12)));
        assertThat(fate(14, Optional.of(new BlockPlace(12, RIVAL)))).isEqualTo(new SpendingBooks.Fate.Open());
        assertThat(fate(14, Optional.of(place(9))))
                .as("below the lowest block that is kept")
                .isEqualTo(new SpendingBooks.Fate.TooDeep());
    }

    @Test
    void on_another_chain_than_the_one_that_is_asked_about_nothing_is_reported() {
        Optional<List<SpendingBooks.Fate>> told = Await.result(books.fates(
                new BlockPlace(14, RIVAL),
                List.of(new SpendingBooks.Question(OURS, List.of(FIRST), Optional.empty()))));

        assertThat(told).isEmpty();
    }
}
