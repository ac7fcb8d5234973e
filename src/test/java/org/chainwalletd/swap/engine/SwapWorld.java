package org.chainwalletd.swap.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.swap.engine.SwapQuestion.SwapReply;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.legs.ChainNode;
import org.chainwalletd.swap.legs.SwapAlarm;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.swap.pool.Pool.PoolException;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.HangWatch;
import org.chainwalletd.testkit.ManualClock;
import org.chainwalletd.testkit.Party;
import org.chainwalletd.testkit.PlainKeys;
import org.chainwalletd.testkit.Traces;
import org.chainwalletd.testkit.TwoChains;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.chainwalletd.testkit.evm.PlainEvmKeys;

/**
 * Both chains over real sockets, a pool with money on both, and one daemon after another over the same folder. The daemon's actions are compared
 * with the chains themselves and with what is durable ({@link SwapTruth}), and in the end all money is counted ({@link SwapMoney}). Time advances
 * in rounds: between them nothing happens except what the previous round has begun.
 */
public final class SwapWorld implements AutoCloseable {
    static final ChainProfile PROFILE = ChainProfile.of("chain");
    public static final long CHAIN_DEPTH = 4;
    public static final long EVM_MARGIN = 100;
    public static final long CHAIN_MARGIN = 10;
    /** Number of blocks after which an EVM block is final. */
    public static final int EVM_DEPTH = 4;
    /** Blocks from a quote to the end of a seller's lock. */
    public static final int SELLERS_BLOCKS = 500;

    private static final Duration BLOCK = Duration.ofSeconds(10);
    private static final BigInteger ETHER = BigInteger.TEN.pow(18);
    private static final int COINS = 24;
    private static final int MOST_ROUNDS = 40;
    private static final long COIN = 200_000_000;
    private static final long BETWEEN_WAKES = Duration.ofMillis(15).toNanos();

    final PoolManners manners = new PoolManners();
    final TwoChains chains;
    /** The pool also uses the first one. */
    final List<EvmEndpoint> endpoints = new ArrayList<>();

    public final List<ChainNode> nodes = new ArrayList<>();
    final Party ours = new Party(0x33);
    final EvmAddress ourEvm;
    final SwapTruth truth;
    final Map<String, byte[]> secrets = new ConcurrentHashMap<>();

    private final SwapDaemon.Outside outside;
    private final SwapMoney money;
    private final List<SwapAlarm> alarms = new CopyOnWriteArrayList<>();
    private final Set<Life.Place> passed = ConcurrentHashMap.newKeySet();
    private final Set<EvmEndpoint> down = ConcurrentHashMap.newKeySet();
    private volatile boolean full;
    private boolean stopped;
    private int lives;
    private int swaps;
    private SwapDaemon daemon;
    private volatile Life life;

    public SwapWorld(Path folder) {
        this(folder, false, 2);
    }

    /**
     * @param relays whether the pool may send our claims; then we have no gas for our own at first
     * @param asked endpoints of the account chain, of which two must agree
     */
    public SwapWorld(Path folder, boolean relays, int asked) {
        chains = TwoChains.start(manners, config -> config.withLocks(SELLERS_BLOCKS, 7_400, 400, 60));
        chains.evm().finality(2, EVM_DEPTH);
        byte[] seed = new byte[32];
        Arrays.fill(seed, (byte) 0x33);
        PlainKeys keys = new PlainKeys(PROFILE);
        keys.add(seed);
        PlainEvmKeys evmKeys = new PlainEvmKeys();
        ourEvm = evmKeys.add(ourEvmSecret());
        truth = new SwapTruth(chains, ours.key, ourEvm);
        for (int i = 0; i < asked; i++) {
            EvmEndpoint endpoint =
                    i == 0 ? chains.evm().endpoint() : chains.evm().newEndpoint();
            endpoint.hear(truth::sent);
            endpoints.add(endpoint);
        }
        for (int i = 0; i < 2; i++) {
            nodes.add(new ChainNode(
                    chains.chain(), chains.clock(), truth::sent, text -> truth.asked(text, secrets.values())));
        }
        if (!relays) {
            fund();
        }
        chains.chain().faucet(ours.address, Amount.of(COIN * (COINS + 1)));
        chains.round();
        split();
        chains.rounds(EVM_DEPTH + 2);
        money = new SwapMoney(chains, ours, ourEvm);
        outside = new SwapDaemon.Outside(folder, chains, nodes, endpoints, keys, ours, evmKeys, ourEvm, truth, relays);
        begin(Optional.empty());
    }

    /** Gives us wei, for gas and for buys. */
    public void fund() {
        chains.evm().fund(ourEvm, ETHER.multiply(BigInteger.TEN));
    }

    /** For a test that acts instead of the daemon. */
    static SecretBytes ourEvmSecret() {
        byte[] secret = new byte[32];
        Arrays.fill(secret, (byte) 0x33);
        secret[0] = 1;
        return SecretBytes.takeOver(secret);
    }

