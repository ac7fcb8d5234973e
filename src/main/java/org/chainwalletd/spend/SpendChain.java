package org.chainwalletd.spend;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.U64;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.SpendingBooks;

/** View of the followed chain for spending: every answer is based on verified bytes, not on a node's claim. Thread-safe. */
public interface SpendChain {
    /**
     * Fates of some spends.
     *
     * @param tip tip of the chain that was examined
     * @param fates one for each question, in their order
     */
    record Fates(BlockPlace tip, List<SpendingBooks.Fate> fates) {}

    /** Followed tip; empty before the first block. */
    Optional<BlockPlace> tip();

    /** Time of the followed tip according to its block, milliseconds since 1970; empty before the first block. */
    OptionalLong tipMillis();

    /** URLs of nodes that name a tip whose block they do not provide. */
    Set<String> setAside();

    void subscribe(ActorRef<FollowEvent> subscriber);

    /**
     * Finds the fates of spends. Empty before the first block, and while the chain is being changed: the next event signals when to ask
     * again.
     */
    CompletionStage<Optional<Fates>> fates(List<SpendingBooks.Question> questions);

    /** Checks the work of the blocks between two heights, both included, unless it was checked before; true when all of it has been checked. */
    default CompletionStage<Boolean> provesWork(long from, long to) {
        return CompletableFuture.completedFuture(false);
    }

    /** Checks whether a transaction is in a block of the followed chain that the books do not cover. */
    CompletionStage<Boolean> proves(Hash256 txId, BlockPlace place);

    /** View over the follower and its books. */
    final class Followed implements SpendChain {
        private static final long LATEST_SECONDS = Long.MAX_VALUE / 1_000;

        private final Follower follower;
        private final SpendingBooks books;
        private final Executor executor;

        public Followed(Follower follower, SpendingBooks books, Executor executor) {
            this.follower = follower;
            this.books = books;
            this.executor = executor;
        }

        @Override
        public Optional<BlockPlace> tip() {
            return follower.tip().map(FollowedTip::place);
        }

        /** Time of the followed tip; a time too large for milliseconds becomes the largest one. */
        @Override
        public OptionalLong tipMillis() {
            return follower.tip().map(FollowedTip::timestamp).stream()
                    .mapToLong(seconds -> U64.compare(seconds, LATEST_SECONDS) > 0
                            ? Long.MAX_VALUE
                            : TimeUnit.SECONDS.toMillis(seconds))
                    .findFirst();
        }

        @Override
        public Set<String> setAside() {
            return follower.nodesWithIgnoredTips();
        }

        @Override
        public void subscribe(ActorRef<FollowEvent> subscriber) {
            follower.subscribe(subscriber);
        }

        @Override
        public CompletionStage<Optional<Fates>> fates(List<SpendingBooks.Question> questions) {
            return tip().map(tip -> books.fates(tip, questions)
                            .thenApplyAsync(found -> found.map(fates -> new Fates(tip, fates)), executor))
                    .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
        }

        @Override
        public CompletionStage<Boolean> provesWork(long from, long to) {
            return follower.provesWork(from, to);
        }

        @Override
        public CompletionStage<Boolean> proves(Hash256 txId, BlockPlace place) {
            return follower.proves(txId, place);
        }
    }
}
