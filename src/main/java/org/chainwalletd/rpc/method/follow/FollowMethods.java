package org.chainwalletd.rpc.method.follow;

import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.rpc.RpcMethod;

/** The family of methods about following. */
public final class FollowMethods {
    private FollowMethods() {}

    /**
     * @param chain what is wrong with the nodes' chain
     * @param htlcs how many HTLCs the index has
     */
    public static List<RpcMethod<?, ?>> all(
            Follower follower,
            Supplier<Optional<String>> chain,
            Supplier<CompletionStage<Long>> htlcs,
            Executor executor) {
        return List.of(
                new GetFollowerStatusMethod(follower, chain, htlcs, Clock.systemUTC(), executor),
                new RescanMethod(follower, executor));
    }
}
