package org.chainwalletd.swap.legs;

import java.math.BigInteger;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.account.AccountBlock;
import org.chainwalletd.account.AccountChain;
import org.chainwalletd.account.BlockRef;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.evm.SwapContract;

/**
 * What the quorum says of a slot of the contract, at a final block and at the newest one. Fails when it does not agree, as for a moment when
 * one endpoint has a block that another one has not.
 */
public final class ContractLook {
    private static final SwapContract.Swap NOTHING = new SwapContract.Swap(
            EvmAddress.of(new byte[EvmAddress.LENGTH]),
            EvmAddress.of(new byte[EvmAddress.LENGTH]),
            BigInteger.ZERO,
            0,
            SwapContract.State.NONE);

    private final AccountChain chain;
    private final Executor executor;

    ContractLook(AccountChain chain, Executor executor) {
        this.chain = chain;
        this.executor = executor;
    }

    CompletionStage<ContractSight> look(EvmAddress contract, Hash256 hashLock) {
        CompletionStage<SwapContract.Swap> settled =
                chain.finalBlock().thenComposeAsync(block -> settled(contract, hashLock, block), executor);
        CompletionStage<SwapContract.Swap> latest =
                chain.agreed(reads -> reads.swap(contract, hashLock, BlockRef.Tag.LATEST));
        return settled.thenCombineAsync(latest, Slots::new, executor)
                .thenCombineAsync(
                        latestTime(),
                        (slots, time) -> new ContractSight(slots.settled(), slots.latest(), time),
                        executor);
    }

    private record Slots(SwapContract.Swap settled, SwapContract.Swap latest) {}

    private CompletionStage<SwapContract.Swap> settled(
            EvmAddress contract, Hash256 hashLock, Optional<AccountBlock> block) {
        return block.isEmpty()
                ? CompletableFuture.completedFuture(NOTHING)
                : chain.agreed(reads ->
                        reads.swap(contract, hashLock, BlockRef.hash(block.get().hash())));
    }

    /** No single endpoint makes a refund look due. */
    private CompletionStage<Long> latestTime() {
        return chain.reached(reads -> reads.block(BlockRef.Tag.LATEST)
                .thenApplyAsync(block -> block.map(AccountBlock::timestamp).orElse(0L), executor));
    }
}
