package org.chainwalletd.swap.engine;

import org.chainwalletd.chain.Address;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.swap.gates.SwapStatus;

/** A question about swaps was not answered with one. */
public abstract sealed class SwapException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private SwapException(String message, Throwable cause) {
        super(message, cause, false, false);
    }

    /** Nothing was done. */
    public static final class Refused extends SwapException {
        private static final long serialVersionUID = 1L;

        private final transient SwapRefusal refusal;

        public Refused(SwapRefusal refusal) {
            super(refusal.message(), null);
            this.refusal = refusal;
        }

        public SwapRefusal refusal() {
            return refusal;
        }
    }

    /** An execute was begun, and it is not known whether our lock has left; the swap goes on with it. */
    public static final class LockUnknown extends SwapException {
        private static final long serialVersionUID = 1L;

        private final String id;

        /** @param cause as its own owner tells it */
        public LockUnknown(String id, Throwable cause) {
            super("whether the lock of swap " + id + " has left is not known yet: " + cause, cause);
            this.id = id;
        }

        public String id() {
            return id;
        }
    }

    /** Something could not be asked or written at this moment: a chain, the pool, the store. What was begun goes on by itself. */
    public static final class Unsettled extends SwapException {
        private static final long serialVersionUID = 1L;

        private final String id;

        /** @param cause as its own owner tells it, such as a {@link StoreException} */
        public Unsettled(String id, Throwable cause) {
            super("what becomes of swap " + id + " is not known yet: " + cause, cause);
            this.id = id;
        }

        public String id() {
            return id;
        }
    }

    /** Why a question about swaps is refused. Nothing was locked, shown or taken back for it. */
    public sealed interface SwapRefusal {
        /** For people: what speaks against it and what to do. */
        String message();

        /** A quote that is not taken, or one that is not asked for because nothing could be locked anyhow. */
        record Unsafe(String why) implements SwapRefusal {
            @Override
            public String message() {
                return "no quote: " + why;
            }
        }

        record NotOurAddress(Address address) implements SwapRefusal {
            @Override
            public String message() {
                return "the keyring has no address " + address;
            }
        }

        /** More than the daemon looks after at a time. */
        record TooManySwaps() implements SwapRefusal {
            @Override
            public String message() {
                return "too many quotes and swaps are open; execute the quotes or let them expire";
            }
        }

        record UnknownSwap(String id) implements SwapRefusal {
            @Override
            public String message() {
                return "there is no swap " + id;
            }
        }

        record NotExecuted(String id, String why) implements SwapRefusal {
            @Override
            public String message() {
                return "swap " + id + " is not executed: " + why;
            }
        }

        record NothingLocked(String id, SwapStatus status) implements SwapRefusal {
            @Override
            public String message() {
                return "swap " + id + " is " + status.word() + ": there is no lock of ours to take back"
                        + (status.isTerminal() || status == SwapStatus.QUOTED ? "" : " at this moment");
            }
        }

        record NotDue(String id) implements SwapRefusal {
            @Override
            public String message() {
                return "the lock of swap " + id + " cannot be taken back yet; the daemon does it by itself when it can";
            }
        }
    }
}
