package org.chainwalletd.node;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Hash256;

/** {@link ChainIdentity} over what {@link NodeWatch} has published: on the good path it asks nobody. */
final class WatchedChainIdentity implements ChainIdentity {
    private final AtomicReference<NodesSeen> published;
    private final ActorRef<NodeWatch.Command> watch;

    WatchedChainIdentity(AtomicReference<NodesSeen> published, ActorRef<NodeWatch.Command> watch) {
        this.published = published;
        this.watch = watch;
    }

    @Override
    public CompletionStage<Hash256> genesisForSigning() {
        NodesSeen seen = published.get();
        if (seen.maySign()) {
            return CompletableFuture.completedFuture(seen.expected().orElseThrow());
        }
        CompletableFuture<Hash256> verified = new CompletableFuture<>();
        watch.tell(new NodeWatch.Verify(verified));
        return verified;
    }

    @Override
    public Optional<Hash256> expected() {
        return published.get().expected();
    }

    @Override
    public Optional<String> complaint() {
        return published.get().complaint();
    }
}
