package org.chainwalletd.spend;

import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Fees;
import org.chainwalletd.chain.TxShape;

/** How the caller wants the fee to be found. It is never below the consensus minimum. */
public sealed interface FeeChoice {
    /** The minimum of the consensus. */
    FeeChoice MINIMUM = new Rate(1);

    /**
     * Base units per 100 cost units.
     *
     * @param rate unsigned 64-bit
     */
    record Rate(long rate) implements FeeChoice {
        @Override
        public Amount feeOf(TxShape shape) {
            return atLeastMinimum(Fees.feeForRate(shape.cost(), rate), shape);
        }
    }

    /** An absolute fee. */
    record Fixed(Amount fee) implements FeeChoice {
        @Override
        public Amount feeOf(TxShape shape) {
            return atLeastMinimum(fee, shape);
        }
    }

    /**
     * The fee of a transaction of this shape.
     *
     * @throws ArithmeticException above 2^64-1
     */
    Amount feeOf(TxShape shape);

    private static Amount atLeastMinimum(Amount fee, TxShape shape) {
        Amount minimum = shape.minimumFee();
        return fee.isLessThan(minimum) ? minimum : fee;
    }
}
