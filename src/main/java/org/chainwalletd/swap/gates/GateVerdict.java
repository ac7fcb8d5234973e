package org.chainwalletd.swap.gates;

import java.math.BigInteger;

/** Whether the secret may leave for the first time. One closed reason is enough; which one is told to whoever asks for the swap. */
public sealed interface GateVerdict {
    /**
     * Everything that was demanded was seen.
     *
     * @param byRelay whether the pool would send the claim, since our own gas does not pay for it: the request itself shows the secret
     */
    record Open(boolean byRelay) implements GateVerdict {
        public Open() {
            this(false);
        }
    }

    /** @param reason why not now; {@link Reason#isFinal} when waiting cannot help */
    record Closed(Reason reason) implements GateVerdict {}

    default boolean isOpen() {
        return this instanceof Open;
    }

    static GateVerdict closed(Reason reason) {
        return new Closed(reason);
    }

    /** Reason why a gate is closed. */
    sealed interface Reason {
        String message();

        /** Whether no later look can be better: the swap can only end in a refund. */
        default boolean isFinal() {
            return false;
        }
    }

    /** The daemon stops, or its store cannot be written: nobody could push the claim. */
    record NotNow(String why) implements Reason {
        @Override
        public String message() {
            return why;
        }
    }

    record OwnRefundDue() implements Reason {
        @Override
        public String message() {
            return "our own lock can be taken back already";
        }

        @Override
        public boolean isFinal() {
            return true;
        }
    }

    /** @param agreeing the largest number of endpoints that say the same, and the right thing */
    record NoQuorum(int agreeing, int demanded, String otherwise) implements Reason {
        @Override
        public String message() {
            return agreeing + " of " + demanded + " demanded endpoints show the pool's lock, settled and unspent"
                    + (otherwise.isEmpty() ? "" : "; another one: " + otherwise);
        }
    }

    /** Two groups of endpoints, each large enough, tell different stories. */
    record EndpointsDisagree() implements Reason {
        @Override
        public String message() {
            return "endpoints of the account chain disagree about the pool's lock";
        }
    }

    record LowerNonceOpen() implements Reason {
        @Override
        public String message() {
            return "an earlier transaction of ours on the account chain is still open: a claim behind it could be held up";
        }
    }

    /** @param left until the pool can take its lock back, in seconds or blocks */
    record MarginTooSmall(BigInteger left, long demanded, String unit) implements Reason {
        @Override
        public String message() {
            return "the pool can take its lock back in " + left + " " + unit + "; " + demanded
                    + " must be left when the secret leaves";
        }

        @Override
        public boolean isFinal() {
            return true;
        }
    }

    record NoLock(String cause) implements Reason {
        @Override
        public String message() {
            return "no lock of the pool that can be claimed: " + cause;
        }
    }

    record NotDeepEnough(long depth, long demanded) implements Reason {
        @Override
        public String message() {
            return "the pool's lock is " + depth + " blocks deep; " + demanded + " are demanded";
        }
    }

    /** The pool locked too late after ours was settled. */
    record LateLock(long seconds) implements Reason {
        @Override
        public String message() {
            return "the pool's lock was mined " + seconds + " s after ours was settled; "
                    + SwapLimits.POOL_WINDOW_SECONDS + " are allowed";
        }

        @Override
        public boolean isFinal() {
            return true;
        }
    }

    record Stale(String chain, long seconds, long limit) implements Reason {
        @Override
        public String message() {
            return "the newest block of " + chain + " is " + seconds + " s old; at most " + limit + " s are allowed";
        }
    }

    record UncheckedWork() implements Reason {
        @Override
        public String message() {
            return "the work of the blocks from the pool's lock to the tip is not checked";
        }
    }

    record SlowBlocks(long seconds, long expected) implements Reason {
        @Override
        public String message() {
            return "the blocks from the pool's lock to the tip took " + seconds + " s, more than "
                    + SwapLimits.SLOWEST_PACE + " times the expected " + expected + " s";
        }
    }

    record NodesDisagree() implements Reason {
        @Override
        public String message() {
            return "the nodes do not agree on the block of the pool's lock";
        }
    }

    record ClaimInvalid() implements Reason {
        @Override
        public String message() {
            return "our claim does not evaluate to a valid spend here";
        }
    }
}
