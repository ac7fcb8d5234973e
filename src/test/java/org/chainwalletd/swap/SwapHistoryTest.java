package org.chainwalletd.swap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.store.CrashPoint;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.chainwalletd.testkit.evm.EvmLies;
import org.chainwalletd.testkit.evm.EvmWallet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The whole engine over both real chains and a pool of every manner, some of them hostile. Quiet first; then random histories in which the
 * process dies around its writes and steps, either chain is reorganised, endpoints and the pool vanish, and the disk fills up.
 * {@code -Dswap.real.histories=500 -Dswap.real.seed=N} runs more.
 */
class SwapHistoryTest {
    private static final int HISTORIES = Integer.getInteger("swap.real.histories", 1);
    private static final long SEED = Long.getLong("swap.real.seed", 20_260_314L);

    @TempDir
    Path folder;

    private static void arrangeThief(SwapWorld world) {
        EvmWallet thief = world.chains.evm().account(7);
        world.manners.thief(hashLock -> thief.lock(
                hashLock,
                world.chains.evm().account(8).address(),
                world.chains.evm().head().time() + 100_000,
                BigInteger.ONE));
    }

    /** All of them where many histories are asked for; else where the manner matters most. */
    private static List<Direction> directions(PoolManners.Kind kind) {
        if (HISTORIES > 1 || kind == PoolManners.Kind.HONEST) {
            return List.of(Direction.values());
        }
        return switch (kind) {
            case DECOYS, DATUM_HASH, ENDS_NEVER, LOCKS_LATE, CLAIMS_LATE -> List.of(Direction.NATIVE_TO_CHAIN);
            default -> List.of(Direction.CHAIN_TO_NATIVE);
        };
    }

    private static String amount(Direction direction) {
        return direction.isSell() ? "0.5" : "0.02";
    }

    /** Everything that could still be due comes, nothing disturbs it any more, and all of it becomes final. */
    private static void end(SwapWorld world) {
        world.rounds(6);
        world.manners.late(true);
        world.rounds(4);
        world.pass(420);
        world.pass(420);
        for (int i = 0; i < 12 && world.truth.open() > 0; i++) {
            world.rounds(3);
            world.pass(15);
        }
    }

