package org.chainwalletd.keyring;

import io.micrometer.core.instrument.Counter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.chainwalletd.chain.Address;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.KeyringProtocol.Command;
import org.chainwalletd.keyring.KeyringProtocol.NewsRead;
import org.chainwalletd.keyring.KeyringProtocol.OthersChanged;
import org.chainwalletd.keyring.KeyringProtocol.Told;
import org.chainwalletd.keyring.KeyringProtocol.Written;
import org.chainwalletd.keyring.store.KeyTable;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringNews;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.stage.Work;

/**
 * Writes changes to the store, one write at a time: changes submitted during a write are batched into the next one. In a shared keyring it
 * also reads the changes of other daemons into memory, but never during a write, so that neither overwrites the other. Belongs to the
 * Keyring actor.
 */
final class StateWrites {
    /** Attempts to write while other daemons' commits cause conflicts; each conflict means that another daemon made progress. */
    private static final int MOST_TRIES = 100;

    private static final Duration AGAIN = Duration.ofSeconds(1);

    private final ActorContext<Command> context;
    private final KeyTable table;
    private final KeyringStore store;
    private final Executor disk;
    private final Counter writes;
    private final KeyListeners keyListeners;
    private final Followers followers;
    private final List<KeyTable.Change> waiting = new ArrayList<>();
    /** Callbacks that wait until all commits made before they asked are in memory; {@code answering} holds those whose read is running. */
    private final List<Consumer<Optional<KeyringException>>> asking = new ArrayList<>();

    private List<Consumer<Optional<KeyringException>>> answering = List.of();
    private boolean running;
    private boolean outOfDate;
    private boolean stopped;
    private int conflicts;
    /** Number of the newest commit whose changes, and all earlier ones, are in memory. */
    private long followed;

    private Set<EvmAddress> keptEvm;

    /** Parts of the keyring that follow changes made by other daemons. */
    interface Followers {
        void removed(Set<Address> addresses);

        void evmKeys(Set<EvmAddress> kept);
    }

    StateWrites(
            ActorContext<Command> context,
            KeyTable table,
            KeyringStore store,
            KeyringStore.Listing loaded,
            Executor disk,
            Counter writes,
            KeyListeners keyListeners,
            Followers followers) {
        this.context = context;
        this.table = table;
        this.store = store;
        this.followed = loaded.commit();
        this.keptEvm = loaded.keptEvm();
        this.disk = disk;
        this.writes = writes;
        this.keyListeners = keyListeners;
        this.followers = followers;
    }

    boolean isWriting() {
        return running;
    }

    void submit(KeyTable.Change change) {
        waiting.add(change);
        next();
    }

    private void next() {
        if (running) {
            return;
        }
        if ((outOfDate || !asking.isEmpty()) && !stopped) {
            read();
        } else if (!waiting.isEmpty()) {
            write();
        }
    }

    /** @param written whether the batch is durable */
    void ended(KeyTable.Batch batch, Outcome<Void> written) {
        running = false;
        written.match(done -> accept(batch), failure -> failed(batch, KeyringFailures.of(failure)));
        prepareNext();
        next();
    }

    private void accept(KeyTable.Batch batch) {
        conflicts = 0;
        table.accept(batch);
        if (batch.changesState()) {
            writes.increment();
        }
        keyListeners
                .tell(batch)
                .ifPresentOrElse(
                        heard -> Outcome.pipe(context, heard, done -> new Told(batch, done)),
                        () -> answer(batch, Optional.empty()));
    }

    /**
     * In a shared store, retries a conflicting change after reading the other daemons' commits; that read also finds a write of unknown
     * outcome.
     */
    private void failed(KeyTable.Batch batch, KeyringException failure) {
        outOfDate = store.isShared();
        if (outOfDate && failure.reason() == Reason.CONFLICT && conflicts < MOST_TRIES && !stopped) {
            conflicts++;
            waiting.addAll(0, batch.changes());
        } else {
            batch.changes().forEach(change -> change.ended().accept(Optional.of(failure)));
        }
    }

    /** @param heard success when every listener knows the batch's new keys */
    void told(KeyTable.Batch batch, Outcome<Void> heard) {
        answer(batch, heard.failure().map(failure -> KeyringFailures.unheard(batch.added(), failure)));
    }

    /** @param ofNew failure for changes that add keys; all other changes have succeeded */
    private static void answer(KeyTable.Batch batch, Optional<KeyringException> ofNew) {
        batch.changes().forEach(change -> change.ended().accept(change.added().isEmpty() ? Optional.empty() : ofNew));
    }

