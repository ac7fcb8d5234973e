package org.chainwalletd.spend;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.SpendingBooks;

/** A followed chain whose blocks were made when a test says so: a development chain goes by the system's clock. */
record TimedChain(SpendChain chain, Supplier<OptionalLong> millis) implements SpendChain {
    @Override
    public Optional<BlockPlace> tip() {
        return chain.tip();
    }

    @Override
    public OptionalLong tipMillis() {
        return millis.get();
    }

    @Override
    public Set<String> setAside() {
        return chain.setAside();
    }

    @Override
    public void subscribe(ActorRef<FollowEvent> subscriber) {
        chain.subscribe(subscriber);
    }

    @Override
    public CompletionStage<Optional<Fates>> fates(List<SpendingBooks.Question> questions) {
        return chain.fates(questions);
    }

    @Override
    public CompletionStage<Boolean> provesWork(long from, long to) {
        return chain.provesWork(from, to);
    }

    @Override
    public CompletionStage<Boolean> proves(Hash256 txId, BlockPlace place) {
        return chain.proves(txId, place);
    }
}
