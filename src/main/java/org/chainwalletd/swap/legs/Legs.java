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
 * Both chains as one swap sees them: what they show, and how our transactions get there. Every transaction has a reference that follows from
 * the swap's id, so that doing a thing twice does it once. Stages are completed on the daemon's own threads.
 */
public interface Legs {
    /**
     * A look at both chains.
     *
     * @param permission whether our lock may leave now
     * @param refundDue whether our own lock can be taken back, by its own chain's clock
     * @param gate whether the secret may leave for the first time; empty when that could not be judged
     */
    record View(
            ChainObservation observation, LockPermission permission, boolean refundDue, Optional<GateVerdict> gate) {
        /** Whether both chains were seen. */
        public boolean isComplete() {
            return observation.ownLock().isPresent() && observation.poolLock().isPresent();
        }

        public View with(LockPermission other) {
            return new View(observation, other, refundDue, gate);
        }
    }

    /** Whether the row's account chain is the one that is looked at here; of any other nothing is asked. */
    default boolean reach(SwapRow row) {
        return true;
    }

    CompletionStage<View> look(SwapRow row);

    /**
     * Sends our lock, the same bytes each time; completes with its transaction id.
     *
     * @param mayBegin asked in the moment before it becomes durable where it is not; false: none is made, and the stage fails
     */
    CompletionStage<String> sendLock(SwapRow row, BooleanSupplier mayBegin);

    /** Spends to ourselves what our lock would spend, once, when no block has it. */
    CompletionStage<Void> abandonLock(SwapRow row);

    /**
     * Sends our claim, which shows the secret; completes with its transaction id.
     *
     * @param mayBegin asked in the moment before a claim becomes durable where none is; false: none is made, and the stage fails
     */
    CompletionStage<String> pushClaim(SwapRow row, SecretBytes secret, BooleanSupplier mayBegin);

    /** Takes our lock back; completes with the transaction id. */
    CompletionStage<String> takeBack(SwapRow row);

    /**
     * The chain on which our own lock stands: the chain in a sell, the account chain in a buy. Every method blocks, and throws when that
     * chain could not be asked, which proves nothing about it.
     */
    interface OwnLeg {
        /**
         * @param refundDue whether the lock can be taken back, by this chain's own clock
         * @param secretShown whether a claim of it, with the secret, is in a mempool or a block
         */
        record View(OwnLock lock, boolean refundDue, boolean secretShown) {}

        View look(SwapRow row);

        /** Objection, on this chain, to locking at this moment; empty when there is none. */
        Optional<String> obstacle(SwapRow row);

        /** As {@link Legs#sendLock}; returns the transaction id. */
        String sendLock(SwapRow row, BooleanSupplier mayBegin);

        /** Spends to ourselves what our lock would spend, once, when no block has it. Either may be mined. */
        void abandonLock(SwapRow row);

        /** Takes our lock back; answers with the transaction id. */
        String takeBack(SwapRow row);
    }

    /**
     * The chain on which the pool's lock stands and we claim: the account chain in a sell, the chain in a buy. Every method blocks, and throws
     * when that chain could not be asked, which proves nothing about it.
     */
    interface PoolLeg {
        /** @param secretShown whether a claim of it, with the secret, is journalled, in a mempool or in a block */
        record View(PoolLock lock, boolean secretShown) {}

        View look(SwapRow row);

        /** Objection, on this chain, to locking on the other one at this moment; empty when there is none. */
        Optional<String> obstacle(SwapRow row);

        /** Whether the secret may leave for the first time. */
        GateVerdict gate(SwapRow row, GateInputs now);

        /** As {@link Legs#pushClaim}. */
        String pushClaim(SwapRow row, SecretBytes secret, BooleanSupplier mayBegin);
    }
}
