package org.chainwalletd.rpc.method.swap;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.swap.SwapRow;
import org.chainwalletd.swap.SwapService;
import org.chainwalletd.wire.Spelling;

/** A question to the engine, told in the words of the brand. */
abstract class SwapMethod<P extends Record, R> extends NamedMethod<P, R> {
    private static final Pattern ID = Pattern.compile("[0-9a-f]{32}");

    private final Parts parts;

    /**
     * What such methods share.
     *
     * @param unverified why it is not known that the chain is the one that the operator means
     */
    record Parts(SwapService swaps, Supplier<Optional<String>> unverified, SwapWords words, Executor executor) {}

    SwapMethod(String name, Scope scope, String summary, Class<P> params, Class<R> result, Parts parts) {
        super(name, scope, summary, params, result);
        this.parts = parts;
    }

    /** Money is locked for hours: on a chain that is known to be the operator's only. */
    final void requireVerified() {
        parts.unverified().get().ifPresent(why -> {
            throw new RpcException(ErrorCode.UPSTREAM, "nothing was locked: " + why);
        });
    }

    final SwapService swaps() {
        return parts.swaps();
    }

    final SwapWords words() {
        return parts.words();
    }

    final Executor executor() {
        return parts.executor();
    }

    /** An id as quotes have it: 16 random bytes in hex. */
    static String id(String text) {
        if (!ID.matcher(text).matches()) {
            throw RpcException.invalidParams("`swap_id` must be the swap_id of a quote, 32 hex characters");
        }
        return text;
    }

    final CompletionStage<SwapRecord> told(CompletionStage<SwapRow> row) {
        return row.thenApplyAsync(found -> SwapRecord.of(found, parts.words()), parts.executor());
    }

    @Override
    public final Spelling spelling() {
        return parts.words().spelling();
    }
}
