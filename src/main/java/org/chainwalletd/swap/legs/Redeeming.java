package org.chainwalletd.swap.legs;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Optional;
import java.util.function.IntFunction;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.spend.OwnerRebroadcasts;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gets the spend of a lock mined. Each call rebroadcasts it to every node that lacks it. Mempools replace nothing, so a version with a higher fee
 * takes its place only when no node has it and at least one has rejected it on its merits. A node may falsely report that it has the spend: a spend
 * that another node has rejected and that stays unmined for {@link #UNMINED_BLOCKS} is replaced nevertheless. Each version is an intent of its own
 * before it is sent, and any of them may be mined. Stateless: what was sent is in the store.
 *
 * @param earlier token of a spend that was begun for another reason and serves as well
 * @param tokens token of each version, from 1
 * @param minimum fee by consensus
 * @param value of the lock's output
 * @param tip height of the followed tip
 */
public record Redeeming(
        ChainSide chain,
        Optional<String> earlier,
        IntFunction<String> tokens,
        Amount minimum,
        Amount value,
        long tip,
        Sending sending) {
    private static final Logger LOG = LoggerFactory.getLogger(Redeeming.class);
    private static final int MOST_VERSIONS = 6;
    /** Age of a spend from which a refusal counts; an earlier refusal may resolve itself, as when the node is busy or lacks the lock's block. */
    private static final Duration MIN_REFUSAL_AGE = Duration.ofSeconds(30);
    /** Blocks after which a spend that a node claims to have, but that stays unmined, counts as withheld by that node. */
    private static final long UNMINED_BLOCKS = 30;

    /** Makes one version durable and sends it. */
    interface Sending {
        Receipt send(String token, Amount fee);
    }

    /** @param number of the newest version; 0 if the intent was begun for another reason or there is none */
    private record Version(int number, Optional<Intent> intent) {}

    /** Sends or rebroadcasts the spend; returns the id of the newest version. */
    Hash256 push() {
        Version newest =
                new Version(0, earlier.flatMap(token -> await(chain.spending().ofToken(token))));
        while (newest.number() < MOST_VERSIONS) {
            int next = newest.number() + 1;
            Optional<Intent> found = await(chain.spending().ofToken(tokens.apply(next)));
            if (found.isEmpty()) {
                break;
            }
            newest = new Version(next, found);
        }
        return proceed(newest);
    }

    private Hash256 proceed(Version newest) {
        if (newest.intent().isEmpty()) {
            return send(1);
        }
        Intent intent = newest.intent().get();
        if (intent.state() == IntentState.CONFIRMED) {
            return everywhere(intent.txId());
        }
        if (intent.state().inFlight()) {
            return after(newest.number(), intent, await(chain.spending().push(intent.txId())));
        }
        return send(isPricedOut(intent) ? above(newest.number()) : Math.max(1, newest.number()));
    }

    /**
     * Tests whether a closed spend needs a higher fee. A spend in a mempool excludes every other spend of its input, regardless of fees: only a
     * block decides between the two.
     */
    private boolean isPricedOut(Intent closed) {
        return closed.state() == IntentState.ABANDONED || closed.state() != IntentState.CONFLICTED && isOld(closed);
    }

    private Hash256 after(int number, Intent intent, OwnerRebroadcasts.Answer pushed) {
        boolean isUnwanted = pushed.isRefused() || !pushed.refusals().isEmpty() && isUnmined(intent);
        if (!isUnwanted || !isOld(intent) || number == MOST_VERSIONS) {
            return intent.txId();
        }
        LOG.warn(
                "nodes reject {} of a swap, it is sent with a higher fee: {}",
                intent.txId(),
                pushed.refusals().get(0));
        boolean isAbandoned = await(chain.spending().abandon(intent.txId()));
        return isAbandoned ? send(above(number)) : intent.txId();
    }

    private static int above(int number) {
        return Math.min(MOST_VERSIONS, number + 1);
    }

    private boolean isUnmined(Intent intent) {
        return tip - intent.builtAtHeight() >= UNMINED_BLOCKS;
    }

    private boolean isOld(Intent intent) {
        return chain.clock().millis() - intent.createdAt() >= MIN_REFUSAL_AGE.toMillis();
    }

    /** Sends to one node like every spend, then to all others. */
    private Hash256 send(int number) {
        Amount fee = ChainFee.of(minimum, value, number);
        return everywhere(sending.send(tokens.apply(number), fee).txId());
    }

    /** Broadcasts to all nodes. The spend is already durable and sent, so failures do not matter: the next observation shows the result. */
    private Hash256 everywhere(Hash256 txId) {
        try {
            await(chain.spending().push(txId));
        } catch (RuntimeException e) {
            LOG.debug("{} was not broadcast to all nodes: {}", txId, e.toString());
        }
        return txId;
    }

    /**
     * Fee that swaps pay for redeeming a lock on the chain. A fee cannot be raised once a mempool has the transaction, and cheap traffic can keep
     * one of minimum fee out of blocks for long, so the first version already pays well above the minimum (swap.md, section 6).
     */
    public static final class ChainFee {
        private static final BigInteger TIMES_MINIMUM = BigInteger.valueOf(100);
        private static final BigInteger PART_OF_VALUE = BigInteger.valueOf(10_000);

        private ChainFee() {}

        /**
         * Returns the fee of a version: doubled with each version, at most half of the value, and leaving an output of at least the dust threshold,
         * but never below the minimum.
         *
         * @param minimum by consensus for such a transaction
         * @param value of the lock's output
         * @param version 1 for the first send
         */
        public static Amount of(Amount minimum, Amount value, int version) {
            BigInteger wanted = minimum.toBigInteger()
                    .multiply(TIMES_MINIMUM)
                    .max(value.toBigInteger().divide(PART_OF_VALUE))
                    .shiftLeft(version - 1);
            BigInteger rest = value.toBigInteger().subtract(ChainProfile.DUST_THRESHOLD.toBigInteger());
            BigInteger most = value.toBigInteger().shiftRight(1).max(minimum.toBigInteger());
            return Amount.of(wanted.min(most).min(rest).max(minimum.toBigInteger()));
        }
    }
}
