package org.chainwalletd.wait;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;

/**
 * Dependencies and settings of waits.
 *
 * @param nodes asked on the background lane and once per look: waits have a patience of their own
 * @param each of them by itself
 * @param nodeCount that look-ups rotate over
 * @param nodesTip the highest tip that a node of our chain has told last
 * @param proves whether the followed chain shows by bytes that a transaction is in one of its blocks
 * @param follow subscribes to the followed chain
 * @param executor for continuations; never blocks
 * @param clock milliseconds that never go back
 */
public record WaitSetup(
        ChainProfile profile,
        NodeClient nodes,
        List<NodeClient> each,
        int nodeCount,
        Supplier<Optional<NodeClient.Tip>> nodesTip,
        BiFunction<Hash256, BlockPlace, CompletionStage<Boolean>> proves,
        Consumer<ActorRef<FollowEvent>> follow,
        Executor executor,
        LongSupplier clock) {}
