package org.chainwalletd.rpc.method.spend;

import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.rpc.ErrorCode;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.rpc.U32;
import org.chainwalletd.spend.SpendException;
import org.chainwalletd.spend.SpendRefusal;
import org.chainwalletd.store.StoreException;

/** Refusals of spending as errors of the catalogue, with their data (interface.md, sections 7.3 and 7.4; decisions.md, section 2). */
public final class SpendErrors implements ErrorTranslator {
    record InputConflict(boolean inputConflict, boolean retryable) {}

    record Shortfall(
            boolean inFlightReserved,
            Amount needed,
            Amount available,
            @U32 long utxoCount,
            Amount inFlightValue,
            @U32 long inFlightCount) {}

    record FeeData(Amount fee, Amount maxFee) {}

    record DustData(Amount amount, Amount dustThreshold) {}

    record CountData(@U32 long count, @U32 long max) {}

    record Later(boolean retryable) {}

    private static final long BUSY_RETRY_SECONDS = 1;

    record TokenData(String clientToken) {}

    record AllowanceData(
            String scope, Amount limit, Amount spent, Amount requested, Amount remaining, long periodSecs) {}

    record InFlight(
            boolean retryable,
            String retryAfter,
            Amount needed,
            Amount available,
            Amount inFlightValue,
            @U32 long inFlightCount) {}

    @Override
    public Optional<RpcException> translate(Throwable failure) {
        if (failure instanceof SpendException refused) {
            return Optional.of(translated(refused.refusal()));
        }
        if (failure instanceof StoreException store) {
            return Optional.of(translated(store));
        }
        return Optional.empty();
    }

    private static RpcException translated(StoreException failure) {
        return switch (failure.reason()) {
            case BUSY ->
                RpcException.tooManyRequests("nothing was broadcast: " + failure.getMessage(), BUSY_RETRY_SECONDS);
            case UNKNOWN ->
                new RpcException(
                        ErrorCode.INTERNAL_ERROR,
                        "nothing was broadcast yet, but it may be after a restart: " + failure.getMessage());
            case UNAVAILABLE, DAMAGED ->
                new RpcException(
                        ErrorCode.INTERNAL_ERROR, "nothing was broadcast, the store failed: " + failure.getMessage());
        };
    }

    private static RpcException translated(SpendRefusal refusal) {
        String message = refusal.message();
        if (refusal instanceof SpendRefusal.WalletNotFound) {
            return new RpcException(ErrorCode.WALLET_NOT_FOUND, message);
        }
        if (refusal instanceof SpendRefusal.DustOutput dust) {
            return new RpcException(ErrorCode.DUST_OUTPUT, message, new DustData(dust.amount(), dust.threshold()));
        }
        if (refusal instanceof SpendRefusal.AllowanceExceeded exceeded) {
            return new RpcException(ErrorCode.ALLOWANCE_EXCEEDED, message, data(exceeded));
        }
        if (refusal instanceof SpendRefusal.InsufficientBalance poor) {
            return new RpcException(ErrorCode.INSUFFICIENT_BALANCE, message, insufficient(poor.shortage()));
        }
        if (refusal instanceof SpendRefusal.InFlightExhausted exhausted) {
            return new RpcException(ErrorCode.IN_FLIGHT_EXHAUSTED, message, inFlight(exhausted.shortage()));
        }
        if (refusal instanceof SpendRefusal.FeeTooHigh high) {
            return new RpcException(ErrorCode.FEE_TOO_HIGH, message, new FeeData(high.fee(), high.maxFee()));
        }
        if (refusal instanceof SpendRefusal.TokenConflict conflict) {
            return new RpcException(ErrorCode.IDEMPOTENCY_CONFLICT, message, new TokenData(conflict.token()));
        }
        if (refusal instanceof SpendRefusal.DoubleSpend) {
            return new RpcException(ErrorCode.DOUBLE_SPEND, message, new InputConflict(true, false));
        }
        if (refusal instanceof SpendRefusal.CoinsOutOfReach) {
            return new RpcException(ErrorCode.UPSTREAM, message, new Later(true));
        }
        if (refusal instanceof SpendRefusal.BuildFailed || refusal instanceof SpendRefusal.CoinsContradicted) {
            return new RpcException(ErrorCode.TX_BUILD, message);
        }
        if (refusal instanceof SpendRefusal.ShuttingDown) {
            return new RpcException(ErrorCode.INTERNAL_ERROR, message);
        }
        return new RpcException(ErrorCode.UPSTREAM, message);
    }

    static RpcException tooManyOutputs(int count, int max) {
        return new RpcException(
                ErrorCode.TOO_MANY_OUTPUTS,
                count + " outputs, at most " + max + " are allowed",
                new CountData(count, max));
    }

    private static AllowanceData data(SpendRefusal.AllowanceExceeded exceeded) {
        return new AllowanceData(
                exceeded.scope(),
                exceeded.limit(),
                exceeded.spent(),
                exceeded.requested(),
                exceeded.remaining(),
                exceeded.periodSeconds());
    }

    private static Shortfall insufficient(SpendRefusal.Shortage shortage) {
        return new Shortfall(
                shortage.inFlightCount() > 0,
                shortage.needed(),
                shortage.available(),
                shortage.utxoCount(),
                shortage.inFlightValue(),
                shortage.inFlightCount());
    }

    private static InFlight inFlight(SpendRefusal.Shortage shortage) {
        return new InFlight(
                true,
                "next_block",
                shortage.needed(),
                shortage.available(),
                shortage.inFlightValue(),
                shortage.inFlightCount());
    }
}
