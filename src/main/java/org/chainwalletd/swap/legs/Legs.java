package org.chainwalletd.swap.legs;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.swap.gates.GateInputs;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.LockPermission;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.ChainObservation;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;

/**
 * Both chains as used by one swap: observations of them and the sending of our transactions. Every transaction has a reference derived from the
 * swap's id, so a repeated call has the effect of one. Stages complete on the daemon's own threads.
 */
public interface Legs {
    /**
     * Observation of both chains.
     *
     * @param permission whether our lock may be sent now
     * @param refundDue whether our own lock can be refunded, by the clock of its own chain
     * @param gate whether the secret may be revealed for the first time; empty when the gate could not be evaluated
     */
    record View(
            ChainObservation observation, LockPermission permission, boolean refundDue, Optional<GateVerdict> gate) {
        /** Tests whether both chains were observed. */
        public boolean isComplete() {
            return observation.ownLock().isPresent() && observation.poolLock().isPresent();
        }

        public View with(LockPermission other) {
            return new View(observation, other, refundDue, gate);
        }
    }

    /** Tests whether the row's account chain is the configured one; swaps on any other are not processed. */
    default boolean reach(SwapRow row) {
        return true;
    }

    CompletionStage<View> look(SwapRow row);

    /**
     * Sends our lock, the same bytes each time; completes with its transaction id.
     *
     * @param mayBegin evaluated immediately before a lock that is not durable yet becomes so, or is opened again; if false, none is made and
     *     the stage fails
     */
    CompletionStage<String> sendLock(SwapRow row, BooleanSupplier mayBegin);

    /** Spends an input of our lock, or its nonce, to ourselves instead, once, when no block has the lock. */
    CompletionStage<Void> abandonLock(SwapRow row);

    /**
     * Sends our claim, which reveals the secret; completes with its transaction id.
     *
     * @param mayBegin evaluated immediately before a claim that is not durable yet becomes so, or is opened again; if false, it is not made
     *     and the stage fails
     */
    CompletionStage<String> pushClaim(SwapRow row, SecretBytes secret, BooleanSupplier mayBegin);

    /** Refunds our lock; completes with the transaction id. */
    CompletionStage<String> takeBack(SwapRow row);

    /**
     * The side with our own lock: on the chain in a sell, on the account chain in a buy. Every method blocks, and throws when that chain could not
     * be queried, which proves nothing about the lock.
     */
    interface OwnLeg {
        /**
         * @param refundDue whether the lock can be refunded, by this chain's own clock
         * @param secretShown whether a claim of the lock, with the secret, is in a mempool or a block
         */
        record View(OwnLock lock, boolean refundDue, boolean secretShown) {}

        View look(SwapRow row);

        /** Returns the objection, on this chain, to locking now; empty when there is none. */
        Optional<String> obstacle(SwapRow row);

        /** As {@link Legs#sendLock}; returns the transaction id. */
        String sendLock(SwapRow row, BooleanSupplier mayBegin);

        /** Spends an input of our lock, or its nonce, to ourselves instead, once, when no block has the lock. Either may be mined. */
        void abandonLock(SwapRow row);

        /** Refunds our lock; returns the transaction id. */
        String takeBack(SwapRow row);
    }

    /**
     * The side with the pool's lock, which we claim: on the account chain in a sell, on the chain in a buy. Every method blocks, and throws when
     * that chain could not be queried, which proves nothing about the lock.
     */
    interface PoolLeg {
        /** @param secretShown whether a claim of the lock, with the secret, is journalled, in a mempool or in a block */
        record View(PoolLock lock, boolean secretShown) {}

        View look(SwapRow row);

        /** Returns the objection, on this chain, to locking on the other one now; empty when there is none. */
        Optional<String> obstacle(SwapRow row);

        /** Evaluates whether the secret may be revealed for the first time. */
        GateVerdict gate(SwapRow row, GateInputs now);

        /** As {@link Legs#pushClaim}. */
        String pushClaim(SwapRow row, SecretBytes secret, BooleanSupplier mayBegin);
    }
}
