package org.chainwalletd.coins;

import static org.chainwalletd.stage.Blocking.await;

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
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
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
import org.chainwalletd.stage.Work;
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

    private final Map<Address, WatchStore.WatchOnly> known = new ConcurrentHashMap<>();
    private final Newest newest = new Newest();
    private final WatchStore store;
    private final WatchedInBooks books;
    private final Predicate<Address> owned;
    private final Executor threads;
    private final ActorRef<Changes.Command> changes;

    private WatchOnly(
            Spawner spawner,
            List<WatchStore.WatchOnly> rows,
            WatchStore store,
            WatchedInBooks books,
            Predicate<Address> owned,
            Executor threads) {
        this.store = store;
        this.books = books;
        this.owned = owned;
        this.threads = threads;
        rows.forEach(row -> known.put(row.address(), row));
        rows.stream().limit(Newest.PUSHED).forEach(row -> newest.add(row.address()));
        this.changes = spawner.spawn(
                Behaviors.withTimers(timers -> Behaviors.setup(
                        context -> new Changes(context, timers, () -> Work.on(threads, this::readAgain)))),
                "watch-only");
        store.whenOthersChange(() -> changes.tell(new Changes.OthersChanged()));
    }

    /**
     * @param rows rows of the store, all of which the books watch
     * @param owned whether there is a key for an address, from memory
     * @param threads threads that wait for the store and the books, neither of which may depend on these threads
     */
    public static WatchOnly start(
            Spawner spawner,
            List<WatchStore.WatchOnly> rows,
            WatchStore store,
            WatchedInBooks books,
            Predicate<Address> owned,
            Executor threads) {
        return new WatchOnly(spawner, rows, store, books, owned, threads);
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
        return change(() -> {
            Address address = row.address();
            requireNotOwned(address);
            if (known.size() >= MAX_ADDRESSES && !known.containsKey(address)) {
                throw new FullException();
            }
            await(store.put(row));
            known.put(address, row);
            newest.add(address);
            await(books.settle(Map.of(address, row.birth()), List.of()));
            if (owned.test(address)) {
                // Its key was added meanwhile.
                drop(address);
                await(store.remove(List.of(address)));
                throw new OwnedException(address);
            }
            return null;
        });
    }

    /** Stops watching an address; true if it was watched. Its credits stay in the feed. Fails like {@link #watch}. */
    public CompletionStage<Boolean> unwatch(Address address) {
        return change(() -> {
            requireNotOwned(address);
            // Always removed from both: an earlier call may have reached only the store.
            await(store.remove(List.of(address)));
            boolean was = drop(address);
            await(books.settle(Map.of(), List.of(address)));
            // Another daemon may have started to watch it meanwhile: its row in the store decides, regardless of the
            // order of writes to the books.
            await(store.find(address)).ifPresent(row -> await(books.settle(Map.of(address, row.birth()), List.of())));
            return was;
        });
    }

    /** Makes a change after all earlier ones, on threads that may block. */
    private <T> CompletionStage<T> change(Supplier<T> work) {
        CompletableFuture<T> reply = new CompletableFuture<>();
        changes.tell(new Changes.Change(() -> Work.on(threads, work)
                .whenCompleteAsync(
                        (value, failure) ->
                                Outcome.of(value, failure).match(reply::complete, reply::completeExceptionally),
                        Runnable::run)));
        return reply;
    }

    private void requireNotOwned(Address address) {
        if (owned.test(address)) {
            throw new OwnedException(address);
        }
    }

    private boolean drop(Address address) {
        newest.remove(address);
        return known.remove(address) != null;
    }

    /** Reads all rows, between two changes of this daemon, so that none of them is undone. */
    private Void readAgain() {
        Set<Address> gone = new HashSet<>(known.keySet());
        for (WatchStore.WatchOnly row : await(store.all())) {
            if (!gone.remove(row.address())) {
                newest.add(row.address());
            }
            known.put(row.address(), row);
        }
        gone.forEach(this::drop);
        return null;
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

    /**
     * Removes the rows of new keys. Calls that generate keys do not wait, since a freshly generated key cannot be watched yet. The addresses
     * are owned even if the removal fails; the next start then removes the rows.
     */
    @Override
    public CompletionStage<Void> added(List<OwnKey> keys) {
        List<Address> watched =
                keys.stream().map(OwnKey::address).filter(known::containsKey).toList();
        if (watched.isEmpty()) {
            return CompletableFuture.completedFuture(null);
        }
        CompletionStage<Void> removed = change(() -> {
            watched.forEach(this::drop);
            return await(store.remove(watched));
        });
        return removed.exceptionallyAsync(
                failure -> {
                    LOG.warn(
                            "the watch-only rows of addresses whose keys were added remain until the next start: {}",
                            failure.toString());
                    return null;
                },
                Runnable::run);
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

    /** Makes the changes in the order of the requests. Owns the queued ones; a restart begins from the rows. */
    private static final class Changes extends AbstractBehavior<Changes.Command> {
        sealed interface Command {}

        record Change(Supplier<CompletionStage<?>> work) implements Command {}

        record OthersChanged() implements Command {}

        private record ReadAgain() implements Command {}

        /** Carries the continuation of a change that has ended. */
        private record Made(Runnable next) implements Command {}

        /** Reading all rows takes at most one part in this many of the time, however often other daemons change some. */
        private static final long READING_SHARE = 20;

        private static final Duration MIN_PAUSE = Duration.ofMillis(100);

        private final TimerScheduler<Command> timers;
        private final Supplier<CompletionStage<Void>> reading;
        private final Queue<Runnable> waiting = new ArrayDeque<>();
        private boolean changing;
        private boolean outdated;

        Changes(
                ActorContext<Command> context,
                TimerScheduler<Command> timers,
                Supplier<CompletionStage<Void>> reading) {
            super(context);
            this.timers = timers;
            this.reading = reading;
        }

        @Override
        public Receive<Command> createReceive() {
            return newReceiveBuilder()
                    .onMessage(
                            Change.class,
                            command -> enqueue(() -> make(command.work().get(), done -> {})))
                    .onMessage(OthersChanged.class, command -> othersChanged())
                    .onMessage(ReadAgain.class, command -> enqueue(this::read))
                    .onMessage(Made.class, this::made)
                    .build();
        }

        private Behavior<Command> enqueue(Runnable change) {
            waiting.add(change);
            makeNext();
            return this;
        }

        private void makeNext() {
            while (!changing && !waiting.isEmpty()) {
                waiting.remove().run();
            }
        }

        private <T> void make(CompletionStage<T> change, Consumer<Outcome<T>> then) {
            changing = true;
            Outcome.pipe(getContext(), change, done -> new Made(() -> then.accept(done)));
        }

        private Behavior<Command> made(Made made) {
            changing = false;
            made.next().run();
            makeNext();
            return this;
        }

        private Behavior<Command> othersChanged() {
            if (!outdated) {
                outdated = true;
                if (!timers.isTimerActive(ReadAgain.class)) {
                    enqueue(this::read);
                }
            }
            return this;
        }

        private void read() {
            if (outdated) {
                outdated = false;
                long began = System.nanoTime();
                make(reading.get(), done -> onRead(done, began));
            }
        }

        private void onRead(Outcome<Void> done, long began) {
            done.failure().ifPresent(failure -> {
                LOG.debug("watched addresses of other daemons cannot be read: {}", failure.toString());
                outdated = true;
            });
            Duration pause = Duration.ofNanos((System.nanoTime() - began) * READING_SHARE);
            timers.startSingleTimer(
                    ReadAgain.class, new ReadAgain(), pause.compareTo(MIN_PAUSE) < 0 ? MIN_PAUSE : pause);
        }
    }
}
