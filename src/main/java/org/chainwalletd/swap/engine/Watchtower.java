package org.chainwalletd.swap.engine;

import static org.chainwalletd.stage.Blocking.await;
import static org.chainwalletd.swap.engine.LocksWithoutRow.attempt;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.chainwalletd.account.endpoints.AccountChain;
import org.chainwalletd.account.endpoints.AccountReads.AccountBlock;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.stage.Work;
import org.chainwalletd.store.ScanCursors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds money of ours that no watched row of the journal covers (swap.md, section 6), after a restore from an older backup or when a row was
 * damaged. Reads the events of the contract up to its final blocks, each once. Refunds, when due, every lock of ours found there without a row, and
 * returns locks whose row is unwatched to the {@link SwapEngine}. After its start it also compares all unwatched rows directly with both chains, by
 * their hash locks.
 *
 * <p>A round is blocking code on a thread of the pool and ends in one message; the next round begins after that.
 *
 * <p>Owns the set of locks without a row and the block up to which events were read. Only that block number is durable, and it never passes a lock
 * that is still open, so such locks are found again after a restart.
 */
public final class Watchtower extends AbstractBehavior<Watchtower.Command> {
    private static final Logger LOG = LoggerFactory.getLogger(Watchtower.class);
    private static final int MOST_SETTLED = 20_000;
    /**
     * Blocks of one week, searched for locks that another installation with these keys may have left open; no lock lasts longer than half a day.
     */
    private static final long LOOKED_BACK = 50_400;

    /**
     * @param fromBlock first block whose events are read when there is no cursor yet ({@code --swap-contract-from-block}); empty: one week of
     * blocks before the final block at the first round
     * @param addresses all our addresses on the account chain, including those whose key was replaced
     * @param pace delay between the end of a round and the start of the next
     * @param threads for rounds; may block
     */
    public record Setup(
            AccountChain chain,
            EvmAddress contract,
            OptionalLong fromBlock,
            Supplier<CompletionStage<List<EvmAddress>>> addresses,
            ScanCursors cursors,
            RowAudit audit,
            LocksWithoutRow locks,
            Duration pace,
            Executor threads) {
        String scan() {
            return Watchtower.scan(chain, contract);
        }
    }

    public sealed interface Command {}

    private record Look() implements Command {}

    /** @param isBehind whether more can be read immediately */
    private record Looked(Outcome<Boolean> isBehind) implements Command {}

    private final TimerScheduler<Command> timers;
    private final Setup setup;
    private final Rounds rounds;

    private Watchtower(ActorContext<Command> context, TimerScheduler<Command> timers, Setup setup) {
        super(context);
        this.timers = timers;
        this.setup = setup;
        this.rounds = new Rounds(setup);
        look();
    }

    public static Behavior<Command> create(Setup setup) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> new Watchtower(context, timers, setup)));
    }

    /** Returns the name of the scan. Each contract and each chain has its own. */
    public static String scan(AccountChain chain, EvmAddress contract) {
        return "locks of " + chain.chainId() + " " + contract;
    }

    @Override
    public Receive<Command> createReceive() {
        return newReceiveBuilder()
                .onMessage(Look.class, look -> look())
                .onMessage(Looked.class, this::onLooked)
                .build();
    }

    private Behavior<Command> look() {
        Outcome.pipe(getContext(), Work.on(setup.threads(), rounds::next), Looked::new);
        return this;
    }

    private Behavior<Command> onLooked(Looked looked) {
        looked.isBehind()
                .failure()
                .ifPresent(
                        failure -> LOG.atLevel(Background.levelOf(failure)).log("watchtower: {}", failure.toString()));
        if (looked.isBehind().value().orElse(false)) {
            return look();
        }
        timers.startSingleTimer(new Look(), setup.pace());
        return this;
    }

    /** State of the rounds, which run one after the other, each on any thread of the pool. */
    private static final class Rounds {
        private final Setup setup;
        private final LockScan scanner;
        /** Locks without a row that are not over. */
        private final Map<Hash256, LockScan.Seen> open = new HashMap<>();
        /** Hash locks of claims on the chain that need no further check. */
        private final Set<Hash256> settled = new HashSet<>();

        private boolean isStarted;
        /** First block not read by this instance. */
        private long next;
        /** Whether more can be read immediately. */
        private boolean isBehind;

        private int turn;
        private long durable;

        private Rounds(Setup setup) {
            this.setup = setup;
            this.scanner = new LockScan(setup.chain(), setup.contract());
        }

        /** Processes some rows, then some blocks, then every lock without a row, then the secrets that the chain reveals. */
        private boolean next() {
            if (!setup.audit().isDone()) {
                attempt("unwatched rows could not be compared with the chains", setup.audit()::compareNext);
            }
            isBehind = false;
            attempt("events of the contract could not be read", this::read);
            setup.locks().beginRound(open.keySet());
            for (LockScan.Seen lock : rotated()) {
                attempt("the lock " + lock.hashLock() + " could not be processed", () -> handle(lock));
            }
            attempt("secrets revealed on the chain could not be used", this::useRevealedSecrets);
            moveCursor();
            return isBehind;
        }

        private void read() {
            if (!isStarted) {
                next = first();
                durable = next - 1;
                isStarted = true;
            }
            long end =
                    await(setup.chain().finalBlock()).map(AccountBlock::number).orElse(-1L);
            if (end >= next) {
                LockScan.Range range = LockScan.Range.of(next, end);
                scanner.read(range, await(setup.addresses().get()))
                        .forEach(lock -> open.putIfAbsent(lock.hashLock(), lock));
                next = range.last() + 1;
            }
            isBehind = next <= end;
        }

        private long first() {
            OptionalLong cursor = await(setup.cursors().of(setup.scan()));
            if (cursor.isPresent() || setup.fromBlock().isPresent()) {
                return Math.max(setup.fromBlock().orElse(0), cursor.orElse(-1) + 1);
            }
            long first = Math.max(
                    0,
                    await(setup.chain().finalBlock()).map(AccountBlock::number).orElse(0L) - LOOKED_BACK);
            if (first > 0) {
                LOG.warn(
                        "locks of this daemon's keys in the contract are searched from block {} on: give the block of the contract"
                                + " in --swap-contract-from-block if these keys may have locked before, in another installation",
                        first);
            }
            return first;
        }

        /** Returns the open locks, beginning with another one in each round, because a round's reading budget may not reach all of them. */
        private List<LockScan.Seen> rotated() {
            List<LockScan.Seen> locks = new ArrayList<>(open.values());
            Collections.rotate(locks, turn++);
            return locks;
        }

        private void handle(LockScan.Seen lock) {
            LockScan.Fate fate = setup.locks().handle(lock);
            if (fate == LockScan.Fate.OVER) {
                open.remove(lock.hashLock());
            }
            isBehind |= fate == LockScan.Fate.READING;
        }

        private void useRevealedSecrets() {
            Set<Hash256> more =
                    setup.locks().useRevealedSecrets(await(setup.addresses().get()), Set.copyOf(settled));
            if (settled.size() > MOST_SETTLED) {
                settled.clear();
            }
            settled.addAll(more);
        }

        /** Moves the cursor to the last block before the first open lock, at most to the last block read. */
        private void moveCursor() {
            long before =
                    open.values().stream().mapToLong(LockScan.Seen::block).min().orElse(next);
            long place = Math.min(before, next) - 1;
            if (place > durable) {
                await(setup.cursors().move(setup.scan(), place));
                durable = place;
            }
        }
    }
}
