package org.chainwalletd.rpc.method.follow;

import java.time.Clock;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.rpc.RpcMethod;

/** The family of methods about following. */
public final class FollowMethods {
    private FollowMethods() {}

    /** @param htlcs how many HTLCs the index has */
    public static List<RpcMethod<?, ?>> all(Follower follower, LongSupplier htlcs, Executor executor) {
        return List.of(
                new GetFollowerStatusMethod(follower, htlcs, Clock.systemUTC()), new RescanMethod(follower, executor));
    }
}
