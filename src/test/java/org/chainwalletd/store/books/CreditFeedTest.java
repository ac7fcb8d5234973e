package org.chainwalletd.store.books;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.store.StoreSample.hash;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.Test;

/** A long log delays no other reader of the books. */
class CreditFeedTest extends OnBooks {
    private static final Address OURS = Address.of(hash(1).toArray());
    private static final int MANY = 5_000;

    private final CreditTable table = new CreditTable(page -> OURS::equals);
    private BlockPlace tip = place(0);
    private CreditFeed feed;

    @Override
    protected List<? extends BookTable<?, ?>> tables() {
        return List.of(new LedgerTable(), table);
    }

    private static BlockPlace place(long height) {
        return new BlockPlace(height, hash(-1 - (int) height));
    }

    /** Follows a first block, one with many small credits, and one with a larger credit that is not change. */
    private void follow(boolean change) {
        feed = new CreditFeed(file, () -> Optional.of(tip));
        write(head -> {
            for (int height = 0; height < 3; height++) {
                put(head, place(height));
            }
            for (int i = 0; i < MANY; i++) {
                table.write(head, credit(i, 1, place(1), change));
            }
            table.write(head, credit(MANY, 7, place(2), false));
        });
        tip = place(2);
    }

    private static Credit credit(int number, long amount, BlockPlace block, boolean change) {
        return new Credit(
                new Outpoint(hash(1_000 + number), 0),
                OURS,
                Amount.of(amount),
                block,
                number,
                false,
                change,
                false,
                Optional.empty());
    }

    private CreditCursor beginning(long depth) {
        return CreditCursor.beginning(Await.result(feed.store()), depth, Optional.of(OURS));
    }

    /** Asks, and then another query: returns the answer, and asserts that the other query did not wait for it. */
    private <A> A besideAnother(CreditCursor cursor, Function<CreditCursor, CompletionStage<A>> question) {
        CompletableFuture<Void> bothAsked = new CompletableFuture<>();
        file.read(session -> Await.result(bothAsked));
        CompletableFuture<A> answer = question.apply(cursor).toCompletableFuture();
        CompletableFuture<Boolean> other = file.read(session -> answer.isDone());
        bothAsked.complete(null);
        assertThat(Await.result(other)).as("was answered first").isFalse();
        return Await.result(answer);
    }

    private void assertLast(CreditFeed.Batch batch) {
        assertThat(batch.events()).extracting(event -> event.credit().amount()).containsExactly(Amount.of(7));
        assertThat(batch.more()).isFalse();
    }

    @Test
    void change_that_is_left_out_is_passed_in_pieces() {
        follow(true);

        assertLast(besideAnother(beginning(0), start -> feed.read(start, false, 1)));
        assertLast(besideAnother(beginning(1), start -> feed.read(start, false, 1)));
    }

    @Test
    void a_log_that_has_nothing_for_a_reader_of_blocks_is_passed_in_pieces() {
        follow(false);

        assertLast(besideAnother(beginning(1).at(1, 0), start -> feed.read(start, false, 1)));
    }

    @Test
    void payments_that_are_too_small_are_passed_in_pieces() {
        follow(false);

        CreditFeed.NextPayment next = besideAnother(beginning(0), start -> feed.payment(start, Amount.of(2)));
        assertThat(next.payment()).map(CreditFeed.Payment::amount).contains(Amount.of(7));
    }

    @Test
    void a_payment_that_was_seen_after_the_cursor_is_found_however_many_entries_lie_between() {
        write(head -> CreditTable.see(head, credit(MANY, 7, Credit.nowhere(hash(1_000 + MANY)), false)));
        follow(false);

        CreditFeed.NextPayment next = Await.result(feed.payment(beginning(0), Amount.of(2)));
        assertThat(next.payment()).map(CreditFeed.Payment::height).contains(Optional.of(2L));
    }

    @Test
    void a_reader_of_blocks_who_begins_reads_nothing_of_the_log() {
        follow(false);

        CreditFeed.Batch first = Await.result(feed.read(beginning(1), false, 1));

        assertThat(first.events()).hasSize(1);
        assertThat(first.cursor().log()).isEqualTo(MANY + 1);
        assertThat(Await.result(file.read(BooksSession::statements)))
                .noneMatch(statement -> statement.contains("FROM credit_log l LEFT JOIN"));
    }
}
