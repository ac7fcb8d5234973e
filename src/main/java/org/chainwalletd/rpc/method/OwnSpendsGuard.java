package org.chainwalletd.rpc.method;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.store.KeyEntry;

/**
 * Keeps a key while a spend of this daemon that spends from its address, or pays to it, is not settled. The nodes may have forgotten the
 * transaction by now; it is sent again, and its change would come to a key that is gone.
 */
public final class OwnSpendsGuard implements DeletionGuard {
    private final Function<Address, CompletionStage<Optional<Hash256>>> openSpendOf;
    private final Executor executor;

    /** @param openSpendOf a spend in flight that an address has to do with */
    public OwnSpendsGuard(Function<Address, CompletionStage<Optional<Hash256>>> openSpendOf, Executor executor) {
        this.openSpendOf = openSpendOf;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Optional<String>> objection(KeyEntry entry) {
        return openSpendOf
                .apply(entry.address())
                .thenApplyAsync(
                        spend ->
                                spend.map(txId -> "the spend " + txId + " of this daemon needs it until it is settled"),
                        executor);
    }
}
