package org.chainwalletd.rpc.method;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.api.Swapping;
import org.chainwalletd.api.Swapping.LpDepositStart;
import org.chainwalletd.api.Swapping.LpDepositStatus;
import org.chainwalletd.api.Swapping.LpPoolInfo;
import org.chainwalletd.api.Swapping.LpPosition;
import org.chainwalletd.api.Swapping.LpWithdrawSelf;
import org.chainwalletd.api.Swapping.PoolAnswer;
import org.chainwalletd.api.Swapping.SwapPoolInfo;
import org.chainwalletd.api.Swapping.SwapPriceKlines;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.RpcMethod;
import org.chainwalletd.swap.gates.Units;
import org.chainwalletd.swap.pool.Pool;
import org.chainwalletd.swap.pool.Pool.Kline;
import org.chainwalletd.swap.pool.Pool.PoolInfo;
import org.chainwalletd.wire.Spelling;

/**
 * Handlers of the methods of {@link Swapping} that are answered by the pool: its description and its liquidity (swap.md, section 4). Its
 * refusals become -32020 with its message, never a success.
 */
public record PoolMethods(Pool pool, Executor executor) {
    private static final String DEFAULT_INTERVAL = "1d";
    private static final int DEFAULT_LIMIT = 120;

    /** @param pool empty if not configured; each method refuses then */
    public static List<RpcMethod<?, ?>> all(Optional<Pool> pool, SwapWords words, Executor executor) {
        Optional<PoolMethods> methods = pool.map(known -> new PoolMethods(known, executor));
        Spelling spelling = words.spelling();
        return List.of(
                RpcMethod.of(SwapPoolInfo.class, spelling, SwapMethods.orRefused(methods, known -> known::info)),
                RpcMethod.of(SwapPriceKlines.class, spelling, SwapMethods.orRefused(methods, known -> known::klines)),
                RpcMethod.of(LpPoolInfo.class, spelling, SwapMethods.orRefused(methods, known -> known::lpPool)),
                RpcMethod.of(LpPosition.class, spelling, SwapMethods.orRefused(methods, known -> known::position)),
                RpcMethod.of(
                        LpDepositStart.class, spelling, SwapMethods.orRefused(methods, known -> known::startDeposit)),
                RpcMethod.of(LpDepositStatus.class, spelling, SwapMethods.orRefused(methods, known -> known::deposit)),
                RpcMethod.of(LpWithdrawSelf.class, spelling, SwapMethods.orRefused(methods, known -> known::withdraw)));
    }

    private CompletionStage<SwapPoolInfo.Result> info(SwapPoolInfo call, CallContext context) {
        return pool.info().thenApplyAsync(PoolMethods::result, executor);
    }

    private static SwapPoolInfo.Result result(PoolInfo info) {
        return new SwapPoolInfo.Result(
                info.midPrice().map(BigDecimal::toPlainString),
                orEmpty(info.feeBps()),
                orEmpty(info.maxSwapBps()),
                info.chainReserve().map(BigDecimal::toPlainString),
                info.nativeReserve().map(BigDecimal::toPlainString));
    }

    private static OptionalLong orEmpty(Optional<Long> number) {
        return number.map(OptionalLong::of).orElse(OptionalLong.empty());
    }

    private CompletionStage<SwapPriceKlines.Result> klines(SwapPriceKlines call, CallContext context) {
        return pool.klines(interval(call.interval()), limit(call.limit()))
                .thenApplyAsync(
                        klines -> new SwapPriceKlines.Result(
                                klines.stream().map(PoolMethods::kline).toList()),
                        executor);
    }

    private static String interval(Optional<String> asked) {
        return Pool.interval(asked.orElse(DEFAULT_INTERVAL))
                .orElseThrow(
                        () -> RefusedException.invalidParams("`interval` must be a number and a letter, such as 1d"));
    }

    private static int limit(OptionalLong asked) {
        long limit = asked.orElse(DEFAULT_LIMIT);
        if (limit < 1 || limit > Pool.MOST_KLINES) {
            throw RefusedException.invalidParams("`limit` must be between 1 and " + Pool.MOST_KLINES);
        }
        return (int) limit;
    }

    private static SwapPriceKlines.Kline kline(Kline kline) {
        return new SwapPriceKlines.Kline(
                kline.time(),
                kline.open().toPlainString(),
                kline.high().toPlainString(),
                kline.low().toPlainString(),
                kline.close().toPlainString());
    }

    private CompletionStage<PoolAnswer> lpPool(LpPoolInfo call, CallContext context) {
        return toAnswer(pool.lpPool());
    }

    private CompletionStage<PoolAnswer> position(LpPosition call, CallContext context) {
        return toAnswer(pool.lpPosition(call.address()));
    }

    /** Returns the pool's instructions for the deposit; moves no money. */
    private CompletionStage<PoolAnswer> startDeposit(LpDepositStart call, CallContext context) {
        return toAnswer(pool.lpDepositStart(call.chainAddress(), evmAddress(call.evmAddress())));
    }

    private static EvmAddress evmAddress(String text) {
        try {
            return EvmAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw RefusedException.invalidParams("`evm_address`: " + e.getMessage());
        }
    }

    private CompletionStage<PoolAnswer> deposit(LpDepositStatus call, CallContext context) {
        if (!Pool.isPathWord(call.id())) {
            throw RefusedException.invalidParams("`id` must be an id that the pool gave");
        }
        return toAnswer(pool.lpDeposit(call.id()));
    }

    /** Requests a withdrawal; the pool pays the address that owns the shares. */
    private CompletionStage<PoolAnswer> withdraw(LpWithdrawSelf call, CallContext context) {
        if (Units.decimal(call.shares()).filter(value -> value.signum() > 0).isEmpty()) {
            throw RefusedException.invalidParams("`shares` must be a decimal string above zero");
        }
        return toAnswer(pool.lpWithdraw(call.chainAddress(), call.shares()));
    }

    private <T extends JsonNode> CompletionStage<PoolAnswer> toAnswer(CompletionStage<T> answer) {
        return answer.thenApplyAsync(
                object -> {
                    Map<String, JsonNode> members = new LinkedHashMap<>();
                    object.properties().forEach(member -> members.put(member.getKey(), member.getValue()));
                    return new PoolAnswer(members);
                },
                executor);
    }
}
