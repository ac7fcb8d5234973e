package org.chainwalletd.swap.engine;

import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.chainwalletd.devnet.call.Lie;
import org.chainwalletd.evm.SwapContract;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.legs.ChainNode;
import org.chainwalletd.testkit.evm.EvmDevnet;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.chainwalletd.testkit.evm.EvmLies;

/** Disturbances of a daemon with swaps: deaths, reorganisations, dead and lying peers, fees, traffic, a full disk. */
public final class SwapTrouble {
    private static final BigInteger GWEI = BigInteger.valueOf(1_000_000_000);
    private static final long[] BASE_FEES = {1, 2, 10, 60};
    private static final List<Lie> LIES = List.of(
            Lie.TX_ID,
            Lie.UTXO_VALUE,
            Lie.BALANCE,
            Lie.TX_VALUE,
            Lie.SCRIPT,
            Lie.FORGETFUL,
            Lie.SHAPE,
            Lie.OMISSION,
            Lie.HEIGHT,
            Lie.NO_GENESIS);
    /** Places in the journal, in a swap's steps, and in the other books that have to be written before something is sent. */
    static final List<String> PLACES = List.of(
            "LOCK",
            "LOCK",
            "LOCK_NAMED",
            "ABANDON",
            "PERMIT",
            "PERMIT",
            "CLAIM_NAMED",
            "REFUND",
            "REFUND_NAMED",
            "OWN_LOCK_SEEN",
            "OWN_LOCK_SETTLED",
            "OWN_LOCK_CLAIMED",
            "OWN_LOCK_BACK",
            "OWN_LOCK_LOST",
            "POOL_LOCK_SEEN",
            "POOL_LOCK_CLAIMED",
            "ENDED",
            "SEND_LOCK",
            "SEND_LOCK",
            "ABANDON_LOCK",
            "PUSH_CLAIM",
            "PUSH_CLAIM",
            "TAKE_BACK",
            "LOOK",
            "IntentStore.open",
            "IntentStore.accept",
            "IntentStore.confirm",
            "IntentStore.abandon",
            "AccountSendStore.open",
            "AccountSendStore.addVersion",
            "AccountSendStore.enter",
            "SPEND_AFTER_INTENT",
            "SPEND_AFTER_BROADCAST");

    private static final Duration BLOCK = Duration.ofSeconds(10);

    private final SwapWorld world;
    private final Random random;
    private final Supplier<List<String>> ids;

    /** @param ids of all swaps so far */
    SwapTrouble(SwapWorld world, Random random, Supplier<List<String>> ids) {
        this.world = world;
        this.random = random;
        this.ids = ids;
    }

    /** Causes one of the disturbances, or none; a lasting one continues until {@link #heal}. */
    String happen() {
        int kind = random.nextInt(26);
        switch (kind) {
            case 0 -> world.chains.evm().reorganise(1 + random.nextInt(3), 4);
            case 1 -> world.chains.evm().reorganiseAway(1 + random.nextInt(2), 3);
            case 2, 3 -> world.chains.chain().reorganise(1 + random.nextInt(2), random.nextBoolean(), List.of());
            case 4, 5, 6, 7, 8, 9 -> doom();
            case 10 -> world.endpoint(anyOf(world.endpoints), random.nextBoolean());
            case 11 -> world.disk(random.nextBoolean());
            case 12 -> world.manners.gone(random.nextBoolean());
            case 13, 14 -> lie(world.endpoints.get(world.endpoints.size() - 1));
            case 15 -> world.endpoints.forEach(EvmEndpoint::behave);
            case 16, 17 -> misbehave(anyOf(world.nodes));
            case 18 -> world.nodes.forEach(ChainNode::behave);
            case 19 -> world.chains.evm().baseFee(GWEI.multiply(BigInteger.valueOf(BASE_FEES[random.nextInt(4)])));
            case 20 ->
                world.chains.evm().crowded(random.nextBoolean() ? BigInteger.ZERO : GWEI.multiply(BigInteger.TWO));
            case 21 -> starve();
            case 22 -> forget();
            default -> world.chains.round();
        }
        return "trouble " + kind + " at block " + world.chains.chain().tip().height();
    }

    private <T> T anyOf(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    /** Makes the process die at a place that it may reach at any later time. */
    void doom() {
        Life.Moment moment = anyOf(List.of(Life.Moment.values()));
        world.life().diesAt(new Life.Place(anyOf(PLACES), moment), 1 + random.nextInt(2));
    }

    /** Watches crash points of spends and account-chain sends, where the daemon may die; a start passes those of files and of the store itself. */
    static void watch(Supplier<Life> life) {
        CrashPoint.watch(reached -> {
            if (reached.name().startsWith("SPEND_") || reached.name().startsWith("ACCOUNT_")) {
                life.get().reach(new Life.Place(reached.name(), Life.Moment.BEFORE));
            }
        });
    }

    /** Lets one endpoint report a false lock, time, nonce or past, or an old state of the chain. */
    private void lie(EvmEndpoint endpoint) {
        EvmLies lies = endpoint.lies();
        EvmDevnet evm = world.chains.evm();
        switch (random.nextInt(7)) {
            case 0 -> lies.time(random.nextBoolean() ? 100_000 : -100_000);
            case 1 -> lies.nonce(world.ourEvm, random.nextInt(40));
            case 2 -> lies.noReceipts();
            case 3 -> lies.noLogs();
            case 4 -> endpoint.behind(1 + random.nextInt(5));
            case 5 -> endpoint.swallowSends();
            default -> {
                SwapTerms terms = world.row(anyOf(ids.get())).terms();
                lies.swap(
                        terms.hashLock(),
                        new SwapContract.Swap(
                                world.chains.pool().evmAddress(),
                                world.ourEvm,
                                terms.received().units(),
                                evm.head().time() + 400,
                                SwapContract.State.values()[random.nextInt(4)]));
            }
        }
    }

    private void misbehave(ChainNode node) {
        switch (random.nextInt(6)) {
            case 0 -> node.silent();
            case 1 -> node.refuses();
            case 2 -> node.losesAnswers(1 + random.nextInt(3));
            case 3 -> node.stale();
            default -> node.lies(anyOf(LIES));
        }
    }

    /** Makes mempools drop their transactions. */
    private void forget() {
        if (random.nextBoolean()) {
            world.chains.chain().forgetMempool();
        } else {
            world.chains.evm().forgetAll();
        }
    }

    /** Fills the next blocks with transactions that pay more than ours. */
    private void starve() {
        world.rest();
        for (int i = 1 + random.nextInt(5); i > 0; i--) {
            world.clock().advance(BLOCK);
            world.chains.chain().reorganise(1, true, List.of());
        }
    }

    /** Ends all disturbances. */
    void heal() {
        world.life().spare();
        world.buryTheDead();
        world.endpoints.forEach(endpoint -> world.endpoint(endpoint, true));
        world.endpoints.forEach(EvmEndpoint::behave);
        world.nodes.forEach(ChainNode::behave);
        world.disk(false);
        world.manners.gone(false);
        world.chains.evm().baseFee(GWEI);
        world.chains.evm().crowded(BigInteger.ZERO);
    }
}
