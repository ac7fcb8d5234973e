package org.chainwalletd.rpc.method;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.Swapping;
import org.chainwalletd.api.Swapping.SwapExecute;
import org.chainwalletd.api.Swapping.SwapGetQuote;
import org.chainwalletd.api.Swapping.SwapList;
import org.chainwalletd.api.Swapping.SwapRecord;
import org.chainwalletd.api.Swapping.SwapRefund;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.swap.engine.Quoting;
import org.chainwalletd.swap.engine.SwapJournal;
import org.chainwalletd.swap.engine.SwapService;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.gates.Units;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.wire.Json;
import org.chainwalletd.wire.RawJson;
import org.chainwalletd.wire.Spelling;

/**
 * Handlers of the methods of {@link Swapping} that use the engine, with the brand's names.
 *
 * @param unverified reason why the chain is not known to be the configured one; then nothing is locked
 */
public record SwapMethods(
        SwapService swaps, Supplier<Optional<String>> unverified, SwapWords words, Executor executor) {
    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");
    private static final int DEFAULT_LIMIT = 100;
    private static final int MAX_LIMIT = 1_000;
    private static final String CURSOR = "[1-9][0-9]{0,17}";

    /** @param swaps empty in a daemon without a swap engine, which refuses each call */
    public static List<RpcMethod<?, ?>> all(
            Optional<SwapService> swaps, Supplier<Optional<String>> unverified, SwapWords words, Executor executor) {
        Optional<SwapMethods> methods = swaps.map(known -> new SwapMethods(known, unverified, words, executor));
        Spelling spelling = words.spelling();
        return List.of(
                RpcMethod.of(SwapGetQuote.class, spelling, orRefused(methods, known -> known::quote)),
                RpcMethod.of(SwapExecute.class, spelling, orRefused(methods, known -> known::execute)),
                RpcMethod.of(SwapRefund.class, spelling, orRefused(methods, known -> known::refund)),
                RpcMethod.of(Swapping.SwapStatus.class, spelling, orRefused(methods, known -> known::status)),
                RpcMethod.of(SwapList.class, spelling, orRefused(methods, known -> known::list)));
    }

    /**
     * Refuses well-formed parameters with -32602 in a daemon without a swap engine.
     *
     * @param methods empty in such a daemon
     */
    static <M, C, R> RpcMethod.Handler<C, R> orRefused(
            Optional<M> methods, Function<M, RpcMethod.Handler<C, R>> handler) {
        return methods.map(handler)
                .orElseGet(() -> (call, context) -> CompletableFuture.failedFuture(
                        RefusedException.invalidParams("swap not configured: this daemon has no swap engine")));
    }

    /** Requests a quote from the pool, binds it to the request, and creates the secret. */
    private CompletionStage<SwapRecord> quote(SwapGetQuote call, CallContext context) {
        Direction direction = words.direction(call.direction());
        BigInteger in = units("amount_in", call.amountIn(), Units.decimalsIn(direction));
        Optional<BigInteger> least =
                call.minAmountOut().map(text -> units("min_amount_out", text, Units.decimalsOut(direction)));
        return swaps.quote(new Quoting.Wanted(direction, call.amountIn(), in, call.from(), least))
                .thenApplyAsync(found -> record(found, words, swaps.warning()), executor);
    }

    private static BigInteger units(String name, String text, int decimals) {
        return Units.parse(text, decimals)
                .filter(units -> units.signum() > 0)
                .orElseThrow(() -> RefusedException.invalidParams(
                        "`" + name + "` must be a decimal string above zero with at most " + decimals + " decimals"));
    }

    /**
     * Locks our side; the engine continues by itself. The money is locked for hours, so this requires that the chain is known to be the
     * configured one.
     */
    private CompletionStage<SwapRecord> execute(SwapExecute call, CallContext context) {
        unverified.get().ifPresent(why -> {
            throw new RefusedException(ErrorCode.UPSTREAM, "nothing was locked: " + why);
        });
        return toRecord(swaps.execute(id(call.swapId()), call.minAmountOut()));
    }

    /** Reclaims our lock, once the clock of its chain allows it. */
    private CompletionStage<SwapRecord> refund(SwapRefund call, CallContext context) {
        return toRecord(swaps.refund(id(call.swapId())));
    }

    private CompletionStage<SwapRecord> status(Swapping.SwapStatus call, CallContext context) {
        return toRecord(swaps.status(id(call.swapId())));
    }

    private CompletionStage<SwapList.Result> list(SwapList call, CallContext context) {
        long limit = call.limit().orElse(DEFAULT_LIMIT);
        if (limit < 1 || limit > MAX_LIMIT) {
            throw RefusedException.invalidParams("`limit` must be between 1 and " + MAX_LIMIT);
        }
        return swaps.page(call.state().map(SwapMethods::status), call.cursor().map(SwapMethods::number), (int) limit)
                .thenApplyAsync(this::result, executor);
    }

    private static SwapStatus status(String word) {
        return SwapStatus.ofWord(word)
                .orElseThrow(() -> RefusedException.invalidParams("`state` must be one of "
                        + Arrays.stream(SwapStatus.values())
                                .map(SwapStatus::word)
                                .collect(Collectors.joining(", "))));
    }

    private static long number(String cursor) {
        if (!cursor.matches(CURSOR)) {
            throw RefusedException.invalidParams("`cursor` must be the next_cursor of an earlier answer");
        }
        return Long.parseLong(cursor);
    }

    private SwapList.Result result(SwapJournal.Page page) {
        return new SwapList.Result(
                page.rows().stream().map(row -> record(row, words)).toList(),
                page.next().map(String::valueOf));
    }

    /** Validates the id of a quote: 16 random bytes in hex. */
    private static String id(String text) {
        if (!ID.matcher(text).matches()) {
            throw RefusedException.invalidParams("`swap_id` must be the swap_id of a quote, 32 hex characters");
        }
        return text;
    }

    private CompletionStage<SwapRecord> toRecord(CompletionStage<SwapRow> row) {
        return row.thenApplyAsync(found -> record(found, words), executor);
    }

    private static SwapRecord record(SwapRow row, SwapWords words) {
        return record(row, words, Optional.empty());
    }

    private static SwapRecord record(SwapRow row, SwapWords words, Optional<String> warning) {
        SwapTerms terms = row.terms();
        boolean sell = terms.direction().isSell();
        return new SwapRecord(
                row.id(),
                row.poolSwapId(),
                words.direction(terms.direction()),
                row.status().word(),
                terms.hashLock(),
                terms.given().decimal(),
                terms.received().decimal(),
                terms.given().units().toString(),
                terms.received().units().toString(),
                terms.account().contract().toString(),
                terms.ours().address(),
                terms.ours().evm().toString(),
                terms.theirs().key(),
                terms.theirs().evm().map(EvmAddress::toString),
                sell ? OptionalLong.of(terms.timeout()) : OptionalLong.empty(),
                sell ? OptionalLong.empty() : OptionalLong.of(terms.timeout()),
                row.acts().lockTx(),
                reference(row.poolLock()),
                row.acts().claimTx(),
                row.acts().refundTx(),
                terms.offer().expiresAt(),
                terms.offer().feeBps(),
                terms.offer().networkFeeNative(),
                row.error(),
                row.createdAt(),
                row.updatedAt(),
                warning);
    }

    private static Optional<String> reference(PoolLock lock) {
        if (lock instanceof PoolLock.Locked locked) {
            return Optional.of(locked.reference());
        }
        if (lock instanceof PoolLock.Claimed claimed) {
            return Optional.of(claimed.reference());
        }
        return lock instanceof PoolLock.TakenBack back ? Optional.of(back.reference()) : Optional.empty();
    }

    /** Returns a writer of the record that {@code swap_status} returns, for unsolicited messages. */
    public static Function<SwapRow, RawJson> telling(SwapWords words) {
        ObjectWriter writer = Json.writerFor(SwapRecord.class, words.spelling());
        return row -> {
            try {
                return new RawJson(writer.writeValueAsString(record(row, words)));
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("a record is always JSON", e);
            }
        };
    }
}
