package org.chainwalletd.account;

import org.chainwalletd.chain.Hash256;

/** How far a transaction has come, by what the quorum says. Only {@link #isOver} ones never change again. */
public sealed interface SendState {
    default boolean isOver() {
        return false;
    }

    /** As {@code evm_tx_history} prints it. */
    String word();

    /** Durable with its nonce; no endpoint is known to have it. It may have left all the same. */
    record Journalled() implements SendState {
        @Override
        public String word() {
            return "journalled";
        }
    }

    /** At least one endpoint has taken it, or one of its replacements. */
    record Sent() implements SendState {
        @Override
        public String word() {
            return "sent";
        }
    }

    /** A transaction to ourselves with its nonce is on its way, or in a block that is not final. Until that is final either may be mined. */
    record Cancelling() implements SendState {
        @Override
        public String word() {
            return "cancelling";
        }
    }

    /**
     * In a block that is not final yet; a reorganisation takes it back to {@link Sent}.
     *
     * @param hash of the version that was mined
     * @param succeeded false: reverted
     * @param depth blocks on top of it
     */
    record Mined(Hash256 hash, long blockNumber, Hash256 blockHash, long depth, boolean succeeded)
            implements SendState {
        @Override
        public String word() {
            return succeeded ? "mined" : "reverting";
        }
    }

    /** In a final block, and done what it was for. */
    record Final(Hash256 hash, long blockNumber, Hash256 blockHash) implements SendState {
        @Override
        public boolean isOver() {
            return true;
        }

        @Override
        public String word() {
            return "final";
        }
    }

    /** In a final block, and failed there: only its fee was paid. */
    record Reverted(Hash256 hash, long blockNumber, Hash256 blockHash) implements SendState {
        @Override
        public boolean isOver() {
            return true;
        }

        @Override
        public String word() {
            return "reverted";
        }
    }

    /** The transaction to ourselves is in a final block: this one can never be mined. */
    record Cancelled(Hash256 hash, long blockNumber, Hash256 blockHash) implements SendState {
        @Override
        public boolean isOver() {
            return true;
        }

        @Override
        public String word() {
            return "cancelled";
        }
    }

    /** At a final block its nonce is spent, by none of our transactions: somebody else has the key. */
    record Lost() implements SendState {
        @Override
        public boolean isOver() {
            return true;
        }

        @Override
        public String word() {
            return "lost";
        }
    }
}
