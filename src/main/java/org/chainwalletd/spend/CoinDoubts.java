package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.coins.VerifiedOutputs;
import org.chainwalletd.coins.VerifiedOutputs.Finding;
import org.chainwalletd.spend.plan.Candidates;
import org.chainwalletd.spend.plan.Draft;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendPlan;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.VerifiedOutput;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Coins of one listing that are not spent, because transaction bytes contradict the listing or cannot be fetched now (following.md, section
 * 2). Receives the findings and decides how to continue; sends no requests itself.
 */
final class CoinDoubts {
    private static final Logger LOG = LoggerFactory.getLogger(CoinDoubts.class);
    /** Maximum number of selections compared with bytes; each but the last contained a coin that was contradicted or out of reach. */
    private static final int MAX_CHECKS = 16;

    private final Candidates candidates;
    private final Bytes script;
    private final Set<Outpoint> contradicted = new HashSet<>();
    private final Set<Outpoint> outOfReach = new HashSet<>();
    private String missingReason = "";
    private int checks;

    CoinDoubts(SpendPlan plan, Candidates candidates) {
        this.candidates = candidates;
        this.script = Bytes.wrap(plan.from().toArray());
    }

    /** Result of comparing a selection with bytes. */
    sealed interface Verdict {}

    /** The bytes confirm every selected coin. */
    record Confirmed() implements Verdict {}

    /** The bytes of these outpoints must be fetched first. */
    record Unseen(Set<Outpoint> outpoints) implements Verdict {}

    /**
     * The selection cannot be spent.
     *
     * @param contradictions contradictions between bytes and the listing, as text for the log; empty when bytes are only missing
     */
    record Doubted(List<String> contradictions) implements Verdict {}

    /** Judges a draft by the bytes that are in memory. */
    Verdict judge(Draft draft, VerifiedOutputs outputs) {
        if (candidates.source() instanceof Candidates.Proven) {
            return new Confirmed();
        }
        Set<Outpoint> unseen = new HashSet<>();
        List<String> contradictions = new ArrayList<>();
        for (Coin coin : draft.inputs()) {
            outputs.known(coin.outpoint())
                    .ifPresentOrElse(
                            output -> compare(coin, output, contradictions), () -> unseen.add(coin.outpoint()));
        }
        if (contradictions.isEmpty() && !unseen.isEmpty()) {
            return new Unseen(unseen);
        }
        checks++;
        return contradictions.isEmpty() ? new Confirmed() : new Doubted(contradictions);
    }

    /** Judges a draft by the findings about the coins whose bytes were not in memory; the other coins were verified before. */
    Verdict judge(Draft draft, Map<Outpoint, Finding> findings) {
        List<String> contradictions = new ArrayList<>();
        boolean bytesMissing = false;
        for (Coin coin : draft.inputs()) {
            Finding finding = findings.get(coin.outpoint());
            if (finding instanceof Finding.Proven proven) {
                compare(coin, proven.output(), contradictions);
            } else if (finding instanceof Finding.NoSuchOutput) {
                contradict(coin, "its transaction has no such output", contradictions);
            } else if (finding instanceof Finding.OutOfReach missing) {
                bytesMissing = true;
                outOfReach.add(coin.outpoint());
                missingReason = missing.why();
            }
        }
        checks++;
        return contradictions.isEmpty() && !bytesMissing ? new Confirmed() : new Doubted(contradictions);
    }

    private void compare(Coin coin, VerifiedOutput output, List<String> contradictions) {
        if (!output.value().equals(coin.value())) {
            contradict(coin, "it holds " + output.value() + " and not " + coin.value(), contradictions);
        } else if (!output.script().equals(script)) {
            contradict(coin, "it is locked by script " + output.script().hex(), contradictions);
        }
    }

    private void contradict(Coin coin, String contradiction, List<String> contradictions) {
        contradicted.add(coin.outpoint());
        contradictions.add("coin " + coin.outpoint() + ": " + contradiction);
    }

    /** Whether another selection may be tried. */
    boolean mayChooseAgain() {
        return checks < MAX_CHECKS;
    }

    Set<Outpoint> excluded() {
        Set<Outpoint> all = new HashSet<>(contradicted);
        all.addAll(outOfReach);
        return all;
    }

    /** Replaces the refusal of the remaining coins: insufficient balance is not reported when the only reason is that coins were doubted. */
    RuntimeException explain(RuntimeException refusal) {
        boolean insufficient =
                refusal instanceof SpendException known && known.refusal() instanceof SpendRefusal.InsufficientBalance;
        return insufficient
                ? reason().<RuntimeException>map(SpendException::new).orElse(refusal)
                : refusal;
    }

    /** Failure of a spend for which no selection was confirmed in all tries. */
    SpendException tooManyDoubts() {
        return new SpendException(reason().orElseThrow());
    }

    /**
     * Reason why coins were excluded. Missing bytes take precedence over a contradiction, because they may arrive later and prove the
     * coins.
     */
    private Optional<SpendRefusal> reason() {
        if (!outOfReach.isEmpty()) {
            return Optional.of(new SpendRefusal.CoinsOutOfReach(outOfReach.size(), missingReason));
        }
        return contradicted.isEmpty()
                ? Optional.empty()
                : Optional.of(new SpendRefusal.CoinsContradicted(contradicted.size()));
    }

    /** Logs for the operator which node returned false data. */
    void report(Doubted doubted, SpendMetrics metrics) {
        doubted.contradictions()
                .forEach(contradiction -> LOG.warn(
                        "the listing of node {} contradicts the transaction bytes: {}", node(), contradiction));
        if (!doubted.contradictions().isEmpty()) {
            metrics.contradicted(node());
        }
    }

    private String node() {
        return candidates.source() instanceof Candidates.Listed listed
                        && !listed.node().isEmpty()
                ? listed.node()
                : "unknown";
    }
}
