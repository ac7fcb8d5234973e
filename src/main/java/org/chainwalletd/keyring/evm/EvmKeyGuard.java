package org.chainwalletd.keyring.evm;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.chainwalletd.evm.EvmAddress;

/**
 * Says why an account-chain key must not be deleted or replaced yet. Whoever needs it brings one: the swap engine its open swaps, the account
 * chain's client the balance, the nonce owner what is not final. All are asked at the same time, after the passphrase was proved where one
 * is asked for. Who begins something with the key at this moment must be ready to hear {@link EvmKeyRefusal#notKept}.
 */
@FunctionalInterface
public interface EvmKeyGuard {
    /**
     * Guard of a daemon that knows no account chain. A key whose use cannot be known is not given up without {@code force}.
     */
    EvmKeyGuard BALANCE_UNKNOWN = key -> CompletableFuture.completedFuture(
            List.of(new Objection.Balance("its balance is unknown, because no account chain is configured")));

    /**
     * Several as one.
     *
     * @param executor for putting the answers together: any pool of the daemon
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

    /** Everything against giving up {@code key}; empty for nothing. A failed stage counts as an open swap, which no replacement goes past. */
    CompletionStage<List<Objection>> objections(EvmAddress key);

    /** Objection to giving up an account-chain key. */
    public sealed interface Objection {
        /** In words for the caller. */
        String reason();

        /** A swap that is not over needs the key to claim or to refund. Overridden for a deletion, never for a replacement (swap.md, section 5). */
        record OpenSwap(String reason) implements Objection {}

        /** It holds, or may hold, money of the account chain: a balance, or one that could not be learnt. */
        record Balance(String reason) implements Objection {}

        /** Transactions of it are sent and not final, and may have to be replaced. */
        record Unsettled(String reason) implements Objection {}
    }
}
