package org.chainwalletd.rpc.method.indexer;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.indexer.InChainSwap;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.U32;

/** {@code detect_in_chain_swaps}. */
final class DetectInChainSwapsMethod
        extends IndexerMethod<DetectInChainSwapsMethod.Params, DetectInChainSwapsMethod.Result> {
    public record Params(
            @Doc("Only HTLCs with this hash lock") Optional<Hash256> hashLock,

            @Doc("Most groups, 100 by default, at most 1000") @U32
            OptionalLong limit) {}

    public record Result(List<Swap> swaps) {}

    public record Swap(Hash256 hashLock, @Doc("Two or more") List<IndexedHtlcView> htlcs) {}

    private final Executor executor;

    DetectInChainSwapsMethod(IndexerAccess indexer, Executor executor) {
        super(
                "detect_in_chain_swaps",
                "HTLCs of this chain that share a hash lock.",
                Params.class,
                Result.class,
                indexer);
        this.executor = executor;
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        OptionalInt limit = OptionalInt.of(IndexerAccess.limit(params.limit()));
        return indexer.ask(client -> client.swaps(params.hashLock(), limit))
                .thenApplyAsync(
                        swaps -> new Result(swaps.stream()
                                .map(DetectInChainSwapsMethod::swap)
                                .toList()),
                        executor);
    }

    private static Swap swap(InChainSwap swap) {
        return new Swap(
                swap.hashLock(), swap.htlcs().stream().map(IndexedHtlcView::of).toList());
    }
}
