package org.chainwalletd.rpc.method.wait;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.store.books.CreditCursor;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.wait.PaymentOutcome;
import org.chainwalletd.wait.PaymentSince;
import org.chainwalletd.wait.Waits;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.RawJson;

/** {@code wait_for_payment}: answers when an address is paid. */
final class WaitForPaymentMethod extends WaitMethod<WaitForPaymentMethod.Params, WaitForPaymentMethod.Result> {
    record Params(
            @Doc("of this daemon or of anybody else") Address address,

            @Doc("base units that one transaction must pay; default 1")
            Optional<Amount> minAmount,

            @Doc("default 60, at most 600") OptionalLong timeoutSecs,

            @Doc(
                    "of `list_credits` for this address with min_confirmations 0, or of an earlier answer: what came after it counts too; the address must be of this daemon")
            Optional<String> sinceCursor) {}

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
            long waitedSecs,

            @Doc("only with since_cursor: behind what was told, for the next call")
            Optional<String> cursor) {}

    private static final Amount ANYTHING = Amount.of(1);

    private final Waits waits;
    private final CreditFeed feed;
    private final CreditOwners owners;
    private final Executor executor;

    WaitForPaymentMethod(Waits waits, CreditFeed feed, CreditOwners owners, Executor executor) {
        super(
                "wait_for_payment",
                "Waits for a payment that was not pending yet when the call came. A time-out is a normal answer.",
                Params.class,
                Result.class);
        this.waits = waits;
        this.feed = feed;
        this.owners = owners;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.TOO_MANY_REQUESTS);
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        return params.sinceCursor().isPresent()
                ? since(params, params.sinceCursor().get(), context)
                : fromNow(params, context);
    }

    private CompletionStage<Result> since(Params params, String cursor, CallContext context) {
        return owners.owns(params.address())
                .thenComposeAsync(
                        owned -> {
                            if (!owned) {
                                throw RpcException.invalidParams(
                                        "since_cursor is for addresses of this daemon, and it has no "
                                                + params.address());
                            }
                            return feed.store();
                        },
                        executor)
                .thenComposeAsync(
                        store -> waits.forPaymentSince(
                                parse(cursor, store, params.address()),
                                params.minAmount().orElse(ANYTHING),
                                time(params.timeoutSecs()),
                                context.gone()),
                        executor)
                .handleAsync(
                        (since, failure) -> {
                            PaymentSince told = PrunedCursors.read(since, failure);
                            return result(
                                    params.address(),
                                    told.outcome(),
                                    Optional.of(told.cursor().text()));
                        },
                        executor);
    }

    private static CreditCursor parse(String cursor, String store, Address address) {
        return CreditCursor.parse(cursor, store, 0, Optional.of(address))
                .orElseThrow(() -> RpcException.invalidParams(
                        "since_cursor is of other books, or of calls with another address or min_confirmations"));
    }

    private CompletionStage<Result> fromNow(Params params, CallContext context) {
        return waits.forPayment(
                        params.address(),
                        params.minAmount().orElse(ANYTHING),
                        time(params.timeoutSecs()),
                        context.gone())
                .thenApplyAsync(outcome -> result(params.address(), outcome, Optional.empty()), executor);
    }

    private static Result result(Address address, PaymentOutcome outcome, Optional<String> cursor) {
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
                    received.waitedSeconds(),
                    cursor);
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
                waited,
                cursor);
    }
}
