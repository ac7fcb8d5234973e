package org.chainwalletd.rpc.method;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.chainwalletd.api.Htlcs;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.htlc.HtlcRecords;
import org.chainwalletd.keyring.DeletionGuard;
import org.chainwalletd.keyring.evm.EvmKeyGuard;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.swap.engine.SwapBook;

/** Guards against deleting keys that unfinished operations of the daemon still need. */
public final class KeyUseGuards {
    private KeyUseGuards() {}

    /** Guards a key that an open HTLC needs: its receiver's to claim, its sender's to reclaim. */
    public static DeletionGuard openHtlcs(HtlcRecords records, Executor executor) {
        return entry -> {
            HtlcRecords.Query open = new HtlcRecords.Query(
                    EnumSet.of(Htlcs.Role.SENDER, Htlcs.Role.RECEIVER, Htlcs.Role.BOTH),
                    EnumSet.of(Htlcs.State.LOCKED, Htlcs.State.LOCKED_EXPIRED),
                    OptionalLong.empty(),
                    Optional.of(entry.address()),
                    Optional.empty(),
                    1);
            return records.list(open)
                    .thenApplyAsync(
                            page -> page.records().stream()
                                    .findFirst()
                                    .map(found -> "the open HTLC " + found.lock() + " needs it"),
                            executor);
        };
    }

    /**
     * Guards a key while a spend of this daemon that spends from its address, or pays to it, is not settled. Even if no node has the
     * transaction any more, it is rebroadcast, and its change would go to a deleted key.
     *
     * @param openSpendOf finds a spend in flight that involves an address
     */
    public static DeletionGuard openSpends(
            Function<Address, CompletionStage<Optional<Hash256>>> openSpendOf, Executor executor) {
        return entry -> openSpendOf
                .apply(entry.address())
                .thenApplyAsync(
                        spend ->
                                spend.map(txId -> "the spend " + txId + " of this daemon needs it until it is settled"),
                        executor);
    }

    /**
     * Guards the keys of both chains that an open swap needs to claim, or to reclaim its lock.
     *
     * @param known completes when this daemon knows the open swaps; fails if only another daemon knows them, which is an objection
     */
    public record OpenSwaps(SwapBook swaps, Supplier<CompletionStage<Void>> known, Executor executor)
            implements DeletionGuard, EvmKeyGuard {
        @Override
        public CompletionStage<Optional<String>> objection(KeyEntry entry) {
            return objection(() -> swaps.needing(entry.address()));
        }

        @Override
        public CompletionStage<List<EvmKeyGuard.Objection>> objections(EvmAddress key) {
            return objection(() -> swaps.needing(key))
                    .thenApplyAsync(
                            found -> found.<EvmKeyGuard.Objection>map(EvmKeyGuard.Objection.OpenSwap::new).stream()
                                    .toList(),
                            executor);
        }

        private CompletionStage<Optional<String>> objection(Supplier<Optional<String>> needing) {
            return known.get()
                    .handleAsync(
                            (yes, failure) -> failure == null
                                    ? needing.get().map(id -> "the open swap " + id + " needs it")
                                    : Optional.of("whether an open swap needs it is not known: "
                                            + Causes.of(failure).getMessage()),
                            executor);
        }
    }
}
