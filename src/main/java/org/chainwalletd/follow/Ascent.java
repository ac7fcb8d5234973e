package org.chainwalletd.follow;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.stream.Materializer;
import org.chainwalletd.chain.U64;
import org.chainwalletd.follow.FollowerSetup.FollowedNode;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.stage.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Walk up a node's chain from the followed tip. Blocks that fit on the tip are appended to the followed chain and committed in batches, and
 * published to the subscribers only after the commit. Belongs to the {@link Walker} and runs on its thread; results of asynchronous work come back
 * as commands of the walker.
 */
final class Ascent {
    private static final Logger LOG = LoggerFactory.getLogger(Ascent.class);

    /** Longest wait of blocks below the top for others to share their commit. The last blocks of a walk are committed without a wait. */
    private static final Duration LINGER = Duration.ofMillis(120);

    /** Maximum number of blocks per message to the walker, so that neither side is woken for each block. */
    private static final int BLOCKS_PER_MESSAGE = 4;

    /**
     * Dependencies, all owned by the walker.
     *
     * @param chain the followed chain, which the ascent extends
     */
    record Parts(
            Bookkeeping books, Subscribers subscribers, HeaderChain chain, BlockReader reader, HeaderCheck check) {}

    private final ActorContext<Walker.Command> context;
    private final TimerScheduler<Walker.Command> timers;
    private final Parts parts;
    private final FollowedNode node;
    private final long from;
    private final Walk walk;
    private final Batch batch = new Batch();
    private Optional<Fault> fault = Optional.empty();
    private boolean refused;
    private boolean walkEnded;
    private boolean committing;

    /**
     * @param asked client of the node for this walk
     * @param to height of the highest block that the node shows
     */
    Ascent(
            ActorContext<Walker.Command> context,
            TimerScheduler<Walker.Command> timers,
            Materializer materializer,
            Parts parts,
            FollowedNode node,
            NodeClient asked,
            long to) {
        this.context = context;
        this.timers = timers;
        this.parts = parts;
        this.node = node;
        this.from = parts.chain().height();
        this.walk = Walk.begin(
                parts.reader(),
                fetched -> parts.check().judgeWork(fetched, to),
                asked,
                parts.chain().height() + 1,
                to,
                this::passOn,
                BLOCKS_PER_MESSAGE,
                materializer);
        context.pipeToSelf(walk.ended(), (done, failure) -> new Walker.WalkEnded());
    }

    private CompletionStage<Done> passOn(List<Fetched> blocks) {
        CompletableFuture<Done> taken = new CompletableFuture<>();
        context.getSelf().tell(new Walker.Arrived(blocks, taken));
        return taken;
    }

    void stop() {
        walk.stop().shutdown();
    }

    FollowedNode node() {
        return node;
    }

    /** Returns the height from which the walk started. */
    long from() {
        return from;
    }

    /** Returns the failed check that ended the walk. */
    Optional<Fault> fault() {
        return fault;
    }

    void arrived(Walker.Arrived command) {
        command.blocks().forEach(this::arrived);
        if (refused) {
            command.taken().completeExceptionally(new IllegalStateException("the walk ends here"));
        } else {
            batch.admit(command.taken());
        }
        if (batch.isFull()) {
            flush();
        } else if (!batch.isEmpty() && !timers.isTimerActive(new Walker.FlushDue())) {
            timers.startSingleTimer(new Walker.FlushDue(), LINGER);
        }
    }

    /** Handles one block. Blocks after a refused one are ignored: they could only fit on that one. */
    private void arrived(Fetched fetched) {
        if (refused) {
            return;
        }
        fault = faultOf(fetched);
        if (fault.isPresent() || !(fetched instanceof Fetched.Whole whole)) {
            LOG.debug(
                    "the walk ends at block {}: {}", U64.toString(parts.chain().height()), fetched);
            refused = true;
            return;
        }
        Bookkeeping.Entry entry = new Bookkeeping.Entry(whole.block(), whole.workChecked());
        parts.chain().append(entry.row());
        batch.add(entry);
    }

    private Optional<Fault> faultOf(Fetched fetched) {
        if (fetched instanceof Fetched.Invalid invalid) {
            return Optional.of(invalid.fault());
        }
        return fetched instanceof Fetched.Whole whole
                ? parts.check()
                        .judgePlace(
                                parts.chain(),
                                whole.block().header(),
                                whole.block().id())
                : Optional.empty();
    }

    void flush() {
        if (!committing && !batch.isEmpty()) {
            committing = true;
            timers.cancel(new Walker.FlushDue());
            List<Bookkeeping.Entry> blocks = batch.take();
            Outcome.pipe(
                    context,
                    parts.books().connect(blocks),
                    nothing -> nothing.fold(done -> new Walker.Committed(blocks), Walker.WriteFailed::new));
        }
    }

    void committed(Walker.Committed command) {
        committing = false;
        parts.subscribers().connected(parts.chain(), command.blocks());
        if (batch.isFull() || walkEnded) {
            flush();
        }
    }

    void walkEnded() {
        walkEnded = true;
        flush();
    }

    /** Returns whether the walk has ended and all blocks read are committed and published. */
    boolean isDone() {
        return walkEnded && !committing && batch.isEmpty();
    }
}
