package org.chainwalletd.rpc.method.keyring;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.KeyEntry;
import org.chainwalletd.store.Intent;

/**
 * Keeps a key while a spend of this daemon that spends from its address, or pays to it, is not settled. The nodes may have forgotten the
 * transaction by now; it is sent again, and its change would come to a key that is gone.
 */
public final class OwnSpendsGuard implements DeletionGuard {
    private final Supplier<CompletionStage<List<Intent>>> inFlight;
    private final Executor executor;

    /** @param inFlight the spends that are not settled */
    public OwnSpendsGuard(Supplier<CompletionStage<List<Intent>>> inFlight, Executor executor) {
        this.inFlight = inFlight;
        this.executor = executor;
    }

    @Override
    public CompletionStage<Optional<String>> objection(KeyEntry entry) {
        return inFlight.get()
                .thenApplyAsync(
                        spends -> spends.stream()
                                .filter(spend -> concerns(spend, entry.address()))
                                .findFirst()
                                .map(spend ->
                                        "the spend " + spend.txId() + " of this daemon needs it until it is settled"),
                        executor);
    }

    private static boolean concerns(Intent spend, Address address) {
        return spend.state().inFlight()
                && (spend.from().equals(address)
                        || TransactionCodec.decode(spend.transaction().toArray()).outputs().stream()
                                .anyMatch(output -> output.address().equals(Optional.of(address))));
    }
}
