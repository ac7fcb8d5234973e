package org.chainwalletd.swap.legs;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.account.AccountBlock;
import org.chainwalletd.account.AccountChain;
import org.chainwalletd.account.AccountReads;
import org.chainwalletd.account.AccountReceipt;
import org.chainwalletd.account.BlockRef;
import org.chainwalletd.account.Finality;
import org.chainwalletd.account.SendRecord;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.swap.gates.SwapLimits;

/**
 * When our lock in the contract became settled, which is when the pool's time to lock begins. That we see it late, after a downtime, gives the
 * pool no more time: the quorum's blocks tell when it was. Where finality is a tag no block does, so the longest that a tag takes is added
 * to the time of the lock's own block.
 */
public final class LockDate {
    private final AccountChain chain;
    private final SwapLimits limits;
    private final Executor executor;

    LockDate(AccountChain chain, SwapLimits limits, Executor executor) {
        this.chain = chain;
        this.limits = limits;
        this.executor = executor;
    }

    /**
     * Unix seconds; fails when the quorum does not agree, and is then asked again.
     *
     * @param lock our transaction; one that the journal does not have, after a restore, counts from when it was seen
     * @param seen time of the block with which it was first seen to be settled
     */
    CompletionStage<Long> of(Optional<SendRecord> lock, long seen) {
        return block(lock.map(SendRecord::hashes).orElse(List.of()))
                .thenComposeAsync(
                        number -> number.isEmpty()
                                ? CompletableFuture.completedFuture(seen)
                                : after(number.get()).thenApplyAsync(time -> Math.min(time, seen), executor),
                        executor);
    }

    private CompletionStage<Optional<Long>> block(List<Hash256> versions) {
        return versions.isEmpty()
                ? CompletableFuture.completedFuture(Optional.empty())
                : chain.agreed(reads -> block(reads, versions));
    }

    private CompletionStage<Optional<Long>> block(AccountReads reads, List<Hash256> versions) {
        if (versions.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return reads.receipt(versions.get(0))
                .thenComposeAsync(
                        receipt -> receipt.isPresent()
                                ? CompletableFuture.completedFuture(receipt.map(AccountReceipt::blockNumber))
                                : block(reads, versions.subList(1, versions.size())),
                        executor);
    }

    private CompletionStage<Long> after(long number) {
        return limits.finality() instanceof Finality.Depth depth
                ? time(Math.addExact(number, depth.blocks()))
                : time(number).thenApplyAsync(time -> Math.addExact(time, limits.finalitySeconds()), executor);
    }

    private CompletionStage<Long> time(long number) {
        return chain.agreed(reads -> reads.block(BlockRef.number(number))
                .thenApplyAsync(
                        block -> block.map(AccountBlock::timestamp)
                                .orElseThrow(
                                        () -> new IllegalStateException("the account chain has lost block " + number)),
                        executor));
    }
}
