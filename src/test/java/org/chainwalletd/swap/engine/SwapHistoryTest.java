package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.swap.engine.SwapQuestion.SwapReply;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapStatus;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.Walks;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.chainwalletd.testkit.evm.EvmWallet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole engine over both real chains and pools of every kind, some of them hostile. First undisturbed, then random histories in which the
 * process dies around its writes and steps, either chain is reorganised, endpoints and the pool become unreachable, and the disk fills up.
 * {@code -Dswap.real.histories=500 -Dswap.real.seed=N} runs more.
 */
@Tag("long")
@Walks({
    CrashPoint.ACCOUNT_BEFORE_ROW,
    CrashPoint.ACCOUNT_AFTER_ROW,
    CrashPoint.ACCOUNT_AFTER_SEND,
    CrashPoint.ACCOUNT_AFTER_STATE
})
public class SwapHistoryTest {
    /** Places with the greatest possible loss: something durable was not sent, or it is unknown what was sent. */
    private static final List<Life.Place> DEADLIEST = List.of(
            new Life.Place("LOCK", Life.Moment.AFTER),
            new Life.Place("IntentStore.open", Life.Moment.AFTER),
            new Life.Place("AccountSendStore.open", Life.Moment.AFTER),
            new Life.Place("PERMIT", Life.Moment.AFTER),
            new Life.Place("PUSH_CLAIM", Life.Moment.AFTER));

    /** Crash points in parts of the daemon that are not used by swaps alone. */
    static final List<CrashPoint> POINTS = List.of(
            CrashPoint.SPEND_AFTER_INTENT,
            CrashPoint.SPEND_AFTER_BROADCAST,
            CrashPoint.ACCOUNT_BEFORE_ROW,
            CrashPoint.ACCOUNT_AFTER_ROW,
            CrashPoint.ACCOUNT_AFTER_SEND,
            CrashPoint.ACCOUNT_AFTER_STATE);

    private static final int HISTORIES = Integer.getInteger("swap.real.histories", 1);
    private static final long SEED = Long.getLong("swap.real.seed", 20_260_314L);

    /** A single swap is too few to reach all places, and each takes coins. */
    private static final int MOST_SWAPS = 16;

    /** Interval between blocks that the test no longer waits for. */
    private static final Duration SLOWLY = Duration.ofSeconds(20);

    /** Steps reached by an honest swap, and by one that is never answered. */
    static final List<String> STEPS = List.of(
            "LOOK",
            "LOCK",
            "SEND_LOCK",
            "LOCK_NAMED",
            "OWN_LOCK_SEEN",
            "OWN_LOCK_SETTLED",
            "POOL_LOCK_SEEN",
            "PERMIT",
            "PUSH_CLAIM",
            "CLAIM_NAMED",
            "POOL_LOCK_CLAIMED",
            "OWN_LOCK_CLAIMED",
            "REFUND",
            "TAKE_BACK",
            "REFUND_NAMED",
            "OWN_LOCK_BACK",
            "ENDED",
            "IntentStore.open",
            "IntentStore.accept",
            "IntentStore.confirm",
            "AccountSendStore.open",
            "AccountSendStore.enter");

    private static Life.Place point(CrashPoint point) {
        return new Life.Place(point.name(), Life.Moment.BEFORE);
    }

    @TempDir
    Path folder;

    static void arrangeThief(SwapWorld world) {
        EvmWallet thief = world.chains.evm().account(7);
        world.manners.thief(hashLock -> thief.lock(
                hashLock,
                world.chains.evm().account(8).address(),
                world.chains.evm().head().time() + 100_000,
                BigInteger.ONE));
    }

    /** Both directions when many histories are requested; otherwise the one where the pool's behaviour matters most. */
    private static List<Direction> directions(PoolManners.Kind kind) {
        if (HISTORIES > 1 || kind == PoolManners.Kind.HONEST) {
            return List.of(Direction.values());
        }
        return switch (kind) {
            case DECOYS, DATUM_HASH, ENDS_NEVER, LOCKS_LATE, CLAIMS_LATE -> List.of(Direction.NATIVE_TO_CHAIN);
            default -> List.of(Direction.CHAIN_TO_NATIVE);
        };
    }

    static String amount(Direction direction) {
        return direction.isSell() ? "0.5" : "0.02";
    }

    /** Lets everything that is still due happen, without disturbances, and makes it final. */
    static void end(SwapWorld world) {
        world.rounds(4);
        world.manners.late(true);
        world.rounds(4);
        world.pass(SwapWorld.SELLERS_BLOCKS - 150, SLOWLY);
        Await.until(
                "each refund that is due has begun",
                () -> world.secrets.keySet().stream().noneMatch(id -> world.truth.owesRefund(world.row(id))));
        world.untilQuiet();
    }

