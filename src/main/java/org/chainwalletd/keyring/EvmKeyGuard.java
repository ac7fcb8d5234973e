package org.chainwalletd.keyring;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.evm.EvmAddress;

/**
 * Says why an account-chain key must not be deleted or replaced yet. Whoever needs it brings one: the swap engine its open swaps, the account
 * chain's client the balance, the nonce owner what is not final. All are asked at the same time, after the passphrase was proved where one
 * is asked for, and once more by no one: who begins something with the key at this moment must be ready to hear {@link
 * EvmKeyRefusal.NotKept}.
 */
@FunctionalInterface
public interface EvmKeyGuard {
    /**
     * Of a daemon that knows no account chain. What cannot be known is not given up without {@code force}.
     */
    EvmKeyGuard BALANCE_UNKNOWN = key -> CompletableFuture.completedFuture(List.of(new EvmKeyObjection.Balance(
            "its balance is unknown, because no account chain is configured (force: true overrides)")));

    /** Everything against giving up {@code key}; empty for nothing. A failed stage counts as an unknown balance. */
    CompletionStage<List<EvmKeyObjection>> objections(EvmAddress key);
}