    /** Splits coins: swaps that lock at the same time need separate ones. */
    private void split() {
        Outpoint coin = chains.chain()
                .ledger()
                .list(Bytes.wrap(ours.address.toArray()), null, null, 1)
                .coins()
                .get(0)
                .outpoint();
        TxOutput[] outputs = new TxOutput[COINS];
        Arrays.fill(outputs, TxOutput.toAddress(ours.address, Amount.of(COIN)));
        chains.chain().ledger().submit(ours.pay(chains.chain().genesisId(), coin, outputs));
    }

    ManualClock clock() {
        return chains.clock();
    }

    private void begin(Optional<DurableJournal> durable) {
        stopped = false;
        life = new Life(() -> full, passed);
        daemon = new SwapDaemon(outside, life, "run-" + ++lives, alarms::add, durable);
    }

    /** Returns the run, also while its daemon is still starting: its actors already work then. */
    Life life() {
        return life;
    }

    /** Ends the process; what it wrote is kept. */
    public void stop() {
        if (!stopped) {
            stopped = true;
            life.end();
            daemon.close();
        }
    }

    /** Lets the process die and another one take over; while nothing can be written none can start. */
    public void restart() {
        stop();
        full = false;
        begin(Optional.of(daemon.durable()));
    }

    /** Returns the alarms of every run. */
    List<SwapAlarm> alarms() {
        return List.copyOf(alarms);
    }

    /** Restarts a process that has died; returns whether it did. */
    public boolean buryTheDead() {
        if (!life.isOver()) {
            return false;
        }
        restart();
        return true;
    }

    public int lives() {
        return lives;
    }

    /** Returns the places that any run has reached, and where it could have died. */
    Set<Life.Place> passed() {
        return Set.copyOf(passed);
    }

    /** Sets whether an endpoint of the account chain answers. */
    public void endpoint(EvmEndpoint endpoint, boolean answers) {
        if (answers && down.remove(endpoint)) {
            endpoint.up();
        } else if (!answers && down.add(endpoint)) {
            endpoint.down();
        }
    }

    /** Sets whether the store accepts no writes. */
    public void disk(boolean isFull) {
        full = isFull;
    }

    /** Returns the violations on the wire and in the journal; checked when everything is over. */
    public List<String> wrong() {
        for (EvmEndpoint endpoint : endpoints) {
            endpoint.calls().stream()
                    .filter(call -> !call.method().equals("eth_sendRawTransaction"))
                    .forEach(call -> truth.asked(call.params().toString(), secrets.values()));
        }
        return truth.wrong();
    }

    /** Returns the discrepancies of money. */
    List<String> uncounted() {
        return money.wrong();
    }

    /** Asserts that nothing wrong was noticed and that all money is counted. */
    void assertSound() {
        assertThat(wrong()).isEmpty();
        assertThat(uncounted()).isEmpty();
    }

    /** Tests whether the pool, its endpoint and our store are available. */
    public boolean canQuote() {
        return !full && !life.isOver() && manners.answers() && !down.contains(endpoints.get(0));
    }

