package org.chainwalletd.rpc.method.swap;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.swap.Quoting;
import org.chainwalletd.swap.Units;
import org.chainwalletd.swap.pool.Direction;

/** {@code swap_get_quote}: a price of the pool, bound to what was asked, with a secret of our own. */
final class SwapGetQuoteMethod extends SwapMethod<SwapParams.Quote, SwapRecord> {
    static final String SUMMARY =
            "Asks the pool for a quote and binds it: nothing is locked. It can be executed until it expires, by the"
                    + " process that took it. Only min_amount_out protects the price, since fee and impact are judged by the pool's own figures.";

    SwapGetQuoteMethod(Parts parts) {
        super("swap_get_quote", Scope.SPEND, SUMMARY, SwapParams.Quote.class, SwapRecord.class, parts);
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(
                ErrorCode.WALLET_NOT_FOUND, ErrorCode.NO_EVM_KEY, ErrorCode.UPSTREAM, ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<SwapRecord> call(SwapParams.Quote params, CallContext context) {
        Direction direction = words().direction(params.direction());
        BigInteger in = units("amount_in", params.amountIn(), Units.decimalsIn(direction));
        Optional<BigInteger> least =
                params.minAmountOut().map(text -> units("min_amount_out", text, Units.decimalsOut(direction)));
        return told(swaps().quote(new Quoting.Wanted(direction, params.amountIn(), in, params.from(), least)));
    }

    private static BigInteger units(String name, String text, int decimals) {
        return Units.parse(text, decimals)
                .filter(units -> units.signum() > 0)
                .orElseThrow(() -> RpcException.invalidParams(
                        "`" + name + "` must be a decimal string above zero with at most " + decimals + " decimals"));
    }
}
