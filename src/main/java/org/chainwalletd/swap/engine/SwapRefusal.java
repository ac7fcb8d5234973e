package org.chainwalletd.swap.engine;

import org.chainwalletd.chain.Address;
import org.chainwalletd.swap.gates.SwapStatus;

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