    /** Empty when the quote was refused, or the process died meanwhile. */
    Optional<String> quote(Direction direction, String amount, PoolManners.Kind kind) {
        try {
            return quoted(direction, amount, kind);
        } catch (CompletionException | IllegalStateException e) {
            if (life.isOver() || e.getCause() instanceof PoolException.Refused) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private Optional<String> quoted(Direction direction, String amount, PoolManners.Kind kind) {
        String id = "swap-" + ++swaps;
        byte[] secret = Hash256.sha256(("secret of " + id + outside.folder()).getBytes(StandardCharsets.UTF_8))
                .toArray();
        manners.expect(Hash256.sha256(secret), kind);
        Optional<SwapJournal.Held> held = daemon.quote(id, direction, amount, secret);
        held.ifPresent(added -> secrets.put(id, secret));
        return held.map(added -> id);
    }

    /** Executes all at once, as many callers would. */
    Map<String, SwapReply> execute(Collection<String> ids) {
        Map<String, CompletableFuture<SwapReply>> asked = new LinkedHashMap<>();
        ids.forEach(id -> asked.put(id, begin(id)));
        Map<String, SwapReply> replies = new LinkedHashMap<>();
        asked.forEach((id, reply) -> replies.put(id, judged(id, Await.result(reply))));
        return replies;
    }

    /** Returns a swap that was executed. */
    public String executed(Direction direction, PoolManners.Kind kind) {
        String id = quote(direction, SwapHistoryTest.amount(direction), kind).orElseThrow();
        SwapReply reply = execute(List.of(id)).get(id);
        if (!(reply instanceof SwapReply.Current)) {
            throw new AssertionError("the swap has not begun: " + reply);
        }
        return id;
    }

    /**
     * Asks again, as a caller would, while the daemon answers that it cannot judge now and that nothing was sent: right after its start it does not
     * know the tip yet, and while a block is being followed nothing is reported about the chain.
     */
    private SwapReply judged(String id, SwapReply reply) {
        SwapReply last = reply;
        for (int tries = 0; tries < 50 && isNotJudged(last); tries++) {
            settle();
            last = Await.result(begin(id));
        }
        return last;
    }

    private static boolean isNotJudged(SwapReply reply) {
        return reply instanceof SwapReply.NotExecuted refused
                && (refused.why().startsWith("it cannot be judged whether a lock is safe now")
                        || refused.why().startsWith("not both chains could be looked at"));
    }

    /** Does not wait for the answer. */
    CompletableFuture<SwapReply> begin(String id) {
        return EngineCalls.execute(daemon.engine, id);
    }

    SwapReply refund(String id) {
        return Await.result(EngineCalls.ask(daemon.engine, id, SwapQuestion.Refund::new));
    }

    /** Returns the row in the file. */
    public SwapRow row(String id) {
        return daemon.durable().row(id).orElseThrow();
    }

    /** Returns the sender of the claim of the pool's lock in the contract. */
    EvmAddress claimant(String id) {
        String claim = row(id).acts().claimTx().orElseThrow();
        return chains.evm()
                .receipt(Hash256.parse(claim.substring(2)))
                .orElseThrow()
                .tx()
                .from();
    }

    /** Returns the rows of swaps that are not finished. */
    private List<SwapRow> open() {
        return secrets.keySet().stream()
                .map(this::row)
                .filter(row -> row.acts().locking() && !row.isSettled())
                .toList();
    }

    public boolean isQuiet() {
        return open().isEmpty();
    }

    /** Waits until the follower has a node's tip and every open swap was observed since; or the process has died. */
    public void settle() {
        if (nodes.stream().allMatch(ChainNode::isUpToDate)) {
            Hash256 tip = chains.chain().tip().id();
            urge(
                    "the follower stands at " + tip,
                    () -> daemon.follow.follower().nudge(),
                    () -> life.isOver()
                            || daemon.follow
                                    .follower()
                                    .tip()
                                    .filter(at -> at.place().blockId().equals(tip))
                                    .isPresent());
        }
        look();
    }

    private void look() {
        Map<String, Integer> before = daemon.witness().looksBegun();
        Set<String> open = open().stream()
                .filter(row -> !row.status().isTerminal())
                .map(SwapRow::id)
                .collect(Collectors.toSet());
        urge(
                "swaps are looked at: " + open,
                () -> daemon.engine.tell(new SwapEngine.Nudge()),
                () -> daemon.witness().hasLookedSince(open, before));
    }

    /** Wakes components that may be idle, repeatedly: a busy one may have missed it. */
    private static void urge(String what, Runnable wake, BooleanSupplier done) {
        long[] woken = {System.nanoTime() - BETWEEN_WAKES};
        Await.until(what, () -> {
            if (done.getAsBoolean()) {
                return true;
            }
            if (System.nanoTime() - woken[0] >= BETWEEN_WAKES) {
                woken[0] = System.nanoTime();
                wake.run();
            }
            return false;
        });
    }

    public void round() {
        HangWatch.alive();
        chains.round();
        settle();
    }

    public void rounds(int count) {
        for (int i = 0; i < count; i++) {
            round();
        }
    }

    /** Runs as many rounds as necessary; fails beyond {@link #MOST_ROUNDS}. */
    public void roundsUntil(String what, BooleanSupplier condition) {
        until(what, condition, this::round);
    }

    /** Mines enough blocks to make everything that is over final. */
    public void untilQuiet() {
        until("no swap is open", this::isQuiet, () -> {
            rounds(2);
            pass(15);
        });
    }

    private void until(String what, BooleanSupplier condition, Runnable step) {
        for (int i = 0; i < MOST_ROUNDS && !condition.getAsBoolean(); i++) {
            step.run();
        }
        if (!condition.getAsBoolean()) {
            throw new AssertionError(MOST_ROUNDS + " times blocks came in vain until " + what + "; swaps: "
                    + secrets.keySet().stream().map(this::row).toList());
        }
    }

    /** Tests whether its row has recorded the claim of the pool's lock. */
    public boolean isClaimed(String id) {
        return row(id).poolLock() instanceof PoolLock.Claimed;
    }

    /** Waits until the results of the last observation are written, so that no step is judged by a time that jumped after its decision. */
    public void rest() {
        look();
        look();
    }

    /** Mines many blocks at once, with their normal time distance. */
    public void pass(int blocks) {
        pass(blocks, BLOCK);
    }

    public void pass(int blocks, Duration apart) {
        HangWatch.alive();
        rest();
        for (int i = 0; i < blocks; i++) {
            clock().advance(apart);
            chains.chain().mine(1);
        }
        chains.evm().mine(EVM_DEPTH + 1);
        chains.pool().work();
        settle();
    }

    /** Returns what the files contain of the secrets. */
    Set<String> leaks() throws IOException {
        Traces traces = new Traces();
        secrets.forEach(traces::bytes);
        return traces.under(outside.folder());
    }

    @Override
    public void close() {
        stop();
        daemon.durable().close();
        nodes.forEach(ChainNode::close);
        chains.close();
    }
}
