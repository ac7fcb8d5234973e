package org.chainwalletd.wait;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.BlockPlace;

/**
 * Dependencies and settings of waits.
 *
 * @param nodes client for look-ups, with background priority and a single sweep per call, since waits retry by themselves
 * @param each one such client per node
 * @param answering those of them whose nodes are of our chain and answered last
 * @param nodeCount number of nodes over which look-ups rotate
 * @param booked whether the books have the payments to an address, so that no node's balance is needed
 * @param nodesTip the highest tip last reported by a node of our chain
 * @param proves proves by bytes that a transaction is in a block of the followed chain
 * @param follow subscribes to the followed chain
 * @param executor for continuations; never blocks
 * @param clock monotonic milliseconds
 */
public record WaitSetup(
        ChainProfile profile,
        NodeClient nodes,
        List<NodeClient> each,
        Supplier<List<NodeClient>> answering,
        int nodeCount,
        Predicate<Address> booked,
        Supplier<Optional<NodeClient.Tip>> nodesTip,
        BiFunction<Hash256, BlockPlace, CompletionStage<Boolean>> proves,
        Consumer<ActorRef<FollowEvent>> follow,
        Executor executor,
        LongSupplier clock) {}
