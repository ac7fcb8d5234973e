package org.chainwalletd.rpc.method;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.evm.EvmKeyGuard;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.swap.engine.SwapBook;

/** Keeps the keys of both chains that an open swap needs to claim, or to take its lock back. */
public final class OpenSwapsGuard implements DeletionGuard, EvmKeyGuard {
    private final SwapBook swaps;

    public OpenSwapsGuard(SwapBook swaps) {
        this.swaps = swaps;
    }

    @Override
    public CompletionStage<Optional<String>> objection(KeyEntry entry) {
        return CompletableFuture.completedFuture(
                swaps.needing(entry.address()).map(id -> "the open swap " + id + " needs it"));
    }

    @Override
    public CompletionStage<List<EvmKeyGuard.Objection>> objections(EvmAddress key) {
        return CompletableFuture.completedFuture(swaps.needing(key)
                .<List<EvmKeyGuard.Objection>>map(
                        id -> List.of(new EvmKeyGuard.Objection.OpenSwap("the open swap " + id + " needs it")))
                .orElse(List.of()));
    }
}
