package org.chainwalletd.rpc.method.wait;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.Doc;
import org.chainwalletd.rpc.ErrorCode;
import org.chainwalletd.rpc.RawJson;
import org.chainwalletd.wait.PaymentOutcome;
import org.chainwalletd.wait.Waits;

/** {@code wait_for_payment}: answers when an address is paid. */
final class WaitForPaymentMethod extends WaitMethod<WaitForPaymentMethod.Params, WaitForPaymentMethod.Result> {
    record Params(
            @Doc("of this daemon or of anybody else") Address address,

            @Doc("base units that one transaction must pay; default 1")
            Optional<Amount> minAmount,

            @Doc("default 60, at most 600") OptionalLong timeoutSecs) {}

    record Result(
            Address address,
            boolean received,
            boolean timedOut,

            @Doc("hex64, or null when only a larger confirmed balance was seen; absent after a time-out")
            Optional<RawJson> txId,

            @Doc("what the transaction pays to the address, absent after a time-out")
            Optional<Amount> amount,

            @Doc("0 means seen in the mempool, absent after a time-out")
            OptionalLong confirmations,

            @Doc("absent after a time-out") OptionalLong tipHeight,
            long waitedSecs) {}

    private static final Amount ANYTHING = Amount.of(1);

    private final Waits waits;
    private final Executor executor;

    WaitForPaymentMethod(Waits waits, Executor executor) {
        super(
                "wait_for_payment",
                "Waits for a payment that was not pending yet when the call came. A time-out is a normal answer.",
                Params.class,
                Result.class);
        this.waits = waits;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return waits.forPayment(
                        params.address(),
                        params.minAmount().orElse(ANYTHING),
                        time(params.timeoutSecs()),
                        context.gone())
                .thenApplyAsync(outcome -> result(params.address(), outcome), executor);
    }

    private static Result result(Address address, PaymentOutcome outcome) {
        if (outcome instanceof PaymentOutcome.Received received) {
            String txId = received.txId().map(id -> '"' + id.hex() + '"').orElse("null");
            return new Result(
                    address,
                    true,
                    false,
                    Optional.of(new RawJson(txId)),
                    Optional.of(received.amount()),
                    OptionalLong.of(received.confirmations()),
                    OptionalLong.of(received.tipHeight()),
                    received.waitedSeconds());
        }
        long waited = ((PaymentOutcome.TimedOut) outcome).waitedSeconds();
        return new Result(
                address,
                false,
                true,
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                OptionalLong.empty(),
                waited);
    }
}
