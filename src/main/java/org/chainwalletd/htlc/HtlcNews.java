package org.chainwalletd.htlc;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.PostStop;
import org.apache.pekko.actor.typed.PreRestart;
import org.apache.pekko.actor.typed.SupervisorStrategy;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.follow.FollowEvent;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.htlc.HtlcRecords.HtlcRecord;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.BooksSession;
import org.chainwalletd.store.books.htlc.HtlcChanges;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes changes of the index: when the chain or a sighting has changed something, it reads the books' change log and passes each record to an
 * {@link HtlcListener}. Owns its position in that log. Blocks whose work is not checked yet are not published, so it waits while the books are
 * above the followed tip. After a restart of the actor or the daemon it begins with the next change: nothing is published twice, and changes during
 * the downtime are not published. When several daemons share the books, each of them publishes, but only one truncates the log.
 */
public final class HtlcNews extends AbstractBehavior<HtlcNews.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(HtlcNews.class);
    private static final int BATCH = 500;
    private static final Duration RETRY = Duration.ofSeconds(1);

    public sealed interface Command {}

    /** Something outside the blocks was entered. */
    private record Sighted() implements Command {}

    private record Followed(FollowEvent event) implements Command {}

    private record Began(Outcome<Long> last) implements Command {}

    private record Read(Outcome<Batch> batch) implements Command {}

    private record Dropped(Outcome<Void> done) implements Command {}

    private record Again() implements Command {}

    private record Batch(List<HtlcChanges.Change> changes, long tip) {}

    private final TimerScheduler<Command> timers;
    private final List<Runnable> unsubscribe;
    private final BooleanSupplier truncates;
    private final Books books;
    private final Supplier<Optional<FollowedTip>> tip;
    private final HtlcListener listener;
    private Optional<Long> published = Optional.empty();
    private boolean reading;
    private boolean more;

    /**
     * @param subscribe subscribes an actor to chain events
     * @param truncates whether this daemon truncates the log
     */
    public static Behavior<Command> create(
            Books books,
            Supplier<Optional<FollowedTip>> tip,
            Consumer<ActorRef<FollowEvent>> subscribe,
            Sightings sightings,
            HtlcListener listener,
            BooleanSupplier truncates) {
        return Behaviors.supervise(Behaviors.<Command>setup(context -> Behaviors.withTimers(timers ->
                        new HtlcNews(context, timers, books, tip, subscribe, sightings, listener, truncates))))
                .onFailure(SupervisorStrategy.restart());
    }

    private HtlcNews(
            ActorContext<Command> context,
            TimerScheduler<Command> timers,
            Books books,
            Supplier<Optional<FollowedTip>> tip,
            Consumer<ActorRef<FollowEvent>> subscribe,
            Sightings sightings,
            HtlcListener listener,
            BooleanSupplier truncates) {
        super(context);
        this.timers = timers;
        this.books = books;
        this.tip = tip;
        this.listener = listener;
        this.truncates = truncates;
        begin();
        subscribe.accept(context.messageAdapter(FollowEvent.class, Followed::new));
        ActorRef<Command> self = context.getSelf();
        this.unsubscribe = List.of(
                sightings.whenEntered(() -> self.tell(new Sighted())),
                books.whenChanged(head -> self.tell(new Sighted())));
    }

    private void begin() {
        reading = true;
        Outcome.pipe(
                getContext(),
                truncates.getAsBoolean()
                        ? books.write(session -> {
                            long last = HtlcChanges.last(session.head());
                            HtlcChanges.drop(session.head(), last);
                            return last;
                        })
                        : books.read(session -> HtlcChanges.last(session.head())),
                Began::new);
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Followed.class, heard -> look())
                .onMessage(Sighted.class, sighted -> look())
                .onMessage(Again.class, again -> look())
                .onMessage(Began.class, this::onBegan)
                .onMessage(Read.class, this::onRead)
                .onMessage(Dropped.class, this::onDropped)
                .onSignal(PreRestart.class, signal -> stopListening())
                .onSignal(PostStop.class, signal -> stopListening())
                .build();
    }

    private Behavior<Command> stopListening() {
        unsubscribe.forEach(Runnable::run);
        return this;
    }

    private Behavior<Command> onBegan(Began began) {
        reading = false;
        return began.last().fold(this::lookAfter, this::retryLater);
    }

    private Behavior<Command> lookAfter(long last) {
        published = Optional.of(last);
        return look();
    }

    /** Begins a read, one at a time; changes made meanwhile are read afterwards. */
    private Behavior<Command> look() {
        if (reading) {
            more = true;
        } else if (published.isEmpty()) {
            begin();
        } else {
            reading = true;
            more = false;
            long height = tip.get().map(FollowedTip::height).orElse(-1L);
            Outcome.pipe(getContext(), books.read(session -> batch(session, published.get(), height)), Read::new);
        }
        return this;
    }

    private static Batch batch(BooksSession session, long published, long tip) {
        long top = BlockRows.top(session.head()).map(BlockRow::height).orElse(-1L);
        return top > tip
                ? new Batch(List.of(), tip)
                : new Batch(HtlcChanges.after(session.head(), published, BATCH), tip);
    }

    private Behavior<Command> onRead(Read read) {
        reading = false;
        return read.batch().fold(this::publishBatch, this::retryLater);
    }

    private Behavior<Command> publishBatch(Batch batch) {
        List<HtlcChanges.Change> changes = batch.changes();
        if (changes.isEmpty()) {
            return more ? look() : this;
        }
        if (listener.isListening()) {
            publish(changes, batch.tip());
        }
        long last = changes.get(changes.size() - 1).number();
        published = Optional.of(last);
        if (!truncates.getAsBoolean()) {
            return look();
        }
        reading = true;
        more = true;
        Outcome.pipe(
                getContext(),
                books.<Void>write(session -> {
                    HtlcChanges.drop(session.head(), last);
                    return null;
                }),
                Dropped::new);
        return this;
    }

    /**
     * Publishes an HTLC that changed several times only once, at the position of its last change, because each entry would show its current state.
     */
    private void publish(List<HtlcChanges.Change> changes, long height) {
        Map<Outpoint, HtlcChanges.Change> last = new LinkedHashMap<>();
        for (HtlcChanges.Change change : changes) {
            last.remove(change.outpoint());
            last.put(change.outpoint(), change);
        }
        last.values().forEach(change -> publish(change, height));
    }

    private void publish(HtlcChanges.Change change, long height) {
        if (change.row().isEmpty()) {
            listener.removed(change.outpoint());
            return;
        }
        change.row()
                .filter(row -> !row.forgotten())
                .flatMap(row -> row.asOf(height))
                .ifPresent(row -> listener.changed(LocalRecords.record(row, height)));
    }

    /** Continues after truncating the log. Entries that could not be removed only take space and are removed later. */
    private Behavior<Command> onDropped(Dropped dropped) {
        reading = false;
        return dropped.done().fold(done -> more ? look() : this, this::retryLater);
    }

    private Behavior<Command> retryLater(Throwable failure) {
        LOG.warn("changes of HTLCs cannot be published now: {}", failure.toString());
        timers.startSingleTimer(new Again(), RETRY);
        return this;
    }

    /** Receives every change of a record in the form returned to callers. Must not block. */
    public interface HtlcListener {
        /** Tests whether a change would reach anybody now. */
        boolean isListening();

        void changed(HtlcRecord record);

        /** The lock's block was disconnected and the lock was not seen outside of it, so there is no record any more. */
        void removed(Outpoint lock);
    }
}
