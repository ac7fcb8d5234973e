package org.chainwalletd.swap.engine;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.account.AccountBlock;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.stage.Outcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds money of ours that no row of the journal looks after (swap.md, section 6): after a restore from an older backup, or when a row was
 * damaged. Reads the events of the contract up to its final blocks, each once, and takes back, when it is due, every lock of ours that it finds
 * there without a row; hands those with a row that nobody watches back to the {@link SwapEngine}. At its start it reads the hash locks of all
 * unwatched rows directly on both chains.
 *
 * <p>Owns the locks without a row, and the place up to which it has read. Only the place is durable, and never passes a lock that is still
 * open: after a restart such locks are found again.
 */
public final class Watchtower extends AbstractBehavior<Watchtower.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Watchtower.class);
    private static final int MOST_SETTLED = 20_000;
    /** A week of blocks, for what another installation with these keys may have left open: no lock lasts longer than half a day. */
    private static final long LOOKED_BACK = 50_400;

    public sealed interface Command {}

    private record Begin() implements Command {}

    private record Look() implements Command {}

    private record Placed(Outcome<Optional<AccountBlock>> end) implements Command {}

    private record Began(Outcome<OptionalLong> cursor) implements Command {}

    private record Audited(Outcome<Optional<Long>> next) implements Command {}

    private record Ended(Outcome<Optional<AccountBlock>> end) implements Command {}

    private record Scanned(LockScan.Range range, Outcome<Collection<LockScan.Seen>> seen) implements Command {}

    private record Tended(LockScan.Seen lock, Outcome<Orphans.Fate> fate) implements Command {}

    private record Shared(Outcome<Set<Hash256>> settled) implements Command {}

    private record Moved(long place, Outcome<Void> done) implements Command {}

    private final TimerScheduler<Command> timers;
    private final WatchtowerSetup setup;
    /** Without a row, and not over. */
    private final Map<Hash256, LockScan.Seen> open = new HashMap<>();

    private final Deque<LockScan.Seen> waiting = new ArrayDeque<>();
    /** Claims on the chain of which nothing has to be looked up again. */
    private final Set<Hash256> settled = new HashSet<>();
    /** First block that was not read in this life. */
    private long next;

    private long end;
    private long durable;
    private Optional<Long> audit = Optional.of(Long.MAX_VALUE);

    private Watchtower(ActorContext<Command> context, TimerScheduler<Command> timers, WatchtowerSetup setup) {
        super(context);
        this.timers = timers;
        this.setup = setup;
        begin();
    }

    public static Behavior<Command> create(WatchtowerSetup setup) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> new Watchtower(context, timers, setup)));
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Begin.class, begin -> begin())
                .onMessage(Look.class, look -> look())
                .onMessage(Began.class, this::onBegan)
                .onMessage(Placed.class, this::onPlaced)
                .onMessage(Audited.class, this::onAudited)
                .onMessage(Ended.class, this::onEnded)
                .onMessage(Scanned.class, this::onScanned)
                .onMessage(Tended.class, this::onTended)
                .onMessage(Shared.class, this::onShared)
                .onMessage(Moved.class, this::onMoved)
                .build();
    }

    private Behavior<Command> begin() {
        getContext()
                .pipeToSelf(
                        setup.cursors().of(setup.scan()), (cursor, failure) -> new Began(Outcome.of(cursor, failure)));
        return this;
    }

    private Behavior<Command> onBegan(Began began) {
        return began.cursor().fold(this::beginAfter, failure -> beginLater("its place cannot be read", failure));
    }

    private Behavior<Command> beginAfter(OptionalLong cursor) {
        if (cursor.isEmpty() && setup.fromBlock().isEmpty()) {
            getContext().pipeToSelf(setup.chain().finalBlock(), (end, failure) -> new Placed(Outcome.of(end, failure)));
            return this;
        }
        return readFrom(Math.max(setup.fromBlock().orElse(0), cursor.orElse(-1) + 1));
    }

    private Behavior<Command> beginLater(String what, Throwable failure) {
        LOG.warn("watchtower: {}: {}", what, failure.toString());
        timers.startSingleTimer(new Begin(), setup.pace());
        return this;
    }

    private Behavior<Command> onPlaced(Placed placed) {
        return placed.end()
                .fold(this::beginBefore, failure -> beginLater("the account chain names no final block", failure));
    }

    /** Nothing was ever read, and nobody has named where the contract begins. */
    private Behavior<Command> beginBefore(Optional<AccountBlock> settled) {
        long first = Math.max(0, settled.map(AccountBlock::number).orElse(0L) - LOOKED_BACK);
        if (first > 0) {
            LOG.warn(
                    "locks of this daemon's keys in the contract are looked for from block {} on: name the block of the contract"
                            + " in --swap-contract-from-block if these keys may have locked before, in another installation",
                    first);
        }
        return readFrom(first);
    }

    private Behavior<Command> readFrom(long first) {
        durable = first - 1;
        next = first;
        return look();
    }

    private Behavior<Command> rest() {
        timers.startSingleTimer(new Look(), setup.pace());
        return this;
    }

    private Behavior<Command> later(String what, Throwable failure) {
        LOG.warn("watchtower: {}: {}", what, failure.toString());
        return rest();
    }

    /** One round: some rows, then some blocks, then every lock without a row, then secrets that the chain shows. */
    private Behavior<Command> look() {
        if (audit.isPresent()) {
            getContext()
                    .pipeToSelf(
                            setup.audit().page(audit.get()), (next, failure) -> new Audited(Outcome.of(next, failure)));
            return this;
        }
        return read();
    }

    /** Rows that cannot be compared now do not keep from reading on. */
    private Behavior<Command> onAudited(Audited audited) {
        audited.next()
                .match(
                        page -> audit = page,
                        failure -> LOG.warn(
                                "watchtower: rows that nobody watches could not be compared with the chains: {}",
                                failure.toString()));
        return read();
    }

    private Behavior<Command> read() {
        getContext().pipeToSelf(setup.chain().finalBlock(), (last, failure) -> new Ended(Outcome.of(last, failure)));
        return this;
    }

    private Behavior<Command> onEnded(Ended ended) {
        return ended.end().fold(this::readUpTo, failure -> later("the account chain cannot be read", failure));
    }

    private Behavior<Command> readUpTo(Optional<AccountBlock> settled) {
        end = settled.map(AccountBlock::number).orElse(-1L);
        if (end < next) {
            return tend();
        }
        LockScan.Range range = LockScan.Range.of(next, end);
        getContext()
                .pipeToSelf(
                        setup.addresses()
                                .get()
                                .thenComposeAsync(ours -> setup.scanner().read(range, ours), setup.executor()),
                        (seen, failure) -> new Scanned(range, Outcome.of(seen, failure)));
        return this;
    }

    private Behavior<Command> onScanned(Scanned scanned) {
        return scanned.seen()
                .fold(seen -> saw(scanned.range(), seen), failure -> later("events of locks cannot be read", failure));
    }

    private Behavior<Command> saw(LockScan.Range range, Collection<LockScan.Seen> seen) {
        seen.forEach(lock -> open.putIfAbsent(lock.hashLock(), lock));
        next = range.last() + 1;
        return tend();
    }

    private Behavior<Command> tend() {
        waiting.addAll(open.values());
        return tendNext();
    }

    private Behavior<Command> tendNext() {
        if (waiting.isEmpty()) {
            return share();
        }
        LockScan.Seen lock = waiting.remove();
        getContext()
                .pipeToSelf(setup.orphans().tend(lock), (fate, failure) -> new Tended(lock, Outcome.of(fate, failure)));
        return this;
    }

    private Behavior<Command> onTended(Tended tended) {
        Hash256 hashLock = tended.lock().hashLock();
        tended.fate()
                .match(
                        fate -> judge(hashLock, fate),
                        failure -> LOG.warn(
                                "watchtower: the lock {} cannot be looked at: {}", hashLock, failure.toString()));
        return tendNext();
    }

    private void judge(Hash256 hashLock, Orphans.Fate fate) {
        if (fate == Orphans.Fate.OVER) {
            open.remove(hashLock);
        }
    }

    private Behavior<Command> share() {
        Set<Hash256> known = Set.copyOf(settled);
        getContext()
                .pipeToSelf(
                        setup.addresses()
                                .get()
                                .thenComposeAsync(ours -> setup.secrets().fromTheChain(ours, known), setup.executor()),
                        (shared, failure) -> new Shared(Outcome.of(shared, failure)));
        return this;
    }

    private Behavior<Command> onShared(Shared shared) {
        shared.settled()
                .match(
                        this::settle,
                        failure -> LOG.warn(
                                "watchtower: secrets that the chain shows could not be used: {}", failure.toString()));
        return move();
    }

    private void settle(Set<Hash256> claims) {
        if (settled.size() > MOST_SETTLED) {
            settled.clear();
        }
        settled.addAll(claims);
    }

    /** Past everything that is over, and before the first lock that is not. */
    private Behavior<Command> move() {
        long before =
                open.values().stream().mapToLong(LockScan.Seen::block).min().orElse(next);
        long place = Math.min(before, next) - 1;
        if (place <= durable) {
            return goOn();
        }
        CompletionStage<Void> moving = setup.cursors().move(setup.scan(), place);
        getContext().pipeToSelf(moving, (done, failure) -> new Moved(place, Outcome.of(done, failure)));
        return this;
    }

    private Behavior<Command> onMoved(Moved moved) {
        return moved.done()
                .fold(done -> goOnFrom(moved.place()), failure -> later("its place cannot be written", failure));
    }

    private Behavior<Command> goOnFrom(long place) {
        durable = place;
        return goOn();
    }

    /** What is behind goes on without a rest. */
    private Behavior<Command> goOn() {
        return next <= end ? look() : rest();
    }
}
