package org.chainwalletd.swap.legs;

import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.spend.ParameterDigest;
import org.chainwalletd.spend.ReturnPlan;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.TokenBinding;

/**
 * Spends what a lock that is not wanted any more would spend, to ourselves. The lock stops being ours to send in the store first; a mempool
 * may have it all the same, and then a block decides between the two.
 */
public final class InsteadOfLock {
    private static final Duration PAUSE = Duration.ofSeconds(30);

    private final ChainSide chain;

    InsteadOfLock(ChainSide chain) {
        this.chain = chain;
    }

    /** Once for each lock, however often it is asked for. What a mempool has refused because it has the lock is not offered in every round. */
    CompletionStage<Void> spend(String swap, Intent lock) {
        return chain.spending()
                .ofToken(SwapTokens.instead(swap))
                .thenComposeAsync(
                        before -> before.filter(this::wasJustRefused).isPresent()
                                ? CompletableFuture.completedFuture(null)
                                : push(swap, lock, before.isPresent()),
                        chain.executor());
    }

    private boolean wasJustRefused(Intent before) {
        return before.state().failed() && chain.clock().millis() - before.changedAt() < PAUSE.toMillis();
    }

    private CompletionStage<Void> push(String swap, Intent lock, boolean begun) {
        return given(lock, begun)
                .thenComposeAsync(
                        given -> given
                                ? chain.spending().spend(plan(swap, lock))
                                : CompletableFuture.failedFuture(new IllegalStateException(
                                        "the lock " + lock.txId() + " is being sent or is in a block at this moment")),
                        chain.executor())
                .thenComposeAsync(receipt -> chain.spending().push(receipt.txId()), chain.executor())
                .thenApplyAsync(pushed -> null, chain.executor());
    }

    /** Whoever has given it up may not have heard so, before its coins were kept for this spend. */
    private CompletionStage<Boolean> given(Intent lock, boolean begun) {
        return lock.state().inFlight() || lock.state() == IntentState.ABANDONED && !begun
                ? chain.spending().giveUp(lock.txId())
                : CompletableFuture.completedFuture(lock.state() != IntentState.CONFIRMED);
    }

    /** One input is enough to keep a transaction out of every later block. */
    private static ReturnPlan plan(String swap, Intent lock) {
        Coin coin = lock.inputs().stream()
                .max(Comparator.comparing(Coin::value).thenComparing(Coin::outpoint))
                .orElseThrow();
        Amount fee = ChainFee.of(ReturnPlan.minimumFee(), coin.value(), 1);
        Hash256 digest = new ParameterDigest(StandIns.SWAP_INSTEAD_OF_LOCK)
                .put(lock.from().toArray())
                .put(coin.outpoint().txId().toArray())
                .putNumber(coin.outpoint().index())
                .putNumber(fee.bits())
                .finish();
        return new ReturnPlan(
                StandIns.SWAP_INSTEAD_OF_LOCK,
                lock.from(),
                coin,
                fee,
                lock.builtAtHeight(),
                Optional.of(new TokenBinding(SwapTokens.instead(swap), digest)));
    }
}
