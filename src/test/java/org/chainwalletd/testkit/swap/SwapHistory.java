package org.chainwalletd.testkit.swap;

import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.chainwalletd.devnet.pool.PoolConfig;
import org.chainwalletd.testkit.HostilePool;
import org.chainwalletd.testkit.TwoChains;

/**
 * One swap among random trouble: blocks, both chains reorganised, mempools that forget, endpoints that die, hang or lag, fee spikes, crashes of
 * the trader, and a pool that turns bad and good again. In the end everything is well again and time passes beyond all deadlines; then the
 * judge has the last word.
 */
public final class SwapHistory {
    private static final int EVENTS = 40;
    private static final int DEEPEST_REORG = 2;
    /** In blocks, of a seller. */
    private static final int LONGEST_LOCK = 700;

    private static final BigInteger GWEI = BigInteger.valueOf(1_000_000_000);

    /** Makes a trader in a new world. */
    @FunctionalInterface
    public interface Traders {
        Trader in(TwoChains world, SwapJudge.Margins margins, long seed);
    }

    private final Random random;
    private final HostilePool pool = new HostilePool();
    private final TwoChains world;
    private final SwapJudge.Margins margins;

    private SwapHistory(long seed, SwapJudge.Margins margins, UnaryOperator<PoolConfig> change) {
        this.margins = margins;
        random = new Random(seed);
        world = TwoChains.start(pool, change);
    }

    /** What the judge complained of; empty when all was well. */
    public static List<String> run(
            long seed, SwapJudge.Margins margins, UnaryOperator<PoolConfig> change, Traders traders) {
        SwapHistory history = new SwapHistory(seed, margins, change);
        try (TwoChains world = history.world;
                Trader trader = traders.in(world, margins, seed)) {
            return history.run(trader).stream()
                    .map(complaint -> "seed " + seed + ": " + complaint)
                    .toList();
        }
    }

    private List<String> run(Trader trader) {
        boolean sell = random.nextBoolean();
        Trader.Deal deal = trader.begin(sell, sell ? "2" : "0.1");
        SwapJudge judge = new SwapJudge(
                world,
                deal,
                margins,
                SwapJudge.coins(world, deal.address()),
                world.evm().balance(deal.evmAddress()));
        for (int i = 0; i < EVENTS; i++) {
            String event = event(trader, deal);
            judge.look(event);
            trader.act();
            judge.look("an act after " + event);
        }
        heal();
        settle(trader, judge, 10);
        passDeadlines();
        settle(trader, judge, 10);
        judge.judge();
        return judge.complaints();
    }

    private String event(Trader trader, Trader.Deal deal) {
        int kind = random.nextInt(30);
        switch (kind) {
            case 0 -> world.chain().reorg(1 + random.nextInt(DEEPEST_REORG));
            case 1 -> world.chain().forgetMempool();
            case 2 -> world.evm().reorganise(1 + random.nextInt(DEEPEST_REORG), 3);
            case 3 -> world.evm().reorganiseAway(1, 2);
            case 4 -> world.evm().forgetAll();
            case 5 -> world.evm().baseFee(GWEI.multiply(BigInteger.valueOf(1 + random.nextInt(3))));
            case 6 -> pool.keepsFromLocking(random.nextBoolean());
            case 7 -> pool.keepsFromClaiming(random.nextBoolean());
            case 8 -> pool.vanished(random.nextInt(3) == 0);
            case 9 -> pool.locksOnly(random.nextBoolean() ? 100 : 50);
            case 10 -> pool.decoys();
            case 11 -> shortLock(deal);
            case 12 -> trader.crash();
            default -> world.rounds(1 + random.nextInt(3));
        }
        return "event " + kind;
    }

    private void shortLock(Trader.Deal deal) {
        if (random.nextInt(4) == 0) {
            pool.datumHash();
        } else if (deal.sell()) {
            pool.locksUntil(world.clock().instant().getEpochSecond() + random.nextInt(8_000));
        } else {
            pool.locksUntilHeight(world.chain().tip().height() + random.nextInt((int) margins.blocks() * 2));
        }
    }

    private void heal() {
        pool.keepsFromLocking(false).keepsFromClaiming(false).vanished(false);
        world.evm().endpoint().behave();
        world.evm().baseFee(GWEI);
    }

    private void settle(Trader trader, SwapJudge judge, int rounds) {
        for (int i = 0; i < rounds; i++) {
            world.round();
            judge.look("a round near the end");
            trader.act();
            judge.look("an act near the end");
        }
    }

    /** Beyond the timeouts of all locks that can be. */
    private void passDeadlines() {
        world.clock().advance(Duration.ofHours(12));
        world.evm().mine();
        world.chain().mine(LONGEST_LOCK);
    }
}
