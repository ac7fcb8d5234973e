package org.chainwalletd.coins;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.books.LedgerBooks;

/** Source of the outputs to own addresses that followed blocks have shown. */
public final class LedgerOutputs implements OutputSource {
    private final LedgerBooks books;
    private final Executor executor;

    public LedgerOutputs(LedgerBooks books, Executor executor) {
        this.books = books;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Map<Outpoint, VerifiedOutput>> find(Set<Outpoint> wanted) {
        return books.verified(wanted)
                .thenApplyAsync(
                        known -> {
                            Map<Outpoint, VerifiedOutput> outputs = new HashMap<>();
                            known.forEach((outpoint, output) ->
                                    outputs.put(outpoint, new VerifiedOutput(output.getKey(), output.getValue())));
                            return outputs;
                        },
                        executor);
    }
}
