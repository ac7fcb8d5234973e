package org.chainwalletd.follow;

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
 * All that makes a header believed: the pure rules, the wall clock and the proof of work, with what a development chain is forgiven. Safe for
 * threads.
 */
final class HeaderCheck {
    /** How far a block's time may run ahead of ours (chain protocol, section 9.6). */
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

    /**
     * @param workChecked whether the work was computed, or none is asked for
     */
    record Judged(Optional<Fault> fault, boolean workChecked) {}

    /** Everything, with the proof of work whatever its age, for a header that would be the next on {@code chain}. */
    CompletionStage<Judged> judge(HeaderChain chain, BlockHeader header, Hash256 id) {
        Optional<Fault> fault = judgePlace(chain, header, id);
        return fault.isPresent()
                ? CompletableFuture.completedFuture(new Judged(fault, false))
                : judgeWork(header, id, header.height());
    }

    /** Link, time and target. */
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

    /** The proof of work alone, when the policy asks for it. */
    CompletionStage<Judged> judgeWork(BlockHeader header, Hash256 id, long claimedTip) {
        return demandsWork(header, claimedTip)
                ? computeWork(header, id)
                : CompletableFuture.completedFuture(new Judged(Optional.empty(), !verifyWork));
    }

    private boolean demandsWork(BlockHeader header, long claimedTip) {
        return new WorkPolicy(verifyWork, claimedTip, clock).demands(header);
    }

    /** Judged where the work was computed, or at once where that is known: handing over for so little would cost more than it does. */
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

    /** The same for a block that was read. */
    CompletionStage<Fetched> judgeWork(Fetched fetched, long claimedTip) {
        if (!(fetched instanceof Fetched.Whole whole)) {
            return CompletableFuture.completedFuture(fetched);
        }
        ChainBlock block = whole.block();
        if (!demandsWork(block.header(), claimedTip)) {
            // At once: a hop for each of the blocks, which are nearly all, would wait behind the ones that are being
            // parsed.
            return CompletableFuture.completedFuture(new Fetched.Whole(block, !verifyWork));
        }
        return computeWork(block.header(), block.id())
                .thenApplyAsync(
                        judged -> judged.fault().isPresent()
                                ? new Fetched.Unsound(
                                        block.height(), judged.fault().get())
                                : new Fetched.Whole(block, judged.workChecked()),
                        Runnable::run);
    }

    static BlockRow row(BlockHeader header, boolean workChecked) {
        return new BlockRow(
                header.height(), header.id(), header.previousId(), header.timestamp(), header.target(), workChecked);
    }

    /**
     * Faults that a development chain may have: root, target and work, which nobody else checks there. Each is logged once. Safe for threads.
     */
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
            boolean forgiven = network == Network.DEVNET && FORGIVEN.contains(fault.rule());
            if (forgiven && logged.add(fault.rule())) {
                LOG.warn("{}; that passes on a development chain, and is not said again", fault);
            }
            return forgiven;
        }
    }
}
