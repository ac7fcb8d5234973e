package org.chainwalletd.rpc.method;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.rpc.ErrorTranslator;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.wire.U32;

/**
 * Translator of refusals of spends into errors of the catalogue, with their data (interface.md, sections 7.3 and 7.4; decisions.md, section 2).
 *
 * @param watchOnly whether an address is watched although its key is elsewhere
 */
public record SpendErrors(Predicate<Address> watchOnly) implements ErrorTranslator {
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

    /** A transaction that a node may have. */
    record PerhapsSent(Hash256 txId) {}

    private static final long BUSY_RETRY_SECONDS = 1;

    record TokenData(String clientToken, Optional<String> boundTo, Optional<Hash256> txId) {}

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
    public Optional<RefusedException> translate(Throwable failure) {
        if (failure instanceof SpendException refused
                && refused.refusal() instanceof SpendRefusal.WalletNotFound without
                && watchOnly.test(without.address())) {
            return Optional.of(
                    new RefusedException(
                            ErrorCode.WALLET_NOT_FOUND,
                            "address " + without.address()
                                    + " is only watched: its key is not in this keystore, so nothing can be spent from it here"));
        }
        if (failure instanceof SpendException refused) {
            return Optional.of(translated(refused.refusal()));
        }
        if (failure instanceof StoreException store) {
            return Optional.of(translated(store));
        }
        return Optional.empty();
    }

    private static RefusedException translated(StoreException failure) {
        return switch (failure.reason()) {
            case NOT_KEEPER ->
                // A longer call may already have done a part of its work, because the background work can move to
                // another daemon at any moment.
                RefusedException.notKeeper(
                        failure.getMessage() + "; repeat the call there, as it is", Optional.empty());
            case BUSY ->
                RefusedException.tooManyRequests(
                        "this call has broadcast nothing: " + failure.getMessage(), BUSY_RETRY_SECONDS);
            case UNKNOWN ->
                new RefusedException(
                        ErrorCode.INTERNAL_ERROR,
                        "this call has broadcast nothing yet, but what it has decided on may be after a restart: "
                                + failure.getMessage());
            case STOPPED ->
                new RefusedException(
                        ErrorCode.INTERNAL_ERROR,
                        "this call has broadcast nothing, spending is stopped: " + failure.getMessage());
            case UNAVAILABLE, DAMAGED ->
                new RefusedException(
                        ErrorCode.INTERNAL_ERROR,
                        "this call has broadcast nothing, the store failed; an earlier call with its client_token may have: "
                                + failure.getMessage());
        };
    }

    /**
     * Converts an uncertain write into error -32020: the store does not know whether it was written, and repeating the call is safe.
     *
     * @param what a clause that completes "whether …"
     */
    static <T> CompletionStage<T> certain(CompletionStage<T> written, String what, Executor executor) {
        return written.exceptionallyComposeAsync(
                failure -> CompletableFuture.failedFuture(inDoubt(Causes.of(failure), what)), executor);
    }

    private static Throwable inDoubt(Throwable failure, String what) {
        return failure instanceof StoreException store && store.reason() == StoreException.Reason.UNKNOWN
                ? new RefusedException(
                        ErrorCode.UPSTREAM,
                        "whether " + what + " is unknown: make the same call again, nothing is done twice ("
                                + store.getMessage() + ")")
                : failure;
    }

