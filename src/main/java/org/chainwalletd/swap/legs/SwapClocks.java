package org.chainwalletd.swap.legs;

import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountReads;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.account.endpoints.BlockRef;
import org.chainwalletd.chain.Reward;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.swap.gates.QuoteBinding;
import org.chainwalletd.swap.gates.SwapRow;

/**
 * The three clocks by which a quote and a lock are judged: the height of the followed chain, the newest block time that a quorum of the account
 * chain's endpoints has reached, and this machine's clock.
 *
 * @param executor for continuations; never blocks
 */
public record SwapClocks(
        AccountChain chain, Supplier<Optional<FollowedTip>> tip, InstantSource clock, Executor executor) {
    /** Returns the current readings. Fails with {@link org.chainwalletd.account.endpoints.AccountException} when no quorum answers. */
    public CompletionStage<QuoteBinding.Now> now() {
        return chain.reached(SwapClocks::newestTime)
                .thenApplyAsync(
                        evmSeconds -> {
                            long height = tip.get()
                                    .orElseThrow(() -> new IllegalStateException("the chain is not followed yet"))
                                    .height();
                            return new QuoteBinding.Now(
                                    clock.instant().getEpochSecond(), height, evmSeconds, Reward.at(height));
                        },
                        executor);
    }

    private static long newestTime(AccountReads reads) {
        return reads.block(BlockRef.Tag.LATEST)
                .map(AccountBlock::timestamp)
                .orElseThrow(() -> new IllegalStateException("the account chain names no newest block"));
    }

    /** Returns the objection to a lock now, by the bounds and by the quote's expiry. */
    public CompletionStage<Optional<String>> against(QuoteBinding binding, SwapRow row) {
        return now().thenApplyAsync(now -> binding.stillGood(row.terms(), row.minimumOut(), now), executor);
    }
}
