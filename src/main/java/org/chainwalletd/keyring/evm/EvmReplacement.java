package org.chainwalletd.keyring.evm;

import java.util.Optional;

/** Whether a new account-chain key may take the place of the current one, which is kept, sealed, by its address (swap.md, section 5). */
public sealed interface EvmReplacement {
    /** It may not: a present key is refused, and told how to go past. */
    record Never(String way) implements EvmReplacement {}

    /** It may, when the guard has nothing against it. */
    record Guarded(EvmKeyGuard guard) implements EvmReplacement {}

    /** It may, whatever the key holds, unless a swap is open. */
    record Forced(EvmKeyGuard guard) implements EvmReplacement {}

    /** Empty for one that never replaces. */
    default Optional<EvmKeyGuard> asked() {
        if (this instanceof Guarded guarded) {
            return Optional.of(guarded.guard());
        }
        return this instanceof Forced forced ? Optional.of(forced.guard()) : Optional.empty();
    }
}
