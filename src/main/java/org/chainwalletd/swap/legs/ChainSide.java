package org.chainwalletd.swap.legs;

import static org.chainwalletd.stage.Blocking.await;

import java.time.InstantSource;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.htlc.HashLockBooks;
import org.chainwalletd.htlc.HtlcSpends;
import org.chainwalletd.htlc.HtlcTransactions;
import org.chainwalletd.keyring.Signer;
import org.chainwalletd.node.ChainIdentity;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.SpendChain;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.swap.gates.SwapLimits;

/**
 * The chain as the legs on it use it: its state is read from the daemon's own books, and sends take the path of every other spend.
 *
 * @param books HTLCs of our keys
 * @param transactions bytes of their outputs
 * @param spends fate of coins
 * @param namedHeight the higher of what nodes have proven and what a node whose chain extends ours last reported, in this run; negative before the
 *     first
 * @param executor for continuations; never blocks
 */
public record ChainSide(
        ChainProfile profile,
        NodeClient node,
        ChainIdentity identity,
        Signer signer,
        SpendService spending,
        HtlcSpends htlcs,
        HashLockBooks books,
        HtlcTransactions transactions,
        SpendChain spends,
        InstantSource clock,
        LongSupplier namedHeight,
        Executor executor) {
    /** Depth that counts as final (swap.md, section 6). */
    static final long FINAL_DEPTH = 60;

    /** @throws IllegalStateException while the followed chain is being changed */
    HashLockBooks.View look(HashLockBooks.Question question) {
        return await(books.look(question))
                .orElseThrow(() -> new IllegalStateException("the followed chain is being changed at this moment"));
    }

    /** Tests whether a spend in the block at this height is final. */
    static boolean isFinal(HashLockBooks.View view, long height) {
        return view.depth(height) >= FINAL_DEPTH;
    }

    long now() {
        return clock.instant().getEpochSecond();
    }

    /**
     * Requires a fresh tip; when the chain has stalled, a check that depends on it must stay undecided.
     *
     * @throws IllegalStateException when the followed tip is older than {@link SwapLimits#MAX_CHAIN_BLOCK_AGE}
     */
    void requireFresh(FollowedTip tip, SwapLimits limits) {
        long age = now() - tip.timestamp();
        if (!limits.development() && age > SwapLimits.MAX_CHAIN_BLOCK_AGE) {
            throw new IllegalStateException("the newest block of the chain is " + age + " s old; at most "
                    + SwapLimits.MAX_CHAIN_BLOCK_AGE + " s are allowed");
        }
    }
}
