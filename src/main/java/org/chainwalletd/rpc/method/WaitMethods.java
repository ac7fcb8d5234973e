package org.chainwalletd.rpc.method;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.Waiting;
import org.chainwalletd.api.Waiting.ListCredits;
import org.chainwalletd.api.Waiting.WaitForPayment;
import org.chainwalletd.api.Waiting.WaitForTx;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.books.Credit;
import org.chainwalletd.store.books.CreditCursor;
import org.chainwalletd.store.books.CreditEvent;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.store.books.CreditPruning;
import org.chainwalletd.wait.PaymentOutcome;
import org.chainwalletd.wait.TxOutcome;
import org.chainwalletd.wait.Waits;
import org.chainwalletd.wait.Waits.PaymentSince;
import org.chainwalletd.wire.MemberNames;

/**
 * Handlers of the methods of {@link Waiting}.
 *
 * @param feed feed of credits
 * @param executor assembles answers
 */
public record WaitMethods(Waits waits, CreditFeed feed, CreditOwners owners, Executor executor) {
    private static final Amount ANYTHING = Amount.of(1);
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1_000;
    private static final int QUOTE_ID_BYTES = 16;

    /**
     * Properties of addresses and of the chain that the feed of credits needs.
     *
     * @param watches whether an address is watched although its key is elsewhere
     * @param maturity blocks until a coinbase can be spent
     * @param isVerified whether the chain is known to be the configured one
     */
    public record CreditOwners(
            Function<Address, CompletionStage<Boolean>> owns,
            Predicate<Address> watches,
            IntSupplier maturity,
            BooleanSupplier isVerified) {}

    public List<RpcMethod<?, ?>> all() {
        return List.of(
                RpcMethod.of(WaitForTx.class, this::waitForTransaction),
                RpcMethod.of(WaitForPayment.class, this::waitForPayment),
                RpcMethod.of(ListCredits.class, this::listCredits));
    }

    /** {@code data} of error -32040. */
    private record Expired(Hash256 txId, long minConfirmations, long elapsedSecs) {}

    private CompletionStage<WaitForTx.Result> waitForTransaction(WaitForTx call, CallContext context) {
        long depth = Math.max(1, call.minConfirmations().orElse(1));
        return waits.forTransaction(call.txId(), depth, call.waits(), context.callerLeft())
                .thenApplyAsync(outcome -> result(call.txId(), depth, outcome), executor);
    }

    private static WaitForTx.Result result(Hash256 txId, long depth, TxOutcome outcome) {
        if (outcome instanceof TxOutcome.Confirmed confirmed) {
            return new WaitForTx.Result(
                    txId, confirmed.block().blockId(), confirmed.block().height(), confirmed.confirmations());
        }
        long elapsed = ((TxOutcome.TimedOut) outcome).elapsedSeconds();
        throw new RefusedException(
                ErrorCode.WAIT_TIMEOUT,
                "the transaction has not got " + depth + " confirmations in " + elapsed + " s; waiting again is safe",
                new Expired(txId, depth, elapsed));
    }

    private CompletionStage<WaitForPayment.Result> waitForPayment(WaitForPayment call, CallContext context) {
        if (call.sinceCursor().isPresent()) {
            return waitSince(call, call.sinceCursor().get(), context);
        }
        return waits.forPayment(call.address(), call.minAmount().orElse(ANYTHING), call.waits(), context.callerLeft())
                .thenApplyAsync(outcome -> result(call.address(), outcome, Optional.empty()), executor);
    }

    private CompletionStage<WaitForPayment.Result> waitSince(WaitForPayment call, String cursor, CallContext context) {
        return hasCredits(call.address())
                .thenComposeAsync(
                        owned -> {
                            if (!owned) {
                                throw RefusedException.invalidParams(
                                        "since_cursor is for addresses of this daemon, and it has no "
                                                + call.address());
                            }
                            return feed.store();
                        },
                        executor)
                .thenComposeAsync(
                        store -> waits.forPaymentSince(
                                sinceCursor(cursor, store, call.address()),
                                call.minAmount().orElse(ANYTHING),
                                call.waits(),
                                context.callerLeft()),
                        executor)
                .handleAsync(
                        (since, failure) -> {
                            PaymentSince answer = unlessPruned(since, failure);
                            return result(
                                    call.address(),
                                    answer.outcome(),
                                    Optional.of(answer.cursor().text()));
                        },
                        executor);
    }

    private static CreditCursor sinceCursor(String cursor, String store, Address address) {
        return CreditCursor.parse(cursor, store, 0, Optional.of(address))
                .orElseThrow(() -> RefusedException.invalidParams(
                        "since_cursor is of other books, or of calls with another address or min_confirmations"));
    }

