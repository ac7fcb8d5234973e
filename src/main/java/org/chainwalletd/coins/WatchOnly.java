package org.chainwalletd.coins;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.KeyEvents;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.stage.Spawner;
import org.chainwalletd.store.WatchStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watch-only addresses: their keys are elsewhere. A change is first made durable as a row of the store, then the books watch the address,
 * and only then is the caller answered; removals use the same order. A crash between the two is repaired at the next start. When the key of
 * an address is added to the keyring, the address becomes owned: its row is removed; its coins and credits stay. Rows changed by other
 * daemons are followed. Thread-safe: one actor makes the changes, one after the other, and every thread reads the result.
 */
public final class WatchOnly implements KeyEvents {
    /** Maximum number of watched addresses; each takes some 300 bytes of memory. */
    public static final int MAX_ADDRESSES = 100_000;

    private static final Logger LOG = LoggerFactory.getLogger(WatchOnly.class);

    /** Access to the books: which addresses they watch without a key. */
    @FunctionalInterface
    public interface WatchedInBooks {
        /** Writes the changes, see {@code LedgerBooks.settleWatchOnly}. */
        CompletionStage<Void> settle(Map<Address, OptionalLong> births, Collection<Address> unwatched);
    }

    /** Signals that the address has a key here, so it is watched anyway. */
    public static final class OwnedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        OwnedException(Address address) {
            super(
                    "address " + address + " is in the keyring, and so its credits and balance are told anyway",
                    null,
                    false,
                    false);
        }
    }

    /** Signals that no further address can be watched. */
    public static final class FullException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        FullException() {
            super(
                    MAX_ADDRESSES
                            + " addresses are watched without a key, and that is the most; unwatch_address makes room",
                    null,
                    false,
                    false);
        }
    }

    private final Map<Address, WatchStore.WatchOnly> known;
    private final Newest newest;
    private final Predicate<Address> owned;
    private final ActorRef<Changes.Command> changes;

    private WatchOnly(
            Map<Address, WatchStore.WatchOnly> known,
            Newest newest,
            Predicate<Address> owned,
            ActorRef<Changes.Command> changes) {
        this.known = known;
        this.newest = newest;
        this.owned = owned;
        this.changes = changes;
    }

    /**
     * @param rows rows of the store, all of which the books watch
     * @param owned whether there is a key for an address, from memory
     */
    public static WatchOnly start(
            Spawner spawner,
            List<WatchStore.WatchOnly> rows,
            WatchStore store,
            WatchedInBooks books,
            Predicate<Address> owned) {
        Map<Address, WatchStore.WatchOnly> known = new ConcurrentHashMap<>();
        rows.forEach(row -> known.put(row.address(), row));
        Newest newest = new Newest();
        rows.stream().limit(Newest.PUSHED).forEach(row -> newest.add(row.address()));
        ActorRef<Changes.Command> changes = spawner.spawn(
                Behaviors.withTimers(timers ->
                        Behaviors.setup(context -> new Changes(context, timers, known, newest, store, books, owned))),
                "watch-only");
        store.whenOthersChange(() -> changes.tell(new Changes.OthersChanged()));
        return new WatchOnly(known, newest, owned, changes);
    }

    /** Registers a listener for the addresses for which nodes are asked to push changes, newest first; it must not block. */
    public void tellNewest(Consumer<List<Address>> listener) {
        newest.tell(listener);
    }

    /**
     * Newest addresses, for which nodes are asked to push changes as long as they have capacity; changes of the others are learnt from
     * blocks.
     */
    private static final class Newest {
        static final int PUSHED = 500;

        private final Deque<Address> addresses = new ArrayDeque<>();
        private Consumer<List<Address>> listener = pushed -> {};

        synchronized void tell(Consumer<List<Address>> told) {
            listener = told;
            listener.accept(List.copyOf(addresses));
        }

        synchronized void add(Address address) {
            addresses.remove(address);
            addresses.addFirst(address);
            if (addresses.size() > PUSHED) {
                addresses.removeLast();
            }
            listener.accept(List.copyOf(addresses));
        }

        synchronized void remove(Address address) {
            if (addresses.remove(address)) {
                listener.accept(List.copyOf(addresses));
            }
        }
    }

    /**
     * Starts watching an address, and reads its history from {@code row.birth()} on if present. An address that is already watched gets the
     * label and the birth of {@code row}. Fails with {@link OwnedException}, {@link FullException} or {@code StoreException}.
     */
    public CompletionStage<Void> watch(WatchStore.WatchOnly row) {
        CompletableFuture<Void> reply = new CompletableFuture<>();
        changes.tell(new Changes.Watch(row, reply));
        return reply;
    }

    /** Stops watching an address; true if it was watched. Its credits stay in the feed. Fails like {@link #watch}. */
    public CompletionStage<Boolean> unwatch(Address address) {
        CompletableFuture<Boolean> reply = new CompletableFuture<>();
        changes.tell(new Changes.Unwatch(address, reply));
        return reply;
    }

    /** Whether the address is watched and has no key here. */
    public boolean has(Address address) {
        return known.containsKey(address) && !owned.test(address);
    }

    /** Returns all rows in the order of their addresses. */
    public List<WatchStore.WatchOnly> list() {
        return known.values().stream()
                .filter(row -> !owned.test(row.address()))
                .sorted(Comparator.comparing(row -> row.address().toString()))
                .toList();
    }

    /** Handles new keys. Calls that generate keys do not wait, since a freshly generated key cannot be watched yet. */
    @Override
    public CompletionStage<Void> added(List<OwnKey> keys) {
        List<Address> watched =
                keys.stream().map(OwnKey::address).filter(known::containsKey).toList();
        return watched.isEmpty() ? CompletableFuture.completedFuture(null) : forget(watched);
    }

    @Override
    public void learnt(List<OwnKey> keys) {
        // Only the existence of keys matters here.
    }

    @Override
    public void removed(Set<Address> addresses) {
        // The row was removed when the key was added. A row that exists now is newer: the address was watched after
        // its key was deleted.
    }

    private CompletionStage<Void> forget(List<Address> addresses) {
        CompletableFuture<Void> reply = new CompletableFuture<>();
        changes.tell(new Changes.Forget(addresses, reply));
        return reply;
    }

    /** Makes the changes in the order of the requests. Owns the queued ones; a restart begins from the rows. */
    private static final class Changes extends AbstractBehavior<Changes.Command> {
        sealed interface Command {}

        record Watch(WatchStore.WatchOnly row, CompletableFuture<Void> reply) implements Command {}

        record Unwatch(Address address, CompletableFuture<Boolean> reply) implements Command {}

        /** Removes the rows of addresses whose keys were added. */
        record Forget(List<Address> addresses, CompletableFuture<Void> reply) implements Command {}

        record OthersChanged() implements Command {}

        private record ReadAgain() implements Command {}

        /** Carries the continuation of an answered request to the store or the books. */
        private record Answered(Runnable next) implements Command {}

        /** Reading all rows takes at most one part in this many of the time, however often other daemons change some. */
        private static final long READING_SHARE = 20;

        private static final Duration MIN_PAUSE = Duration.ofMillis(100);

        private final TimerScheduler<Command> timers;
        private final Map<Address, WatchStore.WatchOnly> known;
        private final Newest newest;
        private final WatchStore store;
        private final WatchedInBooks books;
        private final Predicate<Address> owned;
        private final Queue<Runnable> waiting = new ArrayDeque<>();
        /** Whether a request to the store or the books is open. */
        private boolean asking;

        private boolean outdated;

        Changes(
                ActorContext<Command> context,
                TimerScheduler<Command> timers,
                Map<Address, WatchStore.WatchOnly> known,
                Newest newest,
                WatchStore store,
                WatchedInBooks books,
                Predicate<Address> owned) {
            super(context);
            this.timers = timers;
            this.known = known;
            this.newest = newest;
            this.store = store;
            this.books = books;
            this.owned = owned;
        }

        @Override
        public Receive<Command> createReceive() {
            return newReceiveBuilder()
                    .onMessage(Watch.class, command -> enqueue(() -> watch(command)))
                    .onMessage(Unwatch.class, command -> enqueue(() -> unwatch(command)))
                    .onMessage(Forget.class, command -> enqueue(() -> forget(command)))
                    .onMessage(OthersChanged.class, command -> othersChanged())
                    .onMessage(ReadAgain.class, command -> enqueue(this::readAgain))
                    .onMessage(Answered.class, this::onAnswered)
                    .build();
        }

        private Behavior<Command> enqueue(Runnable change) {
            waiting.add(change);
            runNext();
            return this;
        }

        private void runNext() {
            while (!asking && !waiting.isEmpty()) {
                waiting.remove().run();
            }
        }

        private <T> void ask(CompletionStage<T> stage, Consumer<Outcome<T>> then) {
            asking = true;
            Outcome.pipe(getContext(), stage, outcome -> new Answered(() -> then.accept(outcome)));
        }

        private Behavior<Command> onAnswered(Answered answered) {
            asking = false;
            answered.next().run();
            runNext();
            return this;
        }

        private void write(CompletionStage<Void> stage, Runnable next, CompletableFuture<?> reply) {
            ask(stage, written -> written.match(done -> next.run(), reply::completeExceptionally));
        }

        private Behavior<Command> othersChanged() {
            if (!outdated) {
                outdated = true;
                if (!timers.isTimerActive(ReadAgain.class)) {
                    enqueue(this::readAgain);
                }
            }
            return this;
        }

        /** Reads all rows, between two changes of this daemon, so that none of them is undone. */
        private void readAgain() {
            if (!outdated) {
                return;
            }
            outdated = false;
            long began = System.nanoTime();
            ask(store.all(), rows -> read(rows, began));
        }

        private void read(Outcome<List<WatchStore.WatchOnly>> rows, long began) {
            rows.match(this::replace, failure -> {
                LOG.debug("watched addresses of other daemons cannot be read: {}", failure.toString());
                outdated = true;
            });
            Duration pause = Duration.ofNanos((System.nanoTime() - began) * READING_SHARE);
            timers.startSingleTimer(
                    ReadAgain.class, new ReadAgain(), pause.compareTo(MIN_PAUSE) < 0 ? MIN_PAUSE : pause);
        }

        private void replace(List<WatchStore.WatchOnly> rows) {
            Set<Address> gone = new HashSet<>(known.keySet());
            for (WatchStore.WatchOnly row : rows) {
                if (!gone.remove(row.address())) {
                    newest.add(row.address());
                }
                known.put(row.address(), row);
            }
            gone.forEach(this::drop);
        }

        private void watch(Watch command) {
            WatchStore.WatchOnly row = command.row();
            Address address = row.address();
            if (owned.test(address)) {
                command.reply().completeExceptionally(new OwnedException(address));
            } else if (known.size() >= MAX_ADDRESSES && !known.containsKey(address)) {
                command.reply().completeExceptionally(new FullException());
            } else {
                write(store.put(row), () -> stored(row, command.reply()), command.reply());
            }
        }

        private void stored(WatchStore.WatchOnly row, CompletableFuture<Void> reply) {
            known.put(row.address(), row);
            newest.add(row.address());
            write(books.settle(Map.of(row.address(), row.birth()), List.of()), () -> watched(row, reply), reply);
        }

        /** Handles a row that was written. The key may have been added meanwhile; the row must then be removed here. */
        private void watched(WatchStore.WatchOnly row, CompletableFuture<Void> reply) {
            if (owned.test(row.address())) {
                drop(row.address());
                write(
                        store.remove(List.of(row.address())),
                        () -> reply.completeExceptionally(new OwnedException(row.address())),
                        reply);
            } else {
                reply.complete(null);
            }
        }

        private boolean drop(Address address) {
            newest.remove(address);
            return known.remove(address) != null;
        }

        /** Removes an address from the store and the books, always from both: an earlier call may have reached only the store. */
        private void unwatch(Unwatch command) {
            Address address = command.address();
            if (owned.test(address)) {
                command.reply().completeExceptionally(new OwnedException(address));
                return;
            }
            write(
                    store.remove(List.of(address)),
                    () -> {
                        boolean was = drop(address);
                        write(
                                unwatched(address, books, store),
                                () -> command.reply().complete(was),
                                command.reply());
                    },
                    command.reply());
        }

        /**
         * Removes an address from the books. Another daemon may have started to watch it meanwhile: its row in the store decides,
         * regardless of the order of writes to the books.
         */
        private static CompletionStage<Void> unwatched(Address address, WatchedInBooks books, WatchStore store) {
            return books.settle(Map.of(), List.of(address))
                    .thenComposeAsync(done -> store.find(address), Runnable::run)
                    .thenComposeAsync(
                            row -> row.isPresent()
                                    ? books.settle(Map.of(address, row.get().birth()), List.of())
                                    : CompletableFuture.completedStage(null),
                            Runnable::run);
        }

        /** Removes the rows of owned addresses. They are owned even if that fails; the next start then removes the rows. */
        private void forget(Forget command) {
            command.addresses().forEach(this::drop);
            ask(store.remove(command.addresses()), done -> {
                done.failure()
                        .ifPresent(failure -> LOG.warn(
                                "the watch-only rows of addresses whose keys were added remain until the next start: {}",
                                failure.toString()));
                command.reply().complete(null);
            });
        }
    }
}
