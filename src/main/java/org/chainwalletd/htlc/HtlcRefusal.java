package org.chainwalletd.htlc;

import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.U64;

/** Why an HTLC is not locked, claimed or reclaimed, beyond the reasons of every spend. In all of these cases nothing was signed. */
public sealed interface HtlcRefusal {
    /** For people: what happened and what to do. */
    String message();

    /** The output on the chain is not the one that the parameters describe, or a node answered with other bytes than asked for. */
    record OutputMismatch(Outpoint lock, String cause) implements HtlcRefusal {
        @Override
        public String message() {
            return "the output " + lock + " is not the HTLC that the parameters describe: " + cause
                    + "; nothing was broadcast";
        }
    }

    /**
     * @param height of the tip, unsigned
     * @param timeout unsigned
     */
    record TimeoutNotReached(long height, long timeout) implements HtlcRefusal {
        @Override
        public String message() {
            return "the timeout is not reached: the chain is at height " + U64.toString(height)
                    + ", a reclaim needs a height above " + U64.toString(timeout);
        }
    }

    /** An explicit fee that no node would take. */
    record FeeBelowMinimum(Amount fee, Amount minimum) implements HtlcRefusal {
        @Override
        public String message() {
            return "`fee` of " + fee + " base units is below the consensus minimum of " + minimum
                    + " for this spend; leave it out to pay the minimum";
        }
    }

    /** Something else in the daemon redeems it, in time and with the fee that this takes. */
    record LookedAfter(Outpoint lock, String by) implements HtlcRefusal {
        @Override
        public String message() {
            return "the HTLC " + lock + " is redeemed by " + by + "; nothing was broadcast";
        }
    }

    /** A receiver that could never claim. */
    record UnusableReceiver(String cause) implements HtlcRefusal {
        @Override
        public String message() {
            return "`receiver` " + cause;
        }
    }

    /** A cursor that no listing gave. */
    record BadCursor() implements HtlcRefusal {
        @Override
        public String message() {
            return "`cursor` is not one that htlc_list gave: begin without it";
        }
    }

    /** Only what is settled may be forgotten. */
    record NotSettled(Outpoint lock) implements HtlcRefusal {
        @Override
        public String message() {
            return "the HTLC " + lock + " is still locked: only claimed, reclaimed and unknown ones can be forgotten";
        }
    }
}
