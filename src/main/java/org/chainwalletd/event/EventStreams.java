package org.chainwalletd.event;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.SharedKillSwitch;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.chain.Address;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.follow.Follower;
import org.chainwalletd.store.books.CreditCursor;
import org.chainwalletd.store.books.CreditEvent;
import org.chainwalletd.store.books.CreditFeed;
import org.chainwalletd.wait.Waits;

/**
 * Server-sent event streams. Each buffers the newest tip, one page of credits and a bounded number of live events: a newer tip replaces an older
 * one, the next credits are read from the books when the reader has taken the previous ones, and a reader that leaves too many live events unread
 * is cut. So no credit is lost to a slow or disconnected reader: it continues after the last id that it received. Credits are those of {@code
 * list_credits} with {@code min_confirmations} 0 and without change. Thread-safe.
 */
public final class EventStreams implements EventFeed {
    /** Credits per read. */
    private static final int PAGE = 16;

    /** Memory per stream: a page of credits with the longest datum, as rows and as text, the live events, and the stream's own objects. */
    private static final long MOST_HELD = PAGE * 20_000L + EventHub.MOST_BYTES + 32_000;

    /** Duration of one wait for credits; then it is renewed. */
    private static final Duration WAIT = Duration.ofMinutes(5);

    private static final long LOG = 0;

    /**
     * @param streams maximum number of open streams
     * @param heartbeat silence after which a comment is sent, so that both ends and proxies between them see that the stream is alive
     * @param unread a reader that leaves data unread for this long is cut
     * @param unopened a stream that is not run within this time loses its place
     */
    public record Limits(int streams, Duration heartbeat, Duration unread, Duration unopened) {
        /** Enough for the readers of one daemon; each costs a connection and at most a page of credits. */
        public static final Limits DEFAULT =
                new Limits(64, Duration.ofSeconds(15), Duration.ofSeconds(30), Duration.ofSeconds(10));
    }

    private final ActorSystem<?> system;
    private final Executor executor;
    private final Follower follower;
    private final CreditFeed feed;
    private final Waits waits;
    private final EventHub hub;
    private final IntSupplier maturity;
    private final Predicate<Address> watchOnly;
    private final Limits limits;
    private final StreamPlaces places;
    private final SharedKillSwitch ending = KillSwitches.shared("events");
    private volatile boolean ended;

    /**
     * @param maturity number of blocks until a coinbase may be spent
     * @param watchOnly whether an address is watched although its key is elsewhere
     */
    public EventStreams(
            ActorSystem<?> system,
            Follower follower,
            CreditFeed feed,
            Waits waits,
            EventHub hub,
            IntSupplier maturity,
            Predicate<Address> watchOnly,
            Limits limits) {
        this.system = system;
        this.executor = system.executionContext();
        this.follower = follower;
        this.feed = feed;
        this.waits = waits;
        this.hub = hub;
        this.maturity = maturity;
        this.watchOnly = watchOnly;
        this.limits = limits;
        this.places = new StreamPlaces(limits.streams());
    }

    /** Returns the number of open streams. */
    public int open() {
        return places.taken();
    }