    private static WaitForPayment.Result result(Address address, PaymentOutcome outcome, Optional<String> cursor) {
        if (outcome instanceof PaymentOutcome.Received received) {
            return new WaitForPayment.Result(
                    address,
                    true,
                    false,
                    Optional.of(idOrNull(received.txId())),
                    Optional.of(received.amount()),
                    OptionalLong.of(received.confirmations()),
                    OptionalLong.of(received.tipHeight()),
                    received.waitedSeconds(),
                    cursor);
        }
        long waited = ((PaymentOutcome.TimedOut) outcome).waitedSeconds();
        return new WaitForPayment.Result(
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

    private static JsonNode idOrNull(Optional<Hash256> txId) {
        return txId.<JsonNode>map(id -> TextNode.valueOf(id.hex())).orElse(NullNode.getInstance());
    }

    private CompletionStage<ListCredits.Result> listCredits(ListCredits call, CallContext context) {
        int limit = (int) limit(call.limit());
        long depth = call.minConfirmations().orElse(0);
        boolean fromNow = fromNow(call);
        return requireOwned(call.address())
                .thenComposeAsync(owned -> feed.store(), executor)
                .thenComposeAsync(
                        store -> fromNow
                                ? onlyCursor(depth, call.address())
                                : creditsFrom(call, store, depth, limit, context),
                        executor);
    }

    private static long limit(OptionalLong asked) {
        long limit = asked.orElse(DEFAULT_LIMIT);
        if (limit < 1 || limit > MAX_LIMIT) {
            throw RefusedException.invalidParams("limit is 1 to " + MAX_LIMIT);
        }
        return limit;
    }

    private static boolean fromNow(ListCredits call) {
        if (call.from().isEmpty()) {
            return false;
        }
        if (!call.from().get().equals("now") || call.cursor().isPresent()) {
            throw RefusedException.invalidParams("from is 'now', and not given together with a cursor");
        }
        return true;
    }

    /** Whether the feed contains credits of an address. */
    private CompletionStage<Boolean> hasCredits(Address address) {
        return owners.watches().test(address)
                ? CompletableFuture.completedStage(true)
                : owners.owns().apply(address);
    }

    private CompletionStage<Boolean> requireOwned(Optional<Address> address) {
        if (address.isEmpty()) {
            return CompletableFuture.completedStage(true);
        }
        return hasCredits(address.get())
                .thenApplyAsync(
                        owned -> {
                            if (!owned) {
                                throw new RefusedException(
                                        ErrorCode.WALLET_NOT_FOUND,
                                        "the keyring has no address " + address.get() + ", nor is it watched");
                            }
                            return true;
                        },
                        executor);
    }

    private CompletionStage<ListCredits.Result> onlyCursor(long depth, Optional<Address> address) {
        return feed.now(depth, address)
                .thenApplyAsync(cursor -> new ListCredits.Result(List.of(), cursor.text(), false), executor);
    }

    private CompletionStage<ListCredits.Result> creditsFrom(
            ListCredits call, String store, long depth, int limit, CallContext context) {
        CompletionStage<CreditCursor> start = call.cursor().isPresent()
                ? CompletableFuture.completedStage(cursor(call, store, depth))
                : feed.beginning(depth, call.address());
        return start.thenComposeAsync(cursor -> credits(call, cursor, limit, context), executor);
    }

    private static CreditCursor cursor(ListCredits call, String store, long depth) {
        return CreditCursor.parse(call.cursor().get(), store, depth, call.address())
                .orElseThrow(() -> RefusedException.invalidParams(
                        "the cursor is of other books, or of calls with another address or min_confirmations"));
    }

    private CompletionStage<ListCredits.Result> credits(
            ListCredits call, CreditCursor cursor, int limit, CallContext context) {
        return waits.forCredits(cursor, call.includeChange().orElse(false), limit, call.waits(), context.callerLeft())
                .handleAsync((batch, failure) -> result(unlessPruned(batch, failure)), executor);
    }

    private ListCredits.Result result(CreditFeed.Batch batch) {
        boolean verified = owners.isVerified().getAsBoolean();
        return new ListCredits.Result(
                batch.events().stream()
                        .map(event -> credit(
                                event,
                                batch.tipHeight(),
                                owners.maturity().getAsInt(),
                                verified,
                                owners.watches().test(event.credit().address())))
                        .toList(),
                batch.cursor().text(),
                batch.more());
    }

    /**
     * @param tipHeight height up to which confirmations are counted
     * @param maturity blocks until a coinbase can be spent
     * @param verified whether the chain is known to be the configured one
     * @param watchOnly whether the address is watched although its key is elsewhere
     */
    public static Waiting.Credit credit(
            CreditEvent event, long tipHeight, int maturity, boolean verified, boolean watchOnly) {
        Credit credit = event.credit();
        boolean mined = credit.isInBlock();
        long height = credit.block().height();
        return new Waiting.Credit(
                event.number(),
                MemberNames.word(event.kind()),
                credit.address(),
                credit.outpoint().txId(),
                credit.outpoint().index(),
                credit.amount(),
                mined ? OptionalLong.of(height) : OptionalLong.empty(),
                mined ? Optional.of(credit.block().blockId()) : Optional.empty(),
                event.confirmed() ? Math.max(0, tipHeight - height + 1) : 0,
                credit.own(),
                credit.change(),
                credit.coinbase(),
                mined
                        ? OptionalLong.of(credit.coinbase() ? Network.matureAt(height, maturity) : height)
                        : OptionalLong.empty(),
                credit.datum(),
                credit.datum().filter(datum -> datum.length() == QUOTE_ID_BYTES),
                verified ? Optional.empty() : Optional.of(true),
                watchOnly ? Optional.of(true) : Optional.empty());
    }

    /**
     * {@code data} of the error for a cursor older than the oldest kept credits ({@code --credits-keep-days}).
     *
     * @param firstCursor first cursor that is valid with the same parameters
     */
    private record Pruned(String firstCursor) {}

    /** Returns what was read, or throws the reason why it could not be read. */
    private static <T> T unlessPruned(T answer, Throwable failure) {
        if (failure == null) {
            return answer;
        }
        Throwable cause = Causes.of(failure);
        if (cause instanceof CreditPruning.PrunedException pruned) {
            throw new RefusedException(
                    ErrorCode.INVALID_PARAMS,
                    pruned.getMessage(),
                    new Pruned(pruned.first().text()));
        }
        throw Causes.passedOn(cause);
    }
}
