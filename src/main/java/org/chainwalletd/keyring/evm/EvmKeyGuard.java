package org.chainwalletd.keyring.evm;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.chainwalletd.evm.EvmAddress;

/**
 * Check that can object to deleting or replacing an account-chain key. Each part that needs the key supplies one: the swap engine for open
 * swaps, the account chain's client for the balance, the nonce owner for transactions that are not final. All are asked in parallel, after
 * the passphrase was verified if one is required. A caller that starts using the key concurrently must handle {@link
 * EvmKeyRefusal#notKept}.
 */
@FunctionalInterface
public interface EvmKeyGuard {
    /** Guard of a daemon without an account chain: the key's use is unknown, so it is not given up without {@code force}. */
    EvmKeyGuard BALANCE_UNKNOWN = key -> CompletableFuture.completedFuture(
            List.of(new Objection.Balance("its balance is unknown, because no account chain is configured")));

    /**
     * Combines several guards.
     *
     * @param executor combines the answers; any pool of the daemon
     */
    static EvmKeyGuard all(List<EvmKeyGuard> guards, Executor executor) {
        return key -> {
            CompletionStage<List<Objection>> all = CompletableFuture.completedFuture(List.of());
            for (EvmKeyGuard guard : guards) {
                all = all.thenCombineAsync(
                        guard.objections(key),
                        (some, more) ->
                                Stream.concat(some.stream(), more.stream()).toList(),
                        executor);
            }
            return all;
        };
    }

    /**
     * Returns all objections to giving up {@code key}; empty if there are none. A failed stage counts as an open swap, which no replacement
     * overrides.
     */
    CompletionStage<List<Objection>> objections(EvmAddress key);

    /** Objection to giving up an account-chain key. */
    public sealed interface Objection {
        /** Text for the caller. */
        String reason();

        /** An open swap needs the key to claim or refund. Can be forced for a deletion, never for a replacement (swap.md, section 5). */
        record OpenSwap(String reason) implements Objection {}

        /** The key holds, or may hold, money on the account chain: a balance, or one that could not be determined. */
        record Balance(String reason) implements Objection {}

        /** Transactions of the key have been sent, are not final and may have to be replaced. */
        record Unsettled(String reason) implements Objection {}
    }
}
