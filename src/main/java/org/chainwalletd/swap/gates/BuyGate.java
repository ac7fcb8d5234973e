package org.chainwalletd.swap.gates;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.U64;
import org.chainwalletd.store.BlockPlace;

/**
 * Gate of a buy (swap.md, section 6): whether the secret may be revealed, and for which HTLC. It must pay our key under our hash lock at least the
 * quoted amount, be deep enough, have enough time left, and be in blocks that were not mined only for us.
 */
public record BuyGate(SwapLimits limits) {
    /**
     * HTLC on the chain that could be the pool's lock of a buy, from our own books and from transaction bytes checked against their id.
     *
     * @param datum whether the output has a datum or a datum hash: a spend would have to supply a datum that we may not have
     * @param spent whether our books have a spend of it, or a mempool has a claim with the right preimage
     * @param place its block
     * @param minedAt time of its block, Unix seconds
     */
    public record PoolHtlc(
            Outpoint outpoint,
            HtlcParams params,
            Amount amount,
            boolean datum,
            boolean spent,
            BlockPlace place,
            long minedAt) {}

    /**
     * Evidence about one HTLC beyond our books.
     *
     * @param workChecked whether the work of all blocks from its own to the tip was checked
     * @param nodesAgree whether every node that answered has its block at its height, and at least two answered (one if only one is configured)
     * @param claimValid whether our claim, built and signed, evaluates to a valid spend here
     */
    public record Candidate(PoolHtlc htlc, boolean workChecked, boolean nodesAgree, boolean claimValid) {}

    /**
     * @param tipHeight of the followed tip, unsigned
     * @param tipTime of the tip's block, Unix seconds
     * @param namedHeight height that a node has proven or reported in this run, above the followed tip while blocks are missing; negative before the first
     */
    public record Evidence(
            List<Candidate> candidates, long tipHeight, long tipTime, long namedHeight, GateInputs inputs) {
        public Evidence {
            candidates = List.copyOf(candidates);
        }
    }

    /** Verdict, with the HTLC it holds for when it is open. */
    public record Judgement(GateVerdict verdict, Optional<Outpoint> htlc) {}

    /**
     * Judges all candidates. The best HTLC decides, so decoys have no effect; when closed, the reason is that of the HTLC that passed most checks.
     */
    public Judgement judge(SwapTerms terms, Evidence evidence) {
        Optional<GateVerdict> closed = evidence.inputs().closed();
        if (closed.isPresent()) {
            return closed(closed.get());
        }
        long age = evidence.inputs().wallSeconds() - evidence.tipTime();
        if (!limits.development() && age > SwapLimits.MAX_CHAIN_BLOCK_AGE) {
            return closed(GateVerdict.stale("the chain", age, SwapLimits.MAX_CHAIN_BLOCK_AGE));
        }
        if (evidence.namedHeight() < 0) {
            return closed(GateVerdict.noLock("no node has named the chain's height since the start"));
        }
        List<Finding> findings = new ArrayList<>();
        for (Candidate candidate : evidence.candidates()) {
            Finding finding = look(terms, evidence, candidate);
            if (finding.reason().isEmpty()) {
                return new Judgement(
                        GateVerdict.OPEN, Optional.of(candidate.htlc().outpoint()));
            }
            findings.add(finding);
        }
        return findings.stream()
                .max(Comparator.comparingInt(Finding::passed))
                .map(best -> closed(best.reason().orElseThrow()))
                .orElseGet(() -> closed(GateVerdict.noLock("there is none with our hash lock")));
    }

    private static Judgement closed(GateVerdict reason) {
        return new Judgement(reason, Optional.empty());
    }

    /** @param passed number of checks passed before the reason */
    private record Finding(Optional<GateVerdict> reason, int passed) {}

    private interface Check {
        Optional<GateVerdict> against(SwapTerms terms, Evidence evidence, Candidate candidate);
    }

    private Finding look(SwapTerms terms, Evidence evidence, Candidate candidate) {
        List<Check> checks = List.of(
                BuyGate::terms,
                (bound, seen, at) -> late(seen, at),
                this::margin,
                BuyGate::depth,
                (bound, seen, at) -> unless(
                        at.workChecked(), "the work of the blocks from the pool's lock to the tip is not checked"),
                (bound, seen, at) -> pace(seen, at),
                (bound, seen, at) -> unless(at.nodesAgree(), "the nodes do not agree on the block of the pool's lock"),
                (bound, seen, at) -> unless(at.claimValid(), "our claim does not evaluate to a valid spend here"));
        for (int i = 0; i < checks.size(); i++) {
            Optional<GateVerdict> reason = checks.get(i).against(terms, evidence, candidate);
            if (reason.isPresent()) {
                return new Finding(reason, i);
            }
        }
        return new Finding(Optional.empty(), checks.size());
    }

    private static Optional<GateVerdict> terms(SwapTerms terms, Evidence evidence, Candidate candidate) {
        PoolHtlc htlc = candidate.htlc();
        HtlcParams params = htlc.params();
        if (!params.hashLock().equals(terms.hashLock())
                || !params.receiver().equals(terms.ours().key())) {
            return no("it is another HTLC");
        }
        if (htlc.spent()) {
            return no("it is spent");
        }
        if (htlc.datum()) {
            return no("it carries a datum or the hash of one");
        }
        if (htlc.amount().toBigInteger().compareTo(terms.received().units()) < 0) {
            return no("it holds " + htlc.amount() + " base units");
        }
        return Optional.empty();
    }

    private static Optional<GateVerdict> no(String cause) {
        return Optional.of(GateVerdict.noLock(cause));
    }

    private static Optional<GateVerdict> unless(boolean holds, String otherwise) {
        return holds ? Optional.empty() : Optional.of(GateVerdict.closed(otherwise));
    }

    private static Optional<GateVerdict> late(Evidence evidence, Candidate candidate) {
        return evidence.inputs().closedAsLate(candidate.htlc().minedAt());
    }

    /** Returns the objection by the remaining time. Blocks that are not followed yet, as right after a start, count as passed. */
    private Optional<GateVerdict> margin(SwapTerms terms, Evidence evidence, Candidate candidate) {
        BigInteger left = U64.toBigInteger(candidate.htlc().params().timeoutHeight())
                .subtract(U64.toBigInteger(Math.max(evidence.tipHeight(), evidence.namedHeight())));
        return left.compareTo(BigInteger.valueOf(limits.margins().blocks())) < 0
                ? Optional.of(GateVerdict.marginTooSmall(left, limits.margins().blocks(), "blocks"))
                : Optional.empty();
    }

    /** Returns the objection by depth. A lock in the tip has depth 1. */
    private static Optional<GateVerdict> depth(SwapTerms terms, Evidence evidence, Candidate candidate) {
        long depth = evidence.tipHeight() - candidate.htlc().place().height() + 1;
        return unless(
                depth >= terms.depth(),
                "the pool's lock is " + depth + " blocks deep; " + terms.depth() + " are demanded");
    }

    private Optional<GateVerdict> pace(Evidence evidence, Candidate candidate) {
        long blocks = evidence.tipHeight() - candidate.htlc().place().height();
        long expected = Math.multiplyExact(Math.max(1, blocks), SwapLimits.CHAIN_BLOCK_SECONDS);
        long took = evidence.tipTime() - candidate.htlc().minedAt();
        return unless(
                limits.development() || took <= Math.multiplyExact(SwapLimits.SLOWEST_PACE, expected),
                "the blocks from the pool's lock to the tip took " + took + " s, more than " + SwapLimits.SLOWEST_PACE
                        + " times the expected " + expected + " s");
    }
}
