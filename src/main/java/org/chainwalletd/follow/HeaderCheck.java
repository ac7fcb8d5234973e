package org.chainwalletd.follow;

import java.math.BigInteger;
import java.time.Clock;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.chainwalletd.chain.BlockHeader;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Network;
import org.chainwalletd.follow.HeaderChain.WorkPolicy;
import org.chainwalletd.store.books.BlockRow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All checks of a header: the pure rules, the wall clock and the proof of work, less the faults that a development chain may have. Safe for
 * threads.
 */
final class HeaderCheck {
    /** Maximum lead of a block's timestamp over the local clock (chain protocol, section 9.6). */
    private static final long AHEAD_SECONDS = 120;

    private final HeaderRules rules;
    private final Leniency leniency;
    private final WorkCheck work;
    private final boolean verifyWork;
    private final Clock clock;

    HeaderCheck(HeaderRules rules, Leniency leniency, WorkCheck work, boolean verifyWork, Clock clock) {
        this.rules = rules;
        this.leniency = leniency;
        this.work = work;
        this.verifyWork = verifyWork;
        this.clock = clock;
    }

    /** Returns the check that the setup demands for the chain of {@code network}. */
    static HeaderCheck of(Network network, Leniency leniency, FollowerSetup setup) {
        return new HeaderCheck(
                new HeaderRules(network), leniency, setup.work(), setup.rules().verifyWork(), setup.clock());
    }

    /** @param workChecked whether the work was computed, or none is demanded */
    record Judged(Optional<Fault> fault, boolean workChecked) {}

    /**
     * Checks everything of the next header on {@code chain}, always with the proof of work, except its time against our clock: whether a block exists
     * differs from whether it is accepted, and a slow clock must not hide a lag.
     */
    CompletionStage<Judged> prove(HeaderChain chain, BlockHeader header, Hash256 id) {
        Optional<Fault> fault = rules.judge(chain, header, id).filter(broken -> !leniency.forgives(broken));
        return fault.isPresent() ? CompletableFuture.completedFuture(new Judged(fault, false)) : judgeWork(header, id);
    }

    /** Checks only the proof of work, always. */
    CompletionStage<Judged> judgeWork(BlockHeader header, Hash256 id) {
        return judgeWork(header, id, header.height());
    }

    /** Checks link, time and target. */
    Optional<Fault> judgePlace(HeaderChain chain, BlockHeader header, Hash256 id) {
        Optional<Fault> fault = rules.judge(chain, header, id).or(() -> future(header, id));
        return fault.filter(broken -> !leniency.forgives(broken));
    }

    private Optional<Fault> future(BlockHeader header, Hash256 id) {
        long latest = clock.instant().getEpochSecond() + AHEAD_SECONDS;
        return Long.compareUnsigned(header.timestamp(), latest) > 0
                ? Optional.of(new Fault(Fault.Rule.FUTURE, header.height(), id))
                : Optional.empty();
    }

    /** Returns whether valid headers above a block, up to {@code height}, have at most this work. */
    boolean limitsWork(BlockRow below, long height, BigInteger work) {
        return !leniency.forgives(Fault.Rule.TARGET)
                && rules.mostWork(below, height)
                        .filter(most -> most.compareTo(work) <= 0)
                        .isPresent();
    }

    /** Checks only the proof of work, if the policy demands it. */
    CompletionStage<Judged> judgeWork(BlockHeader header, Hash256 id, long claimedTip) {
        return demandsWork(header, claimedTip)
                ? computeWork(header, id)
                : CompletableFuture.completedFuture(new Judged(Optional.empty(), !verifyWork));
    }

    private boolean demandsWork(BlockHeader header, long claimedTip) {
        return new WorkPolicy(verifyWork, claimedTip, clock).demands(header);
    }

    /** Computes the work. The result is judged on the thread that computed it, because a switch of threads would cost more than the judgement. */
    private CompletionStage<Judged> computeWork(BlockHeader header, Hash256 id) {
        return work.passes(header, id)
                .thenApplyAsync(
                        passed -> new Judged(
                                passed
                                        ? Optional.empty()
                                        : Optional.of(new Fault(Fault.Rule.WORK, header.height(), id))
                                                .filter(fault -> !leniency.forgives(fault)),
                                true),
                        Runnable::run);
    }

    /** Checks the proof of work of a block that was read, if the policy demands it. */
    CompletionStage<Fetched> judgeWork(Fetched fetched, long claimedTip) {
        if (!(fetched instanceof Fetched.Whole whole)) {
            return CompletableFuture.completedFuture(fetched);
        }
        ChainBlock block = whole.block();
        if (!demandsWork(block.header(), claimedTip)) {
            // Completed at once: most blocks are not checked, and an executor task for each would queue behind the
            // parsing of blocks.
            return CompletableFuture.completedFuture(new Fetched.Whole(block, !verifyWork));
        }
        return computeWork(block.header(), block.id())
                .thenApplyAsync(
                        judged -> judged.fault().isPresent()
                                ? new Fetched.Invalid(
                                        block.height(), judged.fault().get())
                                : new Fetched.Whole(block, judged.workChecked()),
                        Runnable::run);
    }

    static BlockRow row(BlockHeader header, boolean workChecked) {
        return new BlockRow(
                header.height(), header.id(), header.previousId(), header.timestamp(), header.target(), workChecked);
    }

    /** Faults that a development chain may have, because nodes do not check these rules there. Each is logged once. Thread-safe. */
    static final class Leniency {
        private static final Logger LOG = LoggerFactory.getLogger(Leniency.class);
        private static final Set<Fault.Rule> FORGIVEN =
                Set.of(Fault.Rule.ROOT, Fault.Rule.TARGET, Fault.Rule.WORK, Fault.Rule.FUTURE);

        private final Network network;
        private final Set<Fault.Rule> logged = ConcurrentHashMap.newKeySet();

        Leniency(Network network) {
            this.network = network;
        }

        boolean forgives(Fault fault) {
            boolean forgiven = forgives(fault.rule());
            if (forgiven && logged.add(fault.rule())) {
                LOG.warn("{}; accepted on a development chain, and not logged again", fault);
            }
            return forgiven;
        }

        boolean forgives(Fault.Rule rule) {
            return network == Network.DEVNET && FORGIVEN.contains(rule);
        }
    }
}
