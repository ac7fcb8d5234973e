package org.chainwalletd.coins;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentStore;

/** Source of the outputs of our own spends, above all change: their signed bytes are in the store. */
public final class IntentOutputs implements OutputSource {
    /** Most reads of the store at a time. */
    private static final int WIDTH = 8;

    private final ChainProfile profile;
    private final IntentStore intents;
    private final Executor executor;

    public IntentOutputs(ChainProfile profile, IntentStore intents, Executor executor) {
        this.profile = profile;
        this.intents = intents;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Map<Outpoint, VerifiedOutput>> find(Set<Outpoint> wanted) {
        List<Hash256> transactions =
                new ArrayList<>(wanted.stream().map(Outpoint::txId).collect(Collectors.toUnmodifiableSet()));
        return Bounded.each(transactions, WIDTH, intents::find, executor)
                .thenApplyAsync(found -> among(wanted, found), executor);
    }

    private Map<Outpoint, VerifiedOutput> among(Set<Outpoint> wanted, List<Optional<Intent>> found) {
        Map<Outpoint, VerifiedOutput> known = new HashMap<>();
        for (Optional<Intent> intent : found) {
            intent.ifPresent(ours -> {
                Transaction tx = TransactionCodec.decode(ours.transaction().toArray());
                known.putAll(VerifiedOutputs.outputsOf(TransactionCodec.txId(profile, tx), tx, wanted));
            });
        }
        return known;
    }
}
