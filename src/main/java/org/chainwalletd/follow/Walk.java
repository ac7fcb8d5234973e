package org.chainwalletd.follow;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
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
 * Reads blocks of one node in ascending order, several ahead, and passes them on in order.
 *
 * @param ended completes after the last block was taken; fails when the node or the taker fails
 */
record Walk(UniqueKillSwitch stop, CompletionStage<Done> ended) {
    /** Blocks read concurrently. With their transactions this stays below the 16 connections that catching up may use. */
    static final int BLOCKS_AT_ONCE = 8;

    /** Blocks being read, or read and waiting for a lower one, so that a slow block does not leave connections idle. */
    private static final int READ_AHEAD = 12;

    /** Transactions of one block that are read concurrently. */
    static final int BODIES_AT_ONCE = 2;

    /** Blocks that wait for their proof of work while the one below is computed. */
    private static final int WORK_AHEAD = 2;

    /**
     * Starts to read blocks {@code from} to {@code to}.
     *
     * @param judge checks each block before it is passed on; several run concurrently
     * @param taker receives the blocks in order, each time after the previous ones were taken
     * @param ahead maximum number of blocks per call of {@code taker}
     */
    static Walk begin(
            BlockReader reader,
            Function<Fetched, CompletionStage<Fetched>> judge,
            NodeClient node,
            long from,
            long to,
            Function<List<Fetched>, CompletionStage<Done>> taker,
            int ahead,
            Materializer materializer) {
        Gate gate = new Gate(BLOCKS_AT_ONCE);
        var run = Source.unfold(from, next -> next > to ? none() : some(next))
                .mapAsync(READ_AHEAD, height -> gate.pass(() -> reader.read(node, height)))
                .mapAsync(WORK_AHEAD, judge::apply)
                .viaMat(KillSwitches.single(), Keep.right())
                .batch(ahead, Walk::alone, Walk::added)
                .mapAsync(1, taker::apply)
                .toMat(Sink.ignore(), Keep.both())
                .run(materializer);
        return new Walk(run.first(), run.second());
    }

    private static List<Fetched> alone(Fetched first) {
        return added(new ArrayList<>(), first);
    }

    private static List<Fetched> added(List<Fetched> blocks, Fetched next) {
        blocks.add(next);
        return blocks;
    }

    private static Optional<Pair<Long, Long>> none() {
        return Optional.empty();
    }

    private static Optional<Pair<Long, Long>> some(long height) {
        return Optional.of(Pair.create(height + 1, height));
    }

    /** Limits the number of concurrent requests; the others start in order, each when one has ended. Thread-safe. */
    static final class Gate {
        private final Deque<Runnable> waiting = new ArrayDeque<>();
        private int free;

        Gate(int width) {
            free = width;
        }

        /**
         * Sends the request as soon as there is room.
         *
         * @param question must not throw; runs on the caller's thread, or on the thread that completes an earlier request
         */
        <T> CompletionStage<T> pass(Supplier<CompletionStage<T>> question) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            enter(() -> question.get()
                    .whenCompleteAsync(
                            (value, failure) -> {
                                leave();
                                if (failure == null) {
                                    answer.complete(value);
                                } else {
                                    answer.completeExceptionally(failure);
                                }
                            },
                            Runnable::run));
            return answer;
        }

        private void enter(Runnable question) {
            synchronized (waiting) {
                if (free == 0) {
                    waiting.add(question);
                    return;
                }
                free--;
            }
            question.run();
        }

        private void leave() {
            Runnable next;
            synchronized (waiting) {
                next = waiting.poll();
                if (next == null) {
                    free++;
                    return;
                }
            }
            next.run();
        }
    }
}
