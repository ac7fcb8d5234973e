package org.chainwalletd.rpc.method.swap;

import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.swap.Units;
import org.chainwalletd.swap.pool.Pool;

/** Checks of what is handed on to the pool; each refuses with -32602. */
final class PoolParams {
    private static final String DEFAULT_INTERVAL = "1d";
    private static final int DEFAULT_LIMIT = 120;

    private PoolParams() {}

    static EvmAddress evmAddress(String text) {
        try {
            return EvmAddress.parse(text);
        } catch (IllegalArgumentException e) {
            throw RpcException.invalidParams("`evm_address`: " + e.getMessage());
        }
    }

    static String id(String text) {
        if (!Pool.isPathWord(text)) {
            throw RpcException.invalidParams("`id` must be an id that the pool gave");
        }
        return text;
    }

    static String shares(String text) {
        if (Units.decimal(text).filter(value -> value.signum() > 0).isEmpty()) {
            throw RpcException.invalidParams("`shares` must be a decimal string above zero");
        }
        return text;
    }

    static String interval(Optional<String> asked) {
        return Pool.interval(asked.orElse(DEFAULT_INTERVAL))
                .orElseThrow(() -> RpcException.invalidParams("`interval` must be a number and a letter, such as 1d"));
    }

    static int limit(OptionalLong asked) {
        long limit = asked.orElse(DEFAULT_LIMIT);
        if (limit < 1 || limit > Pool.MOST_KLINES) {
            throw RpcException.invalidParams("`limit` must be between 1 and " + Pool.MOST_KLINES);
        }
        return (int) limit;
    }
}