    /** Error of each kind of refusal; a test checks that the table is complete. */
    private static final Map<Class<? extends SpendRefusal>, Function<SpendRefusal, RefusedException>> ROWS =
            Map.ofEntries(
                    row(SpendRefusal.WalletNotFound.class, ErrorCode.WALLET_NOT_FOUND),
                    row(
                            SpendRefusal.DustOutput.class,
                            ErrorCode.DUST_OUTPUT,
                            dust -> new DustData(dust.amount(), dust.threshold())),
                    row(SpendRefusal.BuildFailed.class, ErrorCode.TX_BUILD),
                    row(SpendRefusal.AllowanceExceeded.class, ErrorCode.ALLOWANCE_EXCEEDED, SpendErrors::data),
                    row(
                            SpendRefusal.InsufficientBalance.class,
                            ErrorCode.INSUFFICIENT_BALANCE,
                            poor -> insufficient(poor.shortage())),
                    row(
                            SpendRefusal.InFlightExhausted.class,
                            ErrorCode.IN_FLIGHT_EXHAUSTED,
                            exhausted -> inFlight(exhausted.shortage())),
                    row(
                            SpendRefusal.FeeTooHigh.class,
                            ErrorCode.FEE_TOO_HIGH,
                            high -> new FeeData(high.fee(), high.maxFee())),
                    row(SpendRefusal.CoinsContradicted.class, ErrorCode.TX_BUILD),
                    row(SpendRefusal.CoinsOutOfReach.class, ErrorCode.UPSTREAM, missing -> new Later(true)),
                    row(
                            SpendRefusal.TokenConflict.class,
                            ErrorCode.IDEMPOTENCY_CONFLICT,
                            conflict -> new TokenData(
                                    conflict.token(),
                                    conflict.boundBy().map(SpendRefusal.BoundBy::name),
                                    conflict.boundBy().flatMap(SpendRefusal.BoundBy::txId))),
                    Map.entry(
                            SpendRefusal.PolicyRefused.class,
                            refused -> new RefusedException(((SpendRefusal.PolicyRefused) refused).refusal())),
                    Map.entry(
                            SpendRefusal.UpstreamFailed.class,
                            refusal -> upstream((SpendRefusal.UpstreamFailed) refusal)),
                    row(
                            SpendRefusal.DoubleSpend.class,
                            ErrorCode.DOUBLE_SPEND,
                            spent -> new InputConflict(true, false)),
                    row(
                            SpendRefusal.OutcomeUnknown.class,
                            ErrorCode.UPSTREAM,
                            unknown -> new PerhapsSent(unknown.txId())),
                    row(
                            SpendRefusal.Contested.class,
                            ErrorCode.UPSTREAM,
                            contested -> new PerhapsSent(contested.txId())),
                    row(SpendRefusal.ShuttingDown.class, ErrorCode.INTERNAL_ERROR));

    private static <R extends SpendRefusal>
            Map.Entry<Class<? extends SpendRefusal>, Function<SpendRefusal, RefusedException>> row(
                    Class<R> type, ErrorCode code) {
        return Map.entry(type, refusal -> new RefusedException(code, refusal.message()));
    }

    private static <R extends SpendRefusal>
            Map.Entry<Class<? extends SpendRefusal>, Function<SpendRefusal, RefusedException>> row(
                    Class<R> type, ErrorCode code, Function<R, Record> data) {
        return Map.entry(
                type, refusal -> new RefusedException(code, refusal.message(), data.apply(type.cast(refusal))));
    }

    private static RefusedException upstream(SpendRefusal.UpstreamFailed failed) {
        return failed.sent()
                .map(txId -> new RefusedException(ErrorCode.UPSTREAM, failed.message(), new PerhapsSent(txId)))
                .orElseGet(() -> new RefusedException(ErrorCode.UPSTREAM, failed.message()));
    }

    /** Returns the refusals that have an error. */
    static Set<Class<? extends SpendRefusal>> known() {
        return ROWS.keySet();
    }

    private static RefusedException translated(SpendRefusal refusal) {
        return ROWS.get(refusal.getClass()).apply(refusal);
    }

    static RefusedException tooManyOutputs(int count, int max) {
        return new RefusedException(
                ErrorCode.TOO_MANY_OUTPUTS,
                count + " outputs, at most " + max + " are allowed",
                new CountData(count, max));
    }

    private static AllowanceData data(SpendRefusal.AllowanceExceeded exceeded) {
        return new AllowanceData(
                exceeded.cap().scope(),
                exceeded.cap().limit(),
                exceeded.cap().spent(),
                exceeded.cap().requested(),
                exceeded.cap().remaining(),
                exceeded.cap().periodSeconds());
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