    static void assertSound(SwapWorld world, String id, String told) {
        SwapRow row = world.row(id);
        String all = told + ", " + id + ": " + row;
        SwapFacts.Outcome outcome = world.truth.facts.outcome(row.terms());
        assertThat(outcome.locks()).as("locks, " + all).isLessThanOrEqualTo(1);
        assertThat(outcome.paid() && !outcome.gained())
                .as("both legs lost, " + all)
                .isFalse();
        assertThat(outcome.locks() == 1 && !outcome.paid() && !outcome.refunded())
                .as("locked for ever, " + all)
                .isFalse();
        SwapStatus expected =
                outcome.gained() ? SwapStatus.COMPLETED : outcome.refunded() ? SwapStatus.REFUNDED : row.status();
        assertThat(row.status()).as(all).isEqualTo(expected);
        assertThat(row.status().isTerminal()).as("over, " + all).isTrue();
    }

    @Test
    void each_manner_of_a_pool_ends_as_it_must() {
        Map<String, PoolManners.Kind> kinds = new LinkedHashMap<>();
        try (SwapWorld world = new SwapWorld(folder)) {
            arrangeThief(world);
            for (PoolManners.Kind kind : PoolManners.Kind.values()) {
                for (Direction direction : directions(kind)) {
                    world.quote(direction, amount(direction), kind).ifPresent(id -> kinds.put(id, kind));
                }
            }
            world.chains.round();
            world.execute(kinds.keySet()).forEach((id, reply) -> {
                PoolManners.Kind kind = kinds.get(id);
                if (kind == PoolManners.Kind.TAKEN_SLOT) {
                    assertThat(reply).isInstanceOf(SwapReply.NotExecuted.class);
                } else {
                    assertThat(reply).as(id + " " + kind).isInstanceOf(SwapReply.Current.class);
                }
            });
            world.rounds(16);
            world.pass(190);
            end(world);
            world.assertSound();
            kinds.forEach((id, kind) -> assertEndsAs(world, id, kind));
        }
    }

    private static void assertEndsAs(SwapWorld world, String id, PoolManners.Kind kind) {
        String told = kind.toString();
        assertSound(world, id, told);
        SwapRow row = world.row(id);
        SwapFacts.Outcome outcome = world.truth.facts.outcome(row.terms());
        boolean sell = row.terms().direction().isSell();
        boolean gains = kind.mayBePaid() || (kind == PoolManners.Kind.DATUM_HASH && sell);
        assertThat(outcome.gained()).as(told + ": " + row).isEqualTo(gains);
        assertThat(world.truth.isClaimJournalled(id)).as(told + ": " + row).isEqualTo(gains);
        if (kind == PoolManners.Kind.TAKEN_SLOT) {
            assertThat(outcome.locks()).as(told).isZero();
        } else if (!gains) {
            assertThat(outcome.refunded()).as(told + ": " + row).isTrue();
        }
    }

    /** The two legs differ by one: the chain accepts a reclaim above the timeout, the contract a refund at its deadline. */
    @Test
    void a_refund_leaves_at_its_boundary_and_not_one_step_before_and_no_file_has_the_secret() throws IOException {
        try (SwapWorld world = new SwapWorld(folder)) {
            String sell = world.quote(Direction.CHAIN_TO_NATIVE, "0.5", PoolManners.Kind.NEVER_LOCKS)
                    .orElseThrow();
            String buy = world.quote(Direction.NATIVE_TO_CHAIN, "0.02", PoolManners.Kind.NEVER_LOCKS)
                    .orElseThrow();
            world.execute(List.of(sell, buy));
            world.rounds(6);
            long timeout = world.row(sell).terms().timeout();
            world.pass((int) (timeout - world.chains.chain().tip().height()));
            assertThat(world.refund(sell)).isInstanceOf(SwapReply.NotDue.class);
            assertThat(world.row(sell).acts().refunding()).isFalse();
            world.pass(1);
            Await.until(
                    "the lock on the chain is taken back",
                    () -> world.row(sell).acts().refundTx().isPresent());

            EvmDevnet evm = world.chains.evm();
            long deadline = world.row(buy).terms().timeout();
            evm.nextTime(deadline - 1);
            evm.mine();
            world.settle();
            assertThat(world.refund(buy)).isInstanceOf(SwapReply.NotDue.class);
            assertThat(evm.waiting()).isEmpty();
            evm.nextTime(deadline);
            evm.mine();
            Await.until(
                    "the lock in the contract is taken back",
                    () -> evm.waiting().size() == 1);
            assertThat(world.refund(buy)).isInstanceOf(SwapReply.Current.class);
            assertThat(world.wrong()).isEmpty();
            world.stop();
            assertThat(world.leaks()).isEmpty();
        }
    }

