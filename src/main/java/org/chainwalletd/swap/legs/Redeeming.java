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
 * Gets the spend of a lock into a block. It is shown to every node that lacks it, whenever it is asked for. A mempool replaces nothing, so
 * only when no node has it, and one at least has said that it does not want it for what it is, a version with a higher fee takes its place. A node
 * may pretend to have it: what was refused by another one and is in no block for long is replaced all the same. Each version is an intent of its own
 * before it leaves, and any of them may be mined. Remembers nothing: what was sent is in the store.
 *
 * @param earlier token of a spend that was begun for another reason and does as well
 * @param tokens of the versions, from 1
 * @param minimum fee of the consensus
 * @param value of what is spent
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
    /** A refusal may pass by itself: the node is busy, or has not seen the block of the lock. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** A node that says for so many blocks that it has it may keep it from everybody else. */
    private static final long UNMINED_BLOCKS = 30;

    /** Makes one version durable and sends it. */
    interface Sending {
        Receipt send(String token, Amount fee);
    }

    /**
     * @param number of the newest version; 0 for what was begun for another reason, or when there is none
     */
    private record Version(int number, Optional<Intent> intent) {}

    /** Answers with the id of the newest version. */
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
        return goOn(newest);
    }

    private Hash256 goOn(Version newest) {
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

    /** A spend that waits in a mempool keeps every other spend of its input out, whatever that pays: only a block decides between the two. */
    private boolean isPricedOut(Intent closed) {
        return closed.state() == IntentState.ABANDONED || closed.state() != IntentState.CONFLICTED && isOld(closed);
    }

    private Hash256 after(int number, Intent intent, OwnerRebroadcasts.Answer pushed) {
        boolean isUnwanted = pushed.isRefused() || !pushed.refusals().isEmpty() && isUnmined(intent);
        if (!isUnwanted || !isOld(intent) || number == MOST_VERSIONS) {
            return intent.txId();
        }
        LOG.warn(
                "nodes do not want {} of a swap, it is sent with a higher fee: {}",
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
        return chain.clock().millis() - intent.createdAt() >= PATIENCE.toMillis();
    }

    /** Sends to one node in the way of every spend, then to all others. */
    private Hash256 send(int number) {
        Amount fee = ChainFee.of(minimum, value, number);
        return everywhere(sending.send(tokens.apply(number), fee).txId());
    }

    /** Sends to all other nodes. It is durable and sent already, so their answers do not matter: the next look shows the result. */
    private Hash256 everywhere(Hash256 txId) {
        try {
            await(chain.spending().push(txId));
        } catch (RuntimeException e) {
            LOG.debug("{} is not shown to all nodes: {}", txId, e.toString());
        }
        return txId;
    }

    /**
     * Fee that swaps pay for taking money out of a lock on the chain. There is no way to raise a fee once a mempool has a transaction, and cheap
     * traffic can keep one of minimum fee out of blocks for long, so the first send pays well above the minimum (swap.md, section 6).
     */
    public static final class ChainFee {
        private static final BigInteger TIMES_MINIMUM = BigInteger.valueOf(100);
        private static final BigInteger PART_OF_VALUE = BigInteger.valueOf(10_000);

        private ChainFee() {}

        /**
         * Twice as much with each version, at most half of the value, and never so much that nothing is left to be paid.
         *
         * @param minimum of the consensus for such a transaction
         * @param value what is spent
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
