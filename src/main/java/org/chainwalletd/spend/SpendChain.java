package org.chainwalletd.spend;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.SpendingBooks;

/** The followed chain as spending needs it: all that it says rests on bytes, nothing on the word of a node. Safe for threads. */
public interface SpendChain {
    /**
     * What became of some spends.
     *
     * @param tip the end of the chain that was looked at
     * @param fates in the order of the questions
     */
    record Fates(BlockPlace tip, List<SpendingBooks.Fate> fates) {}

    /** The followed tip; empty before the first block. */
    Optional<BlockPlace> tip();

    /** When the block of the followed tip was made, as it says: milliseconds since 1970; empty before the first block. */
    OptionalLong tipMillis();

    /** URLs of nodes that name a tip whose block they do not show. */
    Set<String> setAside();

    void subscribe(ActorRef<FollowEvent> subscriber);

    /** Empty before the first block, and while the chain is being changed: the next event says when to ask again. */
    CompletionStage<Optional<Fates>> fates(List<SpendingBooks.Question> questions);

    /** Whether the work of the blocks between two heights, both included, is checked, now if it was not before. */
    default CompletionStage<Boolean> provesWork(long from, long to) {
        return CompletableFuture.completedFuture(false);
    }

    /** Whether a transaction is in a block of the followed chain that the books know nothing of. */
    CompletionStage<Boolean> proves(Hash256 txId, BlockPlace place);
}
