package org.chainwalletd.coins;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.chain.Address;
import org.chainwalletd.keyring.KeyEvents;
import org.chainwalletd.keyring.KeyEvents.OwnKey;
import org.chainwalletd.stage.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the set of addresses that the books watch equal to the keys of the keyring. A call that adds a key has it watched before it
 * answers; this actor handles the rest: a key whose books could not be written then (for example because the disk was full) is watched as
 * soon as they can, and a removed key is no longer watched. Receives key events from the keyring, writes the books, and reports the newest
 * keys. Owns the changes that are not written yet; none of its steps makes it fail. After a restart of the daemon it looks for keys that
 * are not watched; a key that was deleted just before the end stays watched, which costs one row.
 */
public final class KeyWatch extends AbstractBehavior<KeyWatch.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(KeyWatch.class);
    private static final int NEWEST = 500;

    public sealed interface Command {}

    private record Began(Outcome<KnownKeys> known) implements Command {}

    /** Keys of the keyring and addresses that the books watch. */
    private record KnownKeys(List<OwnKey> keys, Set<Address> watched) {}

    private record Added(List<OwnKey> keys) implements Command {}

    private record Removed(Set<Address> addresses) implements Command {}

    private record Written(Map<Address, OptionalLong> changes, Outcome<Void> done) implements Command {}

    private enum Timer implements Command {
        COMPARE,
        WRITE
    }

    /**
     * Dependencies of the actor.
     *
     * @param watched reads the addresses that the books watch
     * @param settling writes which addresses the books watch from now on, with their birth heights (0 where unknown), and which they no
     *     longer watch
     * @param keys returns all current keys, and reports every later change to the listener ({@code Keyring.watch})
     * @param newest receives the addresses of the newest keys, newest first, whenever they change; must not block
     * @param pause delay before the books are written, so that the call that adds the key writes first, and between two tries
     */
    public record Setup(
            Supplier<CompletionStage<Set<Address>>> watched,
            BiFunction<Map<Address, Long>, List<Address>, CompletionStage<Void>> settling,
            Keys keys,
            Consumer<List<Address>> newest,
            Duration pause) {
        /** Source of the keys and of their changes. */
        @FunctionalInterface
        public interface Keys {
            CompletionStage<List<OwnKey>> watch(KeyEvents listener);
        }
    }

    private final TimerScheduler<Command> timers;
    private final Setup setup;
    /** Birth height of each address to be watched, empty for an address to be removed; a later change replaces an earlier one. */
    private final Map<Address, OptionalLong> due = new LinkedHashMap<>();

    private CompletableFuture<List<OwnKey>> keys;
    private List<Address> newest = List.of();
    private boolean writing;

    public static Behavior<Command> create(Setup setup) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> new KeyWatch(context, timers, setup)));
    }

    private KeyWatch(ActorContext<Command> context, TimerScheduler<Command> timers, Setup setup) {
        super(context);
        this.timers = timers;
        this.setup = setup;
        begin();
    }

    private Behavior<Command> begin() {
        CompletableFuture<Set<Address>> watched = setup.watched().get().toCompletableFuture();
        if (keys == null || keys.isCompletedExceptionally()) {
            keys = setup.keys().watch(new ToSelf(getContext().getSelf())).toCompletableFuture();
        }
        Outcome.pipe(
                getContext(),
                CompletableFuture.allOf(watched, keys),
                done -> new Began(done.map(both -> new KnownKeys(keys.join(), watched.join()))));
        return this;
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Began.class, this::onBegan)
                .onMessage(Added.class, this::onAdded)
                .onMessage(Removed.class, this::onRemoved)
                .onMessage(Written.class, this::onWritten)
                .onMessageEquals(Timer.COMPARE, this::begin)
                .onMessageEquals(Timer.WRITE, this::write)
                .build();
    }

    private Behavior<Command> onBegan(Began began) {
        began.known().match(this::compare, this::notCompared);
        return this;
    }

    private void notCompared(Throwable failure) {
        LOG.warn("the books cannot be compared with the keyring yet: {}", failure.toString());
        timers.startSingleTimer(Timer.COMPARE, setup.pause());
    }

    /**
     * Compares the keys with the watched addresses. Changes that arrived meanwhile are newer than both lists. A watched address without a
     * key here is kept: its key may be elsewhere temporarily, and would have missed blocks when it returns.
     */
    private void compare(KnownKeys known) {
        known.keys().stream()
                .filter(key -> !known.watched().contains(key.address()))
                .forEach(key -> due.putIfAbsent(key.address(), birth(key)));
        Stream<Address> before = known.keys().stream()
                .sorted(Comparator.comparingLong((OwnKey key) -> key.birth().orElse(0))
                        .reversed())
                .map(OwnKey::address);
        reportNewest(
                Stream.concat(newest.stream(), before).distinct().limit(NEWEST).toList());
        writeSoon();
    }

    private static OptionalLong birth(OwnKey key) {
        return OptionalLong.of(key.birth().orElse(0));
    }

    private Behavior<Command> onAdded(Added added) {
        added.keys().forEach(key -> due.put(key.address(), birth(key)));
        List<Address> now =
                new ArrayList<>(added.keys().stream().map(OwnKey::address).toList());
        newest.stream().filter(address -> !now.contains(address)).toList().forEach(now::add);
        reportNewest(now.subList(0, Math.min(NEWEST, now.size())));
        writeSoon();
        return this;
    }

    private Behavior<Command> onRemoved(Removed removed) {
        removed.addresses().forEach(address -> due.put(address, OptionalLong.empty()));
        reportNewest(newest.stream()
                .filter(address -> !removed.addresses().contains(address))
                .toList());
        writeSoon();
        return this;
    }

    private void reportNewest(List<Address> now) {
        newest = List.copyOf(now);
        setup.newest().accept(newest);
    }

    private void writeSoon() {
        if (!writing && !due.isEmpty() && !timers.isTimerActive(Timer.WRITE)) {
            timers.startSingleTimer(Timer.WRITE, setup.pause());
        }
    }

    private Behavior<Command> write() {
        Map<Address, OptionalLong> changes = Map.copyOf(due);
        Map<Address, Long> added = new HashMap<>();
        List<Address> gone = new ArrayList<>();
        changes.forEach((address, birth) ->
                birth.ifPresentOrElse(height -> added.put(address, height), () -> gone.add(address)));
        writing = true;
        Outcome.pipe(getContext(), setup.settling().apply(added, gone), done -> new Written(changes, done));
        return this;
    }

    private Behavior<Command> onWritten(Written written) {
        writing = false;
        written.done()
                .match(
                        done -> written.changes().forEach(due::remove),
                        failure -> LOG.warn("the books do not watch all keys yet: {}", failure.toString()));
        writeSoon();
        return this;
    }

    /** Passes key events to the actor. Calls do not wait for it: they have their keys watched themselves. */
    private record ToSelf(ActorRef<Command> self) implements KeyEvents {
        @Override
        public CompletionStage<Void> added(List<OwnKey> keys) {
            self.tell(new Added(List.copyOf(keys)));
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void learnt(List<OwnKey> keys) {
            // Only the existence of keys matters here.
        }

        @Override
        public void removed(Set<Address> addresses) {
            self.tell(new Removed(Set.copyOf(addresses)));
        }
    }
}
