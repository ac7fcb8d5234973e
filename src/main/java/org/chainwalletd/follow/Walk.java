package org.chainwalletd.follow;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.pekko.Done;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.Materializer;
import org.apache.pekko.stream.UniqueKillSwitch;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.chainwalletd.node.NodeClient;

/**
 * Reads blocks of one node upwards, some ahead, and hands them over one by one in their order.
 *
 * @param ended completes after the last block was taken, fails when the node or the taker does
 */
record Walk(UniqueKillSwitch stop, CompletionStage<Done> ended) {
    /** Blocks that are read at a time. With their transactions this stays below the 16 connections that catching up may use. */
    static final int BLOCKS_AT_ONCE = 8;

    /** Transactions of one block that are read at a time. */
    static final int BODIES_AT_ONCE = 2;

    /** Blocks that wait for their proof of work while the one below is computed. */
    private static final int WORK_AHEAD = 2;

    /**
     * Begins to read blocks {@code from} to {@code to}.
     *
     * @param judge what is checked of each block before it is handed over, some at a time
     * @param take given each block, in their order
     * @param ahead how many blocks are handed over before the first of them is taken; they come also when that one is refused
     */
    static Walk begin(
            BlockReader reader,
            Function<Fetched, CompletionStage<Fetched>> judge,
            NodeClient node,
            long from,
            long to,
            Function<Fetched, CompletionStage<Done>> take,
            int ahead,
            Materializer materializer) {
        var run = Source.unfold(from, next -> next > to ? none() : some(next))
                .mapAsync(BLOCKS_AT_ONCE, height -> reader.read(node, height))
                .mapAsync(WORK_AHEAD, judge::apply)
                .viaMat(KillSwitches.single(), Keep.right())
                .mapAsync(ahead, take::apply)
                .toMat(Sink.ignore(), Keep.both())
                .run(materializer);
        return new Walk(run.first(), run.second());
    }

    private static Optional<Pair<Long, Long>> none() {
        return Optional.empty();
    }

    private static Optional<Pair<Long, Long>> some(long height) {
        return Optional.of(Pair.create(height + 1, height));
    }
}
