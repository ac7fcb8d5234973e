package org.chainwalletd.htlc;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.node.NodeClient;

/**
 * Outputs of HTLCs in the books, read from transaction bytes: the books keep parties, terms and value of an HTLC, but not whether it has a datum.
 * Outputs are cached, since the bytes of an id never change. Thread-safe.
 */
public final class HtlcTransactions {
    private static final int REMEMBERED = 1_000;

    private final LockTransactions transactions;
    private final Executor executor;
    private final Map<Outpoint, TxOutput> known = Collections.synchronizedMap(new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Outpoint, TxOutput> eldest) {
            return size() > REMEMBERED;
        }
    });

    /** @param executor for continuations; never blocks */
    public HtlcTransactions(ChainProfile profile, NodeClient node, Executor executor) {
        this.transactions = new LockTransactions(profile, node, executor);
        this.executor = executor;
    }

    /**
     * Returns the output at {@code lock}, which must be the HTLC of {@code params}, with or without datum. Fails with {@link RefusedException} when
     * it is another output, and with {@link org.chainwalletd.node.NodeException} when no node has it.
     */
    public CompletionStage<TxOutput> output(Outpoint lock, HtlcParams params) {
        TxOutput before = known.get(lock);
        if (before != null) {
            return CompletableFuture.completedFuture(before);
        }
        return transactions
                .find(lock)
                .thenApplyAsync(
                        found -> {
                            TxOutput output = found.output(lock, params);
                            known.put(lock, output);
                            return output;
                        },
                        executor);
    }
}
