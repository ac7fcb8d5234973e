package org.chainwalletd.coins;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.VerifiedOutput;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verified values of outpoints. A signature does not commit to the value of the coin that it spends (chain protocol, section 15): if a node
 * understates a value, the difference becomes fee. So a value, and the script that locks it, is trusted only from the bytes of a
 * transaction whose id was computed here. Searched in memory first, then in the sources that need no node, then at the nodes. Thread-safe.
 */
public final class VerifiedOutputs {
    private static final Logger LOG = LoggerFactory.getLogger(VerifiedOutputs.class);
    private static final long LARGEST_CACHE = 16L << 20;
    private static final int PART_OF_HEAP = 64;

    private final List<OutputSource> sources;
    private final NodeOutputs nodes;
    private final Executor executor;
    private final OutputCache cache;
    private final Counter rounds;

    /**
     * @param sources asked one after the other, each for the outputs that the earlier ones do not know
     * @param executor runs continuations; never blocks
     */
    public VerifiedOutputs(
            ChainProfile profile,
            List<OutputSource> sources,
            NodeClient node,
            Executor executor,
            MeterRegistry metrics) {
        this(profile, sources, node, executor, metrics, budget());
    }

    VerifiedOutputs(
            ChainProfile profile,
            List<OutputSource> sources,
            NodeClient node,
            Executor executor,
            MeterRegistry metrics,
            long budget) {
        this.sources = List.copyOf(sources);
        this.nodes = new NodeOutputs(profile, node, executor);
        this.executor = executor;
        this.cache = new OutputCache(budget);
        this.rounds = Counter.builder("walletd.coins.rounds")
                .description("Times that nodes were asked for the bytes of coins, because nothing here had them")
                .register(metrics);
        Gauge.builder("walletd.coins.remembered", cache, OutputCache::size)
                .description("Outputs proven by bytes that are kept in memory")
                .register(metrics);
    }

    private static long budget() {
        return Math.min(LARGEST_CACHE, Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
    }

    /** Looks the output up in memory only; empty when it is not cached. */
    public Optional<VerifiedOutput> known(Outpoint outpoint) {
        return cache.get(outpoint);
    }

    /** Remembers an output. The caller has computed the id of {@code outpoint}'s transaction from the bytes that contain {@code output}. */
    public void remember(Outpoint outpoint, TxOutput output) {
        cache.put(outpoint, VerifiedOutput.of(output));
    }

    /** Returns a finding for each of {@code wanted}. Never fails; takes as long as the nodes' time-outs allow. */
    public CompletionStage<Map<Outpoint, Finding>> find(Collection<Outpoint> wanted) {
        Map<Outpoint, Finding> findings = new HashMap<>();
        Set<Outpoint> missing = new HashSet<>();
        for (Outpoint outpoint : wanted) {
            cache.get(outpoint)
                    .ifPresentOrElse(
                            output -> findings.put(outpoint, new Finding.Proven(output)), () -> missing.add(outpoint));
        }
        return search(findings, missing, sources.iterator());
    }

    private CompletionStage<Map<Outpoint, Finding>> search(
            Map<Outpoint, Finding> findings, Set<Outpoint> missing, Iterator<OutputSource> rest) {
        if (missing.isEmpty()) {
            return CompletableFuture.completedFuture(Map.copyOf(findings));
        }
        if (!rest.hasNext()) {
            rounds.increment();
            return nodes.find(missing).thenApplyAsync(found -> merged(findings, found), executor);
        }
        CompletableFuture<Map<Outpoint, VerifiedOutput>> asked =
                rest.next().find(Set.copyOf(missing)).toCompletableFuture();
        // Continues on this thread when the answer is already complete.
        Executor next = asked.isDone() ? Runnable::run : executor;
        return asked.handleAsync((found, failure) -> failure == null ? found : nothing(failure), next)
                .thenComposeAsync(
                        found -> {
                            found.forEach((outpoint, output) -> {
                                if (missing.remove(outpoint)) {
                                    cache.put(outpoint, output);
                                    findings.put(outpoint, new Finding.Proven(output));
                                }
                            });
                            return search(findings, missing, rest);
                        },
                        Runnable::run);
    }

    private static Map<Outpoint, VerifiedOutput> nothing(Throwable failure) {
        LOG.warn("a source of verified outputs is not available now: {}", failure.getMessage());
        return Map.of();
    }

    private Map<Outpoint, Finding> merged(Map<Outpoint, Finding> findings, Map<Outpoint, Finding> found) {
        found.forEach((outpoint, finding) -> {
            if (finding instanceof Finding.Proven proven) {
                cache.put(outpoint, proven.output());
            }
        });
        findings.putAll(found);
        return Map.copyOf(findings);
    }

    /** Finding for {@code outpoint} from the bytes of its transaction. */
    static Finding output(Outpoint outpoint, Transaction tx) {
        return outpoint.index() < tx.outputs().size()
                ? new Finding.Proven(VerifiedOutput.of(tx.outputs().get((int) outpoint.index())))
                : new Finding.NoSuchOutput();
    }

    /**
     * LRU cache of proven outputs, within a budget of bytes. The entries are facts that no fork can invalidate and that are the same from
     * every writer, so any thread may read and write without an actor: a spend with known coins needs no thread switch.
     */
    static final class OutputCache {
        /** Approximate heap bytes of one entry: an outpoint, its hash, an amount, two objects for the script and the map's entry. */
        private static final int BYTES_PER_ENTRY = 320;

        private static final float LOAD = 0.75f;

        private final long budget;
        private final Map<Outpoint, VerifiedOutput> outputs = new LinkedHashMap<>(16, LOAD, true);
        private long used;

        /**
         * @param budget maximum heap bytes of all entries
         */
        OutputCache(long budget) {
            this.budget = budget;
        }

        synchronized Optional<VerifiedOutput> get(Outpoint outpoint) {
            return Optional.ofNullable(outputs.get(outpoint));
        }

        synchronized void put(Outpoint outpoint, VerifiedOutput output) {
            VerifiedOutput before = outputs.put(outpoint, output);
            used += weight(output) - (before == null ? 0 : weight(before));
            Iterator<VerifiedOutput> oldest = outputs.values().iterator();
            while (used > budget && oldest.hasNext()) {
                used -= weight(oldest.next());
                oldest.remove();
            }
        }

        synchronized int size() {
            return outputs.size();
        }

        private static long weight(VerifiedOutput output) {
            return BYTES_PER_ENTRY + output.script().length();
        }
    }

    /** Result of the search for the value of an outpoint. */
    public sealed interface Finding {
        record Proven(VerifiedOutput output) implements Finding {}

        /** The bytes of the transaction are available, and it has no output with that index: such a coin can never exist. */
        record NoSuchOutput() implements Finding {}

        /**
         * No source has provided the bytes. That says nothing about the coin.
         *
         * @param why reason, as text for people
         */
        record OutOfReach(String why) implements Finding {}
    }
}