    /** Stops writing and refuses all waiting changes. */
    void stop(KeyringException refusal) {
        stopped = true;
        List<KeyTable.Change> refused = List.copyOf(waiting);
        waiting.clear();
        refused.forEach(change -> change.ended().accept(Optional.of(refusal)));
        refuseAsking(refusal);
        disk.execute(store::close);
    }

    /** Refuses all waiting calls of {@link #refresh} and stops reading the store; {@link #stop} refuses later calls. */
    void refuseAsking(KeyringException refusal) {
        stopped = true;
        List<Consumer<Optional<KeyringException>>> refused = new ArrayList<>(answering);
        refused.addAll(asking);
        answering = List.of();
        asking.clear();
        refused.forEach(asked -> asked.accept(Optional.of(refusal)));
    }

    private void write() {
        running = true;
        List<KeyTable.Change> some = store.isShared() ? fitting() : all();
        if (some.isEmpty()) {
            running = false;
            next();
            return;
        }
        KeyTable.Batch batch = table.prepare(some);
        Outcome.pipe(
                context,
                Work.<Void>on(disk, () -> {
                    store.record(batch);
                    return null;
                }),
                done -> new Written(batch, done));
    }

    private List<KeyTable.Change> all() {
        List<KeyTable.Change> all = List.copyOf(waiting);
        waiting.clear();
        return all;
    }

    /** Takes the changes that still apply and refuses the others. A change that the store may refuse on its own is written alone. */
    private List<KeyTable.Change> fitting() {
        List<KeyTable.Change> some = new ArrayList<>();
        List<KeyTable.Change> refused = new ArrayList<>();
        boolean full = false;
        for (KeyTable.Change change : all()) {
            boolean alone = !change.removed().isEmpty() || change.evmKey().isPresent();
            full |= alone && !some.isEmpty();
            if (full) {
                waiting.add(change);
            } else if (table.objection(change).isPresent()) {
                refused.add(change);
            } else {
                some.add(change);
                full = alone;
            }
        }
        // A refused caller may submit another change at once, which must come last.
        refused.forEach(change -> change.ended().accept(table.objection(change)));
        return some;
    }

    /**
     * Reads into memory what other daemons have changed before this call.
     *
     * @param then called on the actor's thread, with the reason if the read failed; called immediately if the store is not shared
     */
    void refresh(Consumer<Optional<KeyringException>> then) {
        if (!store.isShared()) {
            then.accept(Optional.empty());
            return;
        }
        asking.add(then);
        next();
    }

    /** Called when another daemon has changed the keyring. */
    void othersChanged() {
        outOfDate = true;
        next();
    }

    private void read() {
        running = true;
        outOfDate = false;
        answering = List.copyOf(asking);
        asking.clear();
        long since = followed;
        KeyringStore.Shared shared = store.shared().orElseThrow();
        Outcome.pipe(context, Work.on(disk, () -> shared.since(since)), NewsRead::new);
    }

    void read(NewsRead outcome) {
        running = false;
        List<Consumer<Optional<KeyringException>>> asked = answering;
        answering = List.of();
        Optional<KeyringException> failure =
                outcome.news().fold(this::folded, cause -> Optional.of(KeyringFailures.of(cause)));
        if (failure.isPresent()) {
            context.scheduleOnce(AGAIN, context.getSelf(), new OthersChanged());
        }
        asked.forEach(then -> then.accept(failure));
        next();
    }

    /** Catches failures from rows that this release cannot read: they must not stop the actor and lose the unsealed keys. */
    private Optional<KeyringException> folded(KeyringNews news) {
        try {
            fold(news);
            return Optional.empty();
        } catch (RuntimeException e) {
            return Optional.of(KeyringFailures.of(e));
        }
    }

    private void fold(KeyringNews news) {
        Optional<KeyTable.Batch> folded = table.fold(news);
        followed = news.commit();
        folded.ifPresent(batch -> {
            table.accept(batch);
            followers.removed(batch.gone());
            // No caller waits for these keys here; the daemon that created them has informed its own listeners.
            keyListeners
                    .tell(batch)
                    .ifPresent(heard -> heard.exceptionallyAsync(
                            failure -> {
                                KeyringFailures.log(
                                        "listeners could not be informed of another daemon's keys", failure);
                                return null;
                            },
                            disk));
        });
        if (folded.isPresent() || !keptEvm.equals(news.keptEvm())) {
            keptEvm = news.keptEvm();
            followers.evmKeys(keptEvm);
        }
    }

    /** Passes the account-chain keys as known now to the follower. */
    void tellEvmKeys() {
        followers.evmKeys(keptEvm);
    }

    /** Lets the store prepare its next write, so that a change to a large keyring is cheap. */
    void prepareNext() {
        disk.execute(store::prepare);
    }
}
