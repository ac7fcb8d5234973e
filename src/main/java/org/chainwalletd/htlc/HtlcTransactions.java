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
 * The outputs of HTLCs that the books have, as their bytes say: the books keep parties, terms and value of an HTLC, not whether it carries a
 * datum. What was read once is remembered, since bytes of one id never change. Safe for threads.
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
     * The output at {@code lock}, which is the HTLC of {@code params}, whatever datum it carries. Fails with {@link RefusedException} when it is
     * another one, and with {@link org.chainwalletd.node.NodeException} when no node shows it.
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
