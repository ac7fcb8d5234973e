package org.chainwalletd.keyring;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.KeyEvents.OwnKey;

/** A listener that has nothing against anything. */
final class SilentEvents implements KeyEvents {
    @Override
    public CompletionStage<Void> added(List<OwnKey> keys) {
        return CompletableFuture.completedStage(null);
    }

    @Override
    public void learnt(List<OwnKey> keys) {}

    @Override
    public void removed(Set<Address> addresses) {}
}
