package org.chainwalletd.spend;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.store.SweepStore.Sweep;
import org.chainwalletd.sweep.Sweeps;
import org.chainwalletd.sweep.Sweeps.Report;

/** Sweeps over a {@link SpendHarness}: they stop and start with it. */
final class SweepRig implements AutoCloseable {
    static final String OWNER = "sweeper";

    final SpendHarness spends;
    final Set<String> ended = ConcurrentHashMap.newKeySet();
    /** Named token of requests; none: the classic one. */
    Optional<String> owner = Optional.of(OWNER);
    /** Addresses whose keys are missing. */
    final Set<Address> lost = ConcurrentHashMap.newKeySet();
    /** Wrapper of the store that the sweeps of a test use. */
    UnaryOperator<SweepStore> before = UnaryOperator.identity();

    /** Recipient of every sweep. */
    Address to = PayoutRig.recipient(99);

    Sweeps sweeps;
    /** Threads of callers, if they are not those of the background work. */
    Optional<Executor> calls = Optional.empty();
    /** Threads of callers that only read, if they are not those of the background work. */
    Optional<Executor> reads = Optional.empty();
    /** Threads that end with the process. */
    private ExecutorService threads = Executors.newFixedThreadPool(1);
    /** Coins that the books list for an address. */
    Function<Address, List<NodeClient.Utxo>> listed;
    /** Coins that the books find when asked about individual ones. */
    Function<Address, List<NodeClient.Utxo>> known = address -> listed.apply(address);

    SweepRig(Path folder) {
        spends = new SpendHarness(folder);
        listed = spends::coins;
    }

    SweepRig start() {
        spends.start();
        return begin();
    }

    /** Starts after the operator has restored an old store and declared it. */
    void startRestored() {
        spends.startRestored(false);
        begin();
    }

    private SweepRig begin() {
        threads.shutdownNow();
        threads = Executors.newFixedThreadPool(4);
        sweeps = Sweeps.start(
                new Sweeps.Environment(
                        SpendHarness.PROFILE,
                        before.apply(spends.store.sweeps()),
                        spends.store.reservations(),
                        spends.spending,
                        new BookCoins(
                                spends,
                                address -> CompletableFuture.completedFuture(Optional.of(listed.apply(address))),
                                address -> Optional.of(known.apply(address))),
                        address -> !lost.contains(address),
                        () -> 100,
                        ended::contains,
                        Duration.ofMillis(50),
                        spends.clock,
                        new Sweeps.Threads(calls.orElse(threads), reads.orElse(threads), threads)),
                spends.ofProcess());
        return this;
    }

    void restart() {
        spends.crash();
        start();
    }

    Sweeps.Request request(String token, Optional<Amount> maxFee, Address... from) {
        return new Sweeps.Request(
                token,
                owner,
                Hash256.sha256(maxFee.toString().getBytes(StandardCharsets.UTF_8)),
                () -> List.of(from),
                to,
                maxFee,
                Amount.of(250),
                Optional.of("consolidation"));
    }

    CompletionStage<Report> sweep(String token, Optional<Amount> maxFee, Address... from) {
        return sweeps.sweep(request(token, maxFee, from), new CompletableFuture<>());
    }

    Report swept(String token, Address... from) {
        return SpendHarness.get(sweep(token, Optional.empty(), from));
    }

    Sweep stored(String token) {
        return SpendHarness.get(spends.store.sweeps().find(token)).orElseThrow();
    }

    static long[] values(int count, long each) {
        return LongStream.generate(() -> each).limit(count).toArray();
    }

    static Set<Hash256> transactions(Sweep sweep) {
        Set<Hash256> all = new HashSet<>();
        sweep.parts().forEach(part -> part.spend().ifPresent(spend -> all.add(spend.txId())));
        return all;
    }

    /** Sum of the coins at the recipient. */
    long arrived() {
        return spends.coins(to).stream().mapToLong(coin -> number(coin.value())).sum();
    }

    static long fees(Sweep sweep) {
        return sweep.parts().stream()
                .mapToLong(part -> number(part.part().fee()))
                .sum();
    }

    static long number(Amount amount) {
        return amount.toBigInteger().longValueExact();
    }

    @Override
    public void close() {
        threads.shutdownNow();
        spends.close();
    }
}
