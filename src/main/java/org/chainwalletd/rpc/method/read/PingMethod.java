package org.chainwalletd.rpc.method.read;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NoParams;

/** {@code ping}: the daemon is there and the token is good. */
final class PingMethod extends ReadMethod<NoParams, PingMethod.Result> {
    private static final CompletionStage<Result> OK = CompletableFuture.completedStage(new Result(true));

    public record Result(boolean ok) {}

    PingMethod() {
        super("ping", "Answers; asks nobody.", NoParams.class, Result.class);
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of();
    }

    @Override
    public CompletionStage<Result> call(NoParams params, CallContext context) {
        return OK;
    }
}
