package org.chainwalletd.rpc.method;

import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Following.GetFollowerStatus;
import org.chainwalletd.api.Following.Rescan;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.follow.FollowStatus;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.follow.RescanProgress;
import org.chainwalletd.rpc.RpcMethod;

/**
 * Handlers of the methods of {@link org.chainwalletd.api.Following}.
 *
 * @param chain returns the problem with the nodes' chain, if any
 * @param htlcs returns the number of HTLCs in the index
 */
public record FollowMethods(
        Follower follower,
        Supplier<Optional<String>> chain,
        Supplier<CompletionStage<Long>> htlcs,
        InstantSource clock,
        Executor executor) {
    public List<RpcMethod<?, ?>> all() {
        return List.of(RpcMethod.of(GetFollowerStatus.class, this::status), RpcMethod.of(Rescan.class, this::rescan));
    }

    /** Answered locally, without asking a node. */
    private CompletionStage<GetFollowerStatus.Result> status(GetFollowerStatus call) {
        FollowStatus status = follower.status();
        FollowedTip tip = status.tip().orElseThrow(() -> notYet(status));
        // Read before the count, so that once the rescan is no longer reported, the count includes everything that it
        // found.
        boolean scanned = follower.isFullyScanned();
        long left = follower.rescan().map(RescanProgress::allBlocksLeft).orElse(0L);
        return htlcs.get().thenApplyAsync(count -> result(status, tip, count, scanned, left), executor);
    }

    private GetFollowerStatus.Result result(
            FollowStatus status, FollowedTip tip, long htlcCount, boolean scanned, long blocksLeft) {
        long tipHeight = tip.height() + follower.reportedLag();
        return new GetFollowerStatus.Result(
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

    private RefusedException notYet(FollowStatus status) {
        List<String> complaints = complaints(status);
        String why = complaints.isEmpty() ? "" : ": " + String.join("; ", complaints);
        return new RefusedException(ErrorCode.UPSTREAM, "no block is followed yet" + why);
    }

    private CompletionStage<Rescan.Result> rescan(Rescan call) {
        if (call.fromHeight() < 0) {
            throw RefusedException.invalidParams("from_height is above every block");
        }
        return follower.rescan(call.fromHeight())
                .thenApplyAsync(begun -> begun.map(FollowMethods::begun).orElseThrow(FollowMethods::tooHigh), executor);
    }

    private static Rescan.Result begun(RescanProgress begun) {
        return new Rescan.Result(begun.fromHeight(), begun.toHeight(), begun.blocksLeft());
    }

    private static RefusedException tooHigh() {
        return RefusedException.invalidParams("from_height is above the followed tip");
    }
}