    @Test
    void a_claim_without_gas_goes_through_the_pool_and_one_that_the_pool_keeps_leaves_as_soon_as_there_is_gas() {
        try (SwapWorld world = new SwapWorld(folder, true, 2)) {
            String honest = world.quote(Direction.CHAIN_TO_NATIVE, "0.5", PoolManners.Kind.HONEST)
                    .orElseThrow();
            String kept = world.quote(Direction.CHAIN_TO_NATIVE, "0.5", PoolManners.Kind.SILENT_RELAY)
                    .orElseThrow();
            world.execute(List.of(honest, kept));
            world.roundsUntil("both are claimed", () -> world.isClaimed(honest) && world.isClaimed(kept));
            assertThat(world.claimant(honest)).isEqualTo(world.chains.pool().evmAddress());
            assertThat(world.claimant(kept)).as("paid for by the other one").isEqualTo(world.ourEvm);
            assertThat(world.wrong()).isEmpty();
        }
    }

    /** A sell and a buy of an honest pool, and one of each that is never answered: each dies at every place that it reaches. */
    @Test
    void a_death_at_each_step_of_the_journal_leaves_one_lock_and_loses_nothing() {
        try (SwapWorld world = new SwapWorld(folder)) {
            List<Life.Place> places = HISTORIES > 1 ? everyPlace() : deadliest();
            Set<Life.Place> died = new LinkedHashSet<>();
            List<String> ids = new ArrayList<>();
            SwapTrouble.watch(world::life);
            try {
                for (PoolManners.Kind kind : List.of(PoolManners.Kind.HONEST, PoolManners.Kind.NEVER_LOCKS)) {
                    for (Direction direction : Direction.values()) {
                        begin(world, direction, kind, ids);
                        walk(world, 2, places, died);
                    }
                }
                walk(world, HISTORIES > 1 ? 40 : 12, places, died);
                // A lock that was sent is in a block after each round, so a swap reaches only one or two of the first
                // places.
                for (int more = 0; more < MOST_SWAPS && !died.containsAll(beforeRefunds(places)); more++) {
                    begin(world, Direction.values()[more % 2], PoolManners.Kind.HONEST, ids);
                    walk(world, 8, places, died);
                }
                undisturbed(world, ids);
                world.life().spare();
                world.pass(SwapWorld.SELLERS_BLOCKS - 60, SLOWLY);
                walk(world, HISTORIES > 1 ? 25 : 4, places, died);
            } finally {
                CrashPoint.watch(null);
            }
            world.life().spare();
            end(world);
            world.assertSound();
            ids.forEach(id -> assertSound(world, id, "died at " + died));
            assertThat(died).containsAll(places);
            assertThat(world.passed()).as("come by").containsAll(everyPlace());
        }
    }

    /**
     * Runs a sell and a buy that reach every place not concerning refunds, and one of each that will reach those: the others may all have died
     * before they locked anything.
     */
    private static void undisturbed(SwapWorld world, List<String> ids) {
        world.life().spare();
        for (Direction direction : Direction.values()) {
            ids.add(world.executed(direction, PoolManners.Kind.NEVER_LOCKS));
        }
        int before = ids.size();
        for (Direction direction : Direction.values()) {
            ids.add(world.executed(direction, PoolManners.Kind.HONEST));
        }
        world.roundsUntil(
                "honest ones are claimed",
                () -> ids.subList(before, ids.size()).stream().allMatch(world::isClaimed));
    }

    private static void begin(SwapWorld world, Direction direction, PoolManners.Kind kind, List<String> ids) {
        world.life().spare();
        ids.add(world.quote(direction, amount(direction), kind).orElseThrow());
        world.begin(ids.get(ids.size() - 1));
    }

    private static List<Life.Place> beforeRefunds(List<Life.Place> places) {
        return places.stream()
                .filter(place -> !List.of("REFUND", "TAKE_BACK", "REFUND_NAMED", "OWN_LOCK_BACK")
                        .contains(place.name()))
                .toList();
    }

    private static List<Life.Place> deadliest() {
        List<Life.Place> places = new ArrayList<>(DEADLIEST);
        POINTS.forEach(point -> places.add(point(point)));
        return places;
    }

