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
import org.chainwalletd.stage.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Walk up a node's chain from the followed tip: blocks that fit on the tip are appended to the followed chain and committed in batches,
 * and only then told to the subscribers. Belongs to the {@link Walker} and is used on its thread; what arrives comes back to it as that one's
 * commands.
 */
final class Ascent {
    private static final Logger LOG = LoggerFactory.getLogger(Ascent.class);

    /** So long blocks below the top wait for others to share a commit with; a walk's last ones wait for none. */
    private static final Duration LINGER = Duration.ofMillis(120);

    /** Blocks that wait for the walker's turn come together, so that neither side is woken for each. */
    private static final int HANDED_AT_ONCE = 4;

    /**
     * Dependencies, all of them the walker's.
     *
     * @param chain the followed one, which it makes longer
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
    private Optional<Fault> doubt = Optional.empty();
    private boolean refused;
    private boolean walkEnded;
    private boolean committing;

    /** @param to as high as the node shows a block */
    Ascent(
            ActorContext<Walker.Command> context,
            TimerScheduler<Walker.Command> timers,
            Materializer materializer,
            Parts parts,
            FollowedNode node,
            long to) {
        this.context = context;
        this.timers = timers;
        this.parts = parts;
        this.node = node;
        this.from = parts.chain().height();
        this.walk = Walk.begin(
                parts.reader(),
                fetched -> parts.check().judgeWork(fetched, to),
                node.client(),
                parts.chain().height() + 1,
                to,
                this::hand,
                HANDED_AT_ONCE,
                materializer);
        context.pipeToSelf(walk.ended(), (done, failure) -> new Walker.WalkEnded());
    }

    private CompletionStage<Done> hand(List<Fetched> blocks) {
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

    /** Height that the walk began on. */
    long from() {
        return from;
    }

    /** The block that has failed a check, and ended the walk. */
    Optional<Fault> doubt() {
        return doubt;
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

    /** Does not judge blocks after one that was refused: they would fit on that one alone. */
    private void arrived(Fetched fetched) {
        if (refused) {
            return;
        }
        doubt = faultOf(fetched);
        if (doubt.isPresent() || !(fetched instanceof Fetched.Whole whole)) {
            LOG.debug("no further than block {}: {}", U64.toString(parts.chain().height()), fetched);
            refused = true;
            return;
        }
        Bookkeeping.Entry entry = new Bookkeeping.Entry(whole.block(), whole.workChecked());
        parts.chain().append(entry.row());
        batch.add(entry);
    }

    private Optional<Fault> faultOf(Fetched fetched) {
        if (fetched instanceof Fetched.Unsound unsound) {
            return Optional.of(unsound.fault());
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

    /** Whether all that was read is committed and told, and nothing more comes. */
    boolean isDone() {
        return walkEnded && !committing && batch.isEmpty();
    }
}
