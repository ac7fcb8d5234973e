package org.chainwalletd.rpc.method.follow;

import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.follow.RescanProgress;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.wire.Doc;

/** {@code rescan}: reads the chain again from a height, for keys that are older than the books. */
final class RescanMethod extends NamedMethod<RescanMethod.Params, RescanMethod.Result> {
    record Params(
            @Doc("First block that is read; 0 for all of them")
            long fromHeight) {}

    public record Result(
            @Doc("First block of the rescan that runs; others wait for it")
            long fromHeight,

            @Doc("Where it meets the followed tip, as of now")
            long toHeight,

            @Doc("Blocks to read; expect up to 2,000 a second from a local node, some 160 from one that is 50 ms away")
            long blocks) {}

    private final Follower follower;
    private final Executor executor;

    RescanMethod(Follower follower, Executor executor) {
        super(
                "rescan",
                Scope.MANAGE,
                "Reads the chain again from a height, in the background and across restarts; get_follower_status tells how far it is.",
                Params.class,
                Result.class);
        this.follower = follower;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.INVALID_PARAMS);
    }

    @Override
    public CompletionStage<Result> call(Params params, CallContext context) {
        if (params.fromHeight() < 0) {
            throw RpcException.invalidParams("from_height is above every block");
        }
        return follower.rescan(params.fromHeight())
                .thenApplyAsync(begun -> begun.map(RescanMethod::result).orElseThrow(RescanMethod::tooHigh), executor);
    }

    private static Result result(RescanProgress begun) {
        return new Result(begun.fromHeight(), begun.toHeight(), begun.blocksLeft());
    }

    private static RpcException tooHigh() {
        return RpcException.invalidParams("from_height is above the followed tip");
    }
}