    private static List<Life.Place> everyPlace() {
        List<Life.Place> places = new ArrayList<>();
        for (Life.Moment moment : Life.Moment.values()) {
            STEPS.forEach(name -> places.add(new Life.Place(name, moment)));
        }
        POINTS.forEach(point -> places.add(point(point)));
        // A quote whose execution is not durably begun cannot be executed by another run.
        places.remove(new Life.Place("LOCK", Life.Moment.BEFORE));
        return places;
    }

    /** Dies at the remaining place that is reached first. */
    static void walk(SwapWorld world, int rounds, List<Life.Place> places, Set<Life.Place> died) {
        for (int i = 0; i < rounds; i++) {
            HangWatch.alive();
            world.life()
                    .diesAtOneOf(places.stream()
                            .filter(place -> !died.contains(place))
                            .toList());
            world.round();
            Optional<Life.Place> place = world.life().diedAt();
            if (world.buryTheDead()) {
                died.add(place.orElseThrow());
            }
        }
    }

    @Test
    void random_histories_lose_nothing() throws IOException {
        List<String> complaints = new ArrayList<>();
        for (int history = 0; history < HISTORIES; history++) {
            HangWatch.alive();
            long seed = SEED + history;
            Path place = Files.createDirectory(folder.resolve("history-" + history));
            Optional<String> complaint = complaint(place, seed);
            complaint.ifPresent(complaints::add);
            if (HISTORIES > 1) {
                System.out.println(
                        "history " + seed + complaint.map(": "::concat).orElse(" is sound"));
            }
        }
        assertThat(complaints).isEmpty();
    }

    private static Optional<String> complaint(Path place, long seed) {
        RandomHistory history = null;
        try (SwapWorld world = new SwapWorld(place, false, 2 + (int) (seed % 2))) {
            history = new RandomHistory(world, seed, HISTORIES > 1);
            history.run();
            return Optional.empty();
        } catch (AssertionError | RuntimeException e) {
            StringWriter trace = new StringWriter();
            e.printStackTrace(new PrintWriter(trace));
            return Optional.of("seed " + seed + ", " + (history == null ? "" : history.happened()) + ": " + trace);
        }
    }

    /** A world, some swaps, and their events; deterministic for a seed, except for the threads. */
    public static final class RandomHistory {
        private final boolean whole;
        private final SwapWorld world;
        private final long seed;
        private final Random random;
        private final List<String> ids = new ArrayList<>();
        private final SwapTrouble trouble;
        private final List<String> happened = new ArrayList<>();

        /** @param whole a long history; otherwise with fewer swaps and less trouble */
        RandomHistory(SwapWorld world, long seed, boolean whole) {
            this.whole = whole;
            this.world = world;
            this.seed = seed;
            this.random = new Random(seed);
            this.trouble = new SwapTrouble(world, random, () -> ids);
        }

        /** Returns the events in order. */
        List<String> happened() {
            return List.copyOf(happened);
        }

        void run() {
            SwapHistoryTest.arrangeThief(world);
            SwapTrouble.watch(world::life);
            try {
                trade(whole ? 4 : 3);
                world.chains.round();
                for (int i = 0; i < (whole ? 24 : 14); i++) {
                    HangWatch.alive();
                    happened.add(trouble.happen());
                    world.chains.round();
                    world.settle();
                    bury();
                    if (i == 6 || i == 12) {
                        trade(1);
                    }
                }
                trouble.heal();
            } finally {
                CrashPoint.watch(null);
            }
            world.rounds(6);
            world.pass(190);
            SwapHistoryTest.end(world);
            judge();
        }

        private void bury() {
            Optional<Life.Place> place = world.life().diedAt();
            if (world.buryTheDead()) {
                happened.add("death at " + place);
            }
        }

        /** Executes quotes at the same time, in a run that may end before they are executed. */
        private void trade(int count) {
            if (random.nextInt(3) == 0) {
                trouble.doom();
            }
            PoolManners.Kind[] kinds = PoolManners.Kind.values();
            for (int i = 0; i < count && world.canQuote(); i++) {
                Direction direction = Direction.values()[random.nextInt(2)];
                PoolManners.Kind kind =
                        random.nextInt(3) == 0 ? PoolManners.Kind.HONEST : kinds[random.nextInt(kinds.length)];
                Optional<String> quoted = world.quote(direction, SwapHistoryTest.amount(direction), kind);
                quoted.ifPresent(ids::add);
                happened.add(quoted + " " + direction + " " + kind);
            }
            ids.subList(Math.max(0, ids.size() - count), ids.size()).forEach(world::begin);
        }

        private void judge() {
            assertThat(world.wrong()).as("seed " + seed).isEmpty();
            ids.forEach(id -> SwapHistoryTest.assertSound(world, id, "seed " + seed));
            assertThat(world.uncounted()).as("seed " + seed).isEmpty();
        }
    }
}
