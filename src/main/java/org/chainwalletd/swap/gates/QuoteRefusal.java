package org.chainwalletd.swap.gates;

import java.math.BigInteger;
import org.chainwalletd.swap.pool.Direction;

/** Why a quote is not taken. Each is one way to lose money, or to wait for nothing. */
public sealed interface QuoteRefusal {
    String message();

    /** A field of the quote is not what was asked, or not what another field says. */
    record Unbound(String field, String said) implements QuoteRefusal {
        @Override
        public String message() {
            return "the pool's quote does not say what was asked: " + field + " is " + said;
        }
    }

    record ForeignContract(String said) implements QuoteRefusal {
        @Override
        public String message() {
            return "the pool's quote names the contract " + said + ", not the one that is configured";
        }
    }

    /** @param party which key or address */
    record UnusableParty(String party, String cause) implements QuoteRefusal {
        @Override
        public String message() {
            return "the pool's " + party + " " + cause;
        }
    }

    record BelowMinimum(String offered, String minimum) implements QuoteRefusal {
        @Override
        public String message() {
            return "the quote pays " + offered + ", less than min_amount_out " + minimum;
        }
    }

    record FeeTooHigh(BigInteger bps, long limit) implements QuoteRefusal {
        @Override
        public String message() {
            return "the quote's fees are " + bps + " hundredths of a percent, above the limit of " + limit;
        }
    }

    record ImpactTooHigh(BigInteger bps, long limit) implements QuoteRefusal {
        @Override
        public String message() {
            return "the quote pays " + bps
                    + " hundredths of a percent less than the pool's own price, above the limit of " + limit;
        }
    }

    /** The pool gave no price of its own to judge the quote by. */
    record NoPrice() implements QuoteRefusal {
        @Override
        public String message() {
            return "the pool tells no price to judge its quote by";
        }
    }

    record Expiry(long seconds) implements QuoteRefusal {
        @Override
        public String message() {
            return "the quote expires in " + seconds + " s; " + SwapLimits.MIN_QUOTE_SECONDS + " to "
                    + SwapLimits.MAX_QUOTE_SECONDS + " s are accepted";
        }
    }

    /** @param amountUnits base units of the lock, unbounded */
    record TooDeep(BigInteger amountUnits) implements QuoteRefusal {
        @Override
        public String message() {
            return "a lock of " + amountUnits + " base units would need a depth above " + LockBounds.GREATEST_DEPTH
                    + " blocks: swap a smaller amount";
        }
    }

    /** @param left from now until our own lock could be taken back; may be negative */
    record LockTime(Direction direction, BigInteger left, LockBounds bounds) implements QuoteRefusal {
        @Override
        public String message() {
            String unit = direction.isSell() ? " blocks" : " s";
            return "our lock would last " + left + unit + "; " + bounds.shortest() + " to " + bounds.longest() + unit
                    + " are accepted: a shorter one can only end in a refund";
        }
    }

    record AmountOutOfRange(String what, BigInteger units) implements QuoteRefusal {
        @Override
        public String message() {
            return what + " of " + units + " units cannot be locked";
        }
    }
}
