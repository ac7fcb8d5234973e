package org.chainwalletd.spend.plan;

import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Fees;
import org.chainwalletd.chain.TxShape;

/** Caller's choice of the fee, which is never below the consensus minimum. */
public sealed interface FeeChoice {
    /** Consensus minimum. */
    FeeChoice MINIMUM = new Rate(1);

    /**
     * Fee rate in base units per 100 cost units.
     *
     * @param rate unsigned 64-bit
     */
    record Rate(long rate) implements FeeChoice {
        @Override
        public Amount feeOf(TxShape shape) {
            return atLeastMinimum(Fees.feeForRate(shape.cost(), rate), shape);
        }
    }

    /** Absolute fee in base units. */
    record Fixed(Amount fee) implements FeeChoice {
        @Override
        public Amount feeOf(TxShape shape) {
            return atLeastMinimum(fee, shape);
        }
    }

    /**
     * Fee in base units of a transaction of this shape.
     *
     * @throws ArithmeticException above 2^64-1
     */
    Amount feeOf(TxShape shape);

    private static Amount atLeastMinimum(Amount fee, TxShape shape) {
        Amount minimum = shape.minimumFee();
        return fee.isLessThan(minimum) ? minimum : fee;
    }
}
