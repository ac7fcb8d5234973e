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
import org.chainwalletd.store.VerifiedOutput;

/**
 * Source of outputs that needs no node: followed blocks, our own intents. Its answers were read from the bytes of a transaction whose id
 * was computed from them, here or when they were recorded; a listing is not a source.
 */
@FunctionalInterface
public interface OutputSource {
    /** Maximum number of concurrent reads of intents. */
    int WIDTH = 8;

    /**
     * @return those of {@code wanted} that are known, in one batch; a failed stage means that the source knows nothing at present
     */
    CompletionStage<Map<Outpoint, VerifiedOutput>> find(Set<Outpoint> wanted);

    /** Source of the outputs of our own spends, above all change: their signed bytes are in the store. */
    static OutputSource ofIntents(ChainProfile profile, IntentStore intents, Executor executor) {
        return wanted -> {
            List<Hash256> transactions =
                    new ArrayList<>(wanted.stream().map(Outpoint::txId).collect(Collectors.toUnmodifiableSet()));
            return Bounded.each(transactions, WIDTH, intents::find, executor)
                    .thenApplyAsync(found -> among(profile, wanted, found), executor);
        };
    }

    private static Map<Outpoint, VerifiedOutput> among(
            ChainProfile profile, Set<Outpoint> wanted, List<Optional<Intent>> found) {
        Map<Outpoint, VerifiedOutput> known = new HashMap<>();
        for (Optional<Intent> intent : found) {
            intent.ifPresent(ours -> {
                Transaction tx = TransactionCodec.decode(ours.transaction().toArray());
                Hash256 txId = TransactionCodec.txId(profile, tx);
                wanted.stream()
                        .filter(one -> one.txId().equals(txId)
                                && one.index() < tx.outputs().size())
                        .forEach(one ->
                                known.put(one, VerifiedOutput.of(tx.outputs().get((int) one.index()))));
            });
        }
        return known;
    }
}
