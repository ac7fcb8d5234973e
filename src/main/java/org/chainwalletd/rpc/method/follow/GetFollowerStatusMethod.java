package org.chainwalletd.rpc.method.follow;

import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.follow.FollowStatus;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.follow.RescanProgress;
import org.chainwalletd.rpc.CallContext;
import org.chainwalletd.rpc.NamedMethod;
import org.chainwalletd.rpc.NoParams;
import org.chainwalletd.rpc.RpcException;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.I64;

/** {@code get_follower_status}: where the follower stands; asks nobody. */
final class GetFollowerStatusMethod extends NamedMethod<NoParams, GetFollowerStatusMethod.Result> {
    public record Result(
            @Doc("Highest block that the books hold and others are told of")
            long lastIndexedHeight,

            Hash256 lastIndexedBlockId,
            long tipHeight,

            @Doc("tip_height minus last_indexed_height") @I64
            long lag,

            long indexedHtlcCount,

            @Doc("Unix seconds") long followerStartedAt,

            @Doc("Whether no rescan is pending") boolean fullScanComplete,

            @Doc("Seconds since the time that the last indexed block states") @I64
            long tipAgeSeconds,

            @Doc("Blocks that rescans have not read yet, with the one that waits for the one under way; 0 without one")
            long rescanBlocksLeft,

            @Doc("What keeps the follower from following, and which nodes differ from the followed chain")
            List<String> complaints) {}

    private final Follower follower;
    private final Supplier<Optional<String>> chain;
    private final Supplier<CompletionStage<Long>> htlcs;
    private final InstantSource clock;
    private final Executor executor;

    /**
     * @param chain what is wrong with the nodes' chain
     * @param htlcs how many HTLCs the index has
     */
    GetFollowerStatusMethod(
            Follower follower,
            Supplier<Optional<String>> chain,
            Supplier<CompletionStage<Long>> htlcs,
            InstantSource clock,
            Executor executor) {
        super(
                "get_follower_status",
                Scope.READ,
                "Where the follower of the chain stands.",
                NoParams.class,
                Result.class);
        this.follower = follower;
        this.chain = chain;
        this.htlcs = htlcs;
        this.clock = clock;
        this.executor = executor;
    }

    @Override
    public List<ErrorCode> errors() {
        return List.of(ErrorCode.UPSTREAM);
    }

    @Override
    public CompletionStage<Result> call(NoParams params, CallContext context) {
        FollowStatus status = follower.status();
        FollowedTip tip = status.tip().orElseThrow(() -> notYet(status));
        // Before the count, so that what a rescan has found is in it when no rescan is told any more.
        boolean scanned = follower.isFullyScanned();
        long left = follower.rescan().map(RescanProgress::allBlocksLeft).orElse(0L);
        return htlcs.get().thenApplyAsync(count -> result(status, tip, count, scanned, left), executor);
    }

    private Result result(FollowStatus status, FollowedTip tip, long htlcCount, boolean scanned, long blocksLeft) {
        long tipHeight = tip.height() + status.lag();
        return new Result(
                tip.height(),
                tip.place().blockId(),
                tipHeight,
                tipHeight - tip.height(),
                htlcCount,
                status.startedAt().getEpochSecond(),
                scanned,
                clock.instant().getEpochSecond() - tip.timestamp(),
                blocksLeft,
                complaints(status));
    }

    private List<String> complaints(FollowStatus status) {
        Stream<String> unverified = follower.unverified().map(why -> "credits are unverified: " + why).stream();
        return Stream.of(chain.get().stream(), unverified, status.complaints().stream())
                .flatMap(Function.identity())
                .toList();
    }

    private RpcException notYet(FollowStatus status) {
        List<String> complaints = complaints(status);
        String why = complaints.isEmpty() ? "" : ": " + String.join("; ", complaints);
        return new RpcException(ErrorCode.UPSTREAM, "no block is followed yet" + why);
    }
}