    /** Ends all streams; no new one is opened. */
    public CompletionStage<Void> end() {
        ended = true;
        ending.shutdown();
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Opening> open(Optional<String> lastEventId, Optional<String> owner, Memory memory) {
        if (ended) {
            return CompletableFuture.completedFuture(new Stopping());
        }
        if (!memory.take(MOST_HELD)) {
            return CompletableFuture.completedFuture(new NoMemory());
        }
        StreamPlaces.Taking taken = places.take(owner, () -> memory.giveBack(MOST_HELD));
        if (taken instanceof StreamPlaces.Refused refused) {
            memory.giveBack(MOST_HELD);
            return CompletableFuture.completedFuture(refused.answer());
        }
        StreamPlaces.Place place = (StreamPlaces.Place) taken;
        return start(lastEventId)
                .thenApplyAsync(from -> opening(from, place), executor)
                .whenCompleteAsync(
                        (opening, failure) -> {
                            if (!(opening instanceof Opened)) {
                                place.giveBack();
                            }
                        },
                        executor);
    }

    /** Returns the cursor to start from; empty when the id is not from these books, or the log after it is no longer kept. */
    private CompletionStage<Optional<CreditCursor>> start(Optional<String> lastEventId) {
        return lastEventId.isEmpty()
                ? feed.now(LOG, Optional.empty()).thenApplyAsync(Optional::of, executor)
                : feed.beginning(LOG, Optional.empty())
                        .thenApplyAsync(
                                first -> CreditCursor.parse(lastEventId.get(), first.store(), LOG, Optional.empty())
                                        .filter(id -> id.log() >= first.log()),
                                executor);
    }

    private Opening opening(Optional<CreditCursor> from, StreamPlaces.Place place) {
        if (from.isEmpty()) {
            return new UnknownId();
        }
        system.scheduler().scheduleOnce(limits.unopened(), place::releaseUnlessRunning, system.executionContext());
        return new Opened(stream(from.get(), place));
    }

    private Source<ByteString, NotUsed> stream(CreditCursor from, StreamPlaces.Place place) {
        Optional<FollowedTip> known = follower.tip();
        return Source.from(first(known))
                .concat(tips(known).merge(credits(from, place), true).merge(hub.live(), true))
                .keepAlive(limits.heartbeat(), () -> ServerSentEvents.HEARTBEAT)
                .backpressureTimeout(limits.unread())
                .via(ending.flow())
                .watchTermination((none, end) -> {
                    place.begin();
                    end.whenCompleteAsync((done, failure) -> place.giveBack(), executor);
                    return none;
                });
    }

    /**
     * Initial events. Always with {@code resync}: a client that reconnects has missed live events, but sends an id only if it has received a
     * credit.
     */
    private static List<ByteString> first(Optional<FollowedTip> known) {
        List<ByteString> first = new ArrayList<>();
        known.map(ServerSentEvents::tip).ifPresent(first::add);
        first.add(ServerSentEvents.RESYNC);
        return first;
    }

    /** Stream of tips, without the one that was sent first. */
    private Source<ByteString, NotUsed> tips(Optional<FollowedTip> known) {
        return follower.tips()
                .dropWhile(tip -> known.filter(tip::equals).isPresent())
                .map(ServerSentEvents::tip);
    }

    private Source<ByteString, NotUsed> credits(CreditCursor from, StreamPlaces.Place place) {
        return Source.unfoldAsync(from, at -> next(at, place)).mapConcat(events -> events);
    }

    private CompletionStage<Optional<Pair<CreditCursor, List<ByteString>>>> next(
            CreditCursor at, StreamPlaces.Place place) {
        return place.<CreditFeed.Batch>ask(cancelled -> waits.forCredits(at, false, PAGE, WAIT, cancelled))
                .thenApplyAsync(batch -> Optional.of(Pair.create(batch.cursor(), events(at, batch))), executor);
    }

    private List<ByteString> events(CreditCursor at, CreditFeed.Batch batch) {
        List<ByteString> events = new ArrayList<>();
        for (CreditEvent event : batch.events()) {
            events.add(ServerSentEvents.credit(
                    event,
                    at.after(event),
                    batch.tipHeight(),
                    maturity.getAsInt(),
                    follower.unverified().isEmpty(),
                    watchOnly.test(event.credit().address())));
        }
        return events;
    }

    /** Limits the number of open streams. Thread-safe. */
    static final class StreamPlaces {
        private final int most;
        private final int share;
        private int taken;
        /** Number of places taken by each named token. All values of one token share its count. */
        private final Map<String, Integer> takenByName = new HashMap<>();

        StreamPlaces(int most) {
            this.most = most;
            this.share = most / 2 + most % 2;
        }

        /** Outcome of {@link #take}. */
        sealed interface Taking {}

        /** @param answer for the client */
        record Refused(Opening answer) implements Taking {}

        /**
         * Takes a place, unless all places are taken or the token has its share.
         *
         * @param owner name of the token; empty for a token that may take all
         * @param release run when the place is released
         */
        synchronized Taking take(Optional<String> owner, Runnable release) {
            if (taken == most) {
                return new Refused(new Full());
            }
            if (owner.filter(name -> takenByName.getOrDefault(name, 0) == share).isPresent()) {
                return new Refused(new ShareTaken());
            }
            taken++;
            owner.ifPresent(name -> takenByName.merge(name, 1, Integer::sum));
            return new Place(owner, release);
        }

        private synchronized void release(Optional<String> owner) {
            taken--;
            owner.ifPresent(name -> takenByName.computeIfPresent(name, (same, count) -> count == 1 ? null : count - 1));
        }

        synchronized int taken() {
            return taken;
        }

        /** Returns the number of tokens that hold a place. */
        synchronized int tokens() {
            return takenByName.size();
        }

        /** Place of one stream. Releasing it also cancels the stream's pending question. */
        final class Place implements Taking {
            private final Optional<String> owner;
            private final Runnable release;
            private boolean running;
            private boolean released;
            private CompletableFuture<Void> cancelled;

            private Place(Optional<String> owner, Runnable release) {
                this.owner = owner;
                this.release = release;
            }

            /** Records that the stream runs, so that its end releases its place. */
            synchronized void begin() {
                running = true;
            }

            /** Releases the place of a stream that was opened but never run, because its reader disconnected first. */
            void releaseUnlessRunning() {
                boolean unused;
                synchronized (this) {
                    unused = !running;
                }
                if (unused) {
                    giveBack();
                }
            }

            /**
             * Asks for the next page.
             *
             * @param question called with a stage that completes when the answer is no longer wanted; a new stage for each question, so that
             *     long-lived streams do not accumulate callbacks
             */
            <T> CompletionStage<T> ask(Function<CompletionStage<Void>, CompletionStage<T>> question) {
                CompletableFuture<Void> cancel = new CompletableFuture<>();
                synchronized (this) {
                    if (released) {
                        return CompletableFuture.failedFuture(new IllegalStateException("the stream has ended"));
                    }
                    cancelled = cancel;
                }
                return question.apply(cancel);
            }

            /** Releases the place. Idempotent. */
            void giveBack() {
                CompletableFuture<Void> cancel;
                synchronized (this) {
                    if (released) {
                        return;
                    }
                    released = true;
                    cancel = cancelled;
                }
                StreamPlaces.this.release(owner);
                release.run();
                if (cancel != null) {
                    cancel.complete(null);
                }
            }
        }
    }
}