    private static void assertSound(SwapWorld world, String id, String told) {
        SwapRow row = world.row(id);
        String all = told + ", " + id + ": " + row;
        SwapTruth.Outcome outcome = world.truth.outcome(row.terms());
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
                    assertThat(reply).as(id + " " + kind).isInstanceOf(SwapReply.Standing.class);
                }
            });
            world.rounds(20);
            world.pass(190);
            end(world);
            assertThat(world.truth.wrong()).isEmpty();
            kinds.forEach((id, kind) -> assertEndsAs(world, id, kind));
        }
    }

    private static void assertEndsAs(SwapWorld world, String id, PoolManners.Kind kind) {
        String told = kind.toString();
        assertSound(world, id, told);
        SwapRow row = world.row(id);
        SwapTruth.Outcome outcome = world.truth.outcome(row.terms());
        boolean sell = row.terms().direction().isSell();
        boolean gains = kind.mayBePaid() || (kind == PoolManners.Kind.DATUM_HASH && sell);
        assertThat(outcome.gained()).as(told + ": " + row).isEqualTo(gains);
        assertThat(world.truth.isRevealed(id)).as(told + ": " + row).isEqualTo(gains);
        if (kind == PoolManners.Kind.TAKEN_SLOT) {
            assertThat(outcome.locks()).as(told).isZero();
        } else if (!gains) {
            assertThat(outcome.refunded()).as(told + ": " + row).isTrue();
        }
    }

    /** The two legs differ by one: the chain takes a reclaim above the timeout, the contract a refund at its deadline. */
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
            assertThat(world.refund(buy)).isInstanceOf(SwapReply.Standing.class);
            assertThat(world.truth.wrong()).isEmpty();
            world.stop();
            assertThat(world.leaks()).isEmpty();
        }
    }

    @Test
    void a_claim_without_gas_goes_through_the_pool_and_one_that_the_pool_keeps_leaves_as_soon_as_there_is_gas() {
        try (SwapWorld world = new SwapWorld(folder, true)) {
            String honest = world.quote(Direction.CHAIN_TO_NATIVE, "0.5", PoolManners.Kind.HONEST)
                    .orElseThrow();
            String kept = world.quote(Direction.CHAIN_TO_NATIVE, "0.5", PoolManners.Kind.SILENT_RELAY)
                    .orElseThrow();
            world.execute(List.of(honest, kept));
            world.roundsUntil(() -> world.isClaimed(honest) && world.isClaimed(kept));
            assertThat(world.claimant(honest)).isEqualTo(world.chains.pool().evmAddress());
            assertThat(world.claimant(kept)).as("paid for by the other one").isEqualTo(world.ourEvm);
            assertThat(world.truth.wrong()).isEmpty();
        }
    }

    @Test
    void random_histories_lose_nothing() throws IOException {
        for (int history = 0; history < HISTORIES; history++) {
            HangWatch.alive();
            long seed = SEED + history;
            try (SwapWorld world = new SwapWorld(Files.createDirectory(folder.resolve("history-" + history)))) {
                new History(world, seed).run();
            }
        }
    }

    /** One world, some swaps, and what happens to them. */
    private static final class History {
        private final SwapWorld world;
        private final long seed;
        private final Random random;
        private final List<String> ids = new ArrayList<>();

        History(SwapWorld world, long seed) {
            this.world = world;
            this.seed = seed;
            this.random = new Random(seed);
        }

        void run() {
            arrangeThief(world);
            PoolManners.Kind[] kinds = PoolManners.Kind.values();
            for (int i = 0; i < (HISTORIES > 1 ? 6 : 4); i++) {
                Direction direction = Direction.values()[random.nextInt(2)];
                PoolManners.Kind kind =
                        random.nextInt(3) == 0 ? PoolManners.Kind.HONEST : kinds[random.nextInt(kinds.length)];
                world.quote(direction, amount(direction), kind).ifPresent(ids::add);
            }
            world.chains.round();
            world.execute(ids);
            for (int i = 0; i < (HISTORIES > 1 ? 24 : 12); i++) {
                HangWatch.alive();
                happen();
            }
            heal();
            world.rounds(10);
            world.pass(190);
            end(world);
            assertThat(world.truth.wrong()).as("seed " + seed).isEmpty();
            ids.forEach(id -> assertSound(world, id, "seed " + seed));
        }

        private void happen() {
            switch (random.nextInt(16)) {
                case 0 -> world.chains.evm().reorganise(1 + random.nextInt(3), 4);
                case 1 -> world.chains.evm().reorganiseAway(1 + random.nextInt(2), 3);
                case 2 -> world.chains.chain().reorganise(1 + random.nextInt(2), random.nextBoolean(), List.of());
                case 3 -> dieAt(CrashPoint.SWAP_BEFORE_WRITE);
                case 4 -> dieAt(CrashPoint.SWAP_AFTER_WRITE);
                case 5 -> dieAt(CrashPoint.SWAP_BEFORE_STEP);
                case 6 -> dieAt(CrashPoint.SWAP_AFTER_STEP);
                case 7 -> world.endpoint(random.nextBoolean());
                case 8 -> world.disk(random.nextBoolean());
                case 9 -> world.manners.gone(random.nextBoolean());
                case 10 -> lie();
                case 11 -> world.second.lies().stop();
                case 12 -> dieAt(CrashPoint.SPEND_AFTER_INTENT);
                case 13 -> dieAt(CrashPoint.SPEND_AFTER_BROADCAST);
                default -> world.chains.rounds(1);
            }
            world.chains.round();
            world.settle();
        }

        /** One endpoint of two tells of a lock, a time, a nonce or a past that is not. */
        private void lie() {
            EvmLies lies = world.second.lies();
            EvmDevnet evm = world.chains.evm();
            switch (random.nextInt(5)) {
                case 0 -> lies.time(random.nextBoolean() ? 100_000 : -100_000);
                case 1 -> lies.nonce(world.ourEvm, random.nextInt(40));
                case 2 -> lies.noReceipts();
                case 3 -> lies.noLogs();
                default -> {
                    SwapTerms terms =
                            world.row(ids.get(random.nextInt(ids.size()))).terms();
                    lies.swap(
                            terms.hashLock(),
                            new SwapContract.Swap(
                                    world.chains.pool().evmAddress(),
                                    world.ourEvm,
                                    terms.amountOutUnits(),
                                    evm.head().time() + 400,
                                    SwapContract.State.values()[random.nextInt(4)]));
                }
            }
        }

        /** The swap that comes there next stops dead, and with it soon the whole process. */
        private void dieAt(CrashPoint point) {
            AtomicInteger passages = new AtomicInteger(1 + random.nextInt(3));
            CrashPoint.watch(reached -> {
                if (reached == point && passages.decrementAndGet() == 0) {
                    throw new IllegalStateException("the process dies here");
                }
            });
            try {
                world.chains.round();
                world.settle();
            } finally {
                CrashPoint.watch(null);
            }
            world.restart();
        }

        private void heal() {
            world.endpoint(true);
            world.second.lies().stop();
            world.disk(false);
            world.manners.gone(false);
        }
    }
}
