package org.chainwalletd.wait;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.node.push.PushFeed.WatchReason;
import org.chainwalletd.store.books.CreditCursor;
import org.chainwalletd.store.books.CreditFeed;

/**
 * Question asked repeatedly to the credit feed until it has an answer. Equal questions have equal answers.
 *
 * @param <A> answer of the feed
 */
sealed interface FeedQuestion<A> {
    CreditCursor cursor();

    CompletionStage<A> ask(CreditFeed feed);

    /** Returns whether an answer ends the wait. */
    boolean isAnswered(A answer);

    /** Returns the next question, which starts after what was read. */
    FeedQuestion<A> after(A answer);

    /** Returns the answer for a time-out. */
    A nothing();

    /** Returns the reason for which the question's address is watched, if it has one. */
    WatchReason reason();

    default Optional<Address> address() {
        return cursor().address();
    }

    /**
     * Question for the next events.
     *
     * @param change whether change outputs are included
     * @param limit maximum number of events per answer
     */
    record NextCredits(CreditCursor cursor, boolean change, int limit) implements FeedQuestion<CreditFeed.Batch> {
        @Override
        public CompletionStage<CreditFeed.Batch> ask(CreditFeed feed) {
            return feed.read(cursor, change, limit);
        }

        @Override
        public boolean isAnswered(CreditFeed.Batch answer) {
            return !answer.events().isEmpty();
        }

        @Override
        public FeedQuestion<CreditFeed.Batch> after(CreditFeed.Batch answer) {
            return new NextCredits(answer.cursor(), change, limit);
        }

        @Override
        public CreditFeed.Batch nothing() {
            return new CreditFeed.Batch(List.of(), cursor, false, -1);
        }

        @Override
        public WatchReason reason() {
            return WatchReason.FEED;
        }
    }

    /** Question for the next transaction that pays the cursor's address at least {@code least}. */
    record NextPayment(CreditCursor cursor, Amount least) implements FeedQuestion<CreditFeed.NextPayment> {
        @Override
        public CompletionStage<CreditFeed.NextPayment> ask(CreditFeed feed) {
            return feed.payment(cursor, least);
        }

        @Override
        public boolean isAnswered(CreditFeed.NextPayment answer) {
            return answer.payment().isPresent();
        }

        @Override
        public FeedQuestion<CreditFeed.NextPayment> after(CreditFeed.NextPayment answer) {
            return new NextPayment(answer.cursor(), least);
        }

        @Override
        public CreditFeed.NextPayment nothing() {
            return new CreditFeed.NextPayment(Optional.empty(), cursor, -1);
        }

        @Override
        public WatchReason reason() {
            return WatchReason.WAIT;
        }
    }
}
