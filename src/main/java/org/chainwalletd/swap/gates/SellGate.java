package org.chainwalletd.swap.gates;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.U64;
import org.chainwalletd.evm.SwapContract;

/**
 * Gate of a sell (swap.md, section 6): whether the secret may be revealed. The pool's lock must be in the contract, settled and unspent, and
 * claimable by us for long enough, according to a quorum of agreeing endpoints.
 */
public record SellGate(SwapLimits limits) {
    /**
     * View of a hash lock by one endpoint of the account chain, read at one time.
     *
     * @param common part of the view that is equal at all honest endpoints
     * @param latest the slot at the newest block
     * @param latestTime of the newest block, Unix seconds
     */
    public record EndpointView(CommonView common, SwapContract.Swap latest, long latestTime) {
        /** Time later than any window. */
        public static final long NEVER = Long.MAX_VALUE;

        /**
         * @param block hash of the newest block of the required finality
         * @param number its height
         * @param codeHash of the contract at that block
         * @param slot at that block, read by its hash (EIP-1898)
         * @param lockedAt time of the block that contains the pool's lock, Unix seconds; {@link #NEVER} when the endpoint has none
         */
        public record CommonView(
                BigInteger chainId,
                Hash256 block,
                long number,
                Hash256 codeHash,
                SwapContract.Swap slot,
                long lockedAt) {}
    }

    /**
     * Observations by which the gate is evaluated.
     *
     * @param views one per endpoint that answered; each endpoint at most once
     * @param lowerNonceOpen whether an earlier transaction of our key is pending
     */
    public record Evidence(List<EndpointView> views, boolean lowerNonceOpen, GateInputs inputs) {
        public Evidence {
            views = List.copyOf(views);
        }
    }

    public GateVerdict judge(SwapTerms terms, Evidence evidence) {
        Optional<GateVerdict> closed = evidence.inputs().closed();
        if (closed.isPresent()) {
            return closed.get();
        }
        if (evidence.lowerNonceOpen()) {
            return GateVerdict.closed(
                    "an earlier transaction of ours on the account chain is still open: a claim behind it could be held up");
        }
        if (contradictingQuorums(evidence.views()) > 1) {
            return GateVerdict.closed("endpoints of the account chain disagree about the pool's lock");
        }
        Map<EndpointView.CommonView, Integer> agreeing = new LinkedHashMap<>();
        List<GateVerdict> against = new ArrayList<>();
        for (EndpointView view : evidence.views()) {
            Optional<GateVerdict> reason = against(terms, view, evidence.inputs());
            if (reason.isPresent()) {
                against.add(reason.get());
            } else {
                agreeing.merge(view.common(), 1, Integer::sum);
            }
        }
        int most = agreeing.values().stream().max(Integer::compare).orElse(0);
        return most >= limits.quorum() ? GateVerdict.OPEN : missing(most, against);
    }

    /**
     * Returns the number of different views of one block that each have a quorum, for the block where it is largest; more than one is a
     * contradiction. Views of different blocks do not contradict each other.
     */
    private long contradictingQuorums(List<EndpointView> views) {
        Map<Long, Map<EndpointView.CommonView, Integer>> byBlock = new LinkedHashMap<>();
        for (EndpointView view : views) {
            byBlock.computeIfAbsent(view.common().number(), height -> new LinkedHashMap<>())
                    .merge(view.common(), 1, Integer::sum);
        }
        return byBlock.values().stream()
                .mapToLong(counts -> counts.values().stream()
                        .filter(count -> count >= limits.quorum())
                        .count())
                .max()
                .orElse(0);
    }

    /** Returns a final objection shared by a whole quorum; otherwise reports that too few endpoints agree. */
    private GateVerdict missing(int agreeing, List<GateVerdict> against) {
        List<GateVerdict> endings =
                against.stream().filter(GateVerdict::hopeless).toList();
        if (agreeing == 0 && endings.size() >= limits.quorum()) {
            return endings.get(0);
        }
        String otherwise = against.stream()
                .findFirst()
                .flatMap(GateVerdict::closed)
                .map(first -> "; another one: " + first)
                .orElse("");
        return GateVerdict.closed(agreeing + " of " + limits.quorum()
                + " demanded endpoints show the pool's lock, settled and unspent" + otherwise);
    }

    private Optional<GateVerdict> against(SwapTerms terms, EndpointView view, GateInputs now) {
        EndpointView.CommonView settled = view.common();
        if (!settled.chainId().equals(limits.contract().chainId())) {
            return reason("is of chain " + settled.chainId());
        }
        if (!settled.codeHash().equals(limits.contract().codeHash())) {
            return reason("has other code in the contract");
        }
        Optional<String> different = difference(terms, settled.slot());
        if (different.isPresent()) {
            return reason(different.get() + " in the settled block");
        }
        if (!view.latest().equals(settled.slot())) {
            return reason("it has changed in the newest block");
        }
        Optional<GateVerdict> late = now.closedAsLate(settled.lockedAt());
        if (late.isPresent()) {
            return late;
        }
        long age = now.wallSeconds() - view.latestTime();
        if (!limits.development() && age > SwapLimits.MAX_EVM_BLOCK_AGE) {
            return Optional.of(GateVerdict.stale("the account chain", age, SwapLimits.MAX_EVM_BLOCK_AGE));
        }
        BigInteger clock = BigInteger.valueOf(Math.max(now.wallSeconds(), view.latestTime()));
        BigInteger left = U64.toBigInteger(settled.slot().deadline()).subtract(clock);
        if (left.compareTo(BigInteger.valueOf(limits.margins().secs())) < 0) {
            return Optional.of(GateVerdict.marginTooSmall(left, limits.margins().secs(), "s"));
        }
        return Optional.empty();
    }

    private static Optional<GateVerdict> reason(String cause) {
        return Optional.of(GateVerdict.noLock(cause));
    }

    private static Optional<String> difference(SwapTerms terms, SwapContract.Swap slot) {
        if (slot.state() != SwapContract.State.LOCKED) {
            return Optional.of("it is in state " + slot.state());
        }
        if (!slot.recipient().equals(terms.ours().evm())) {
            return Optional.of("it pays " + slot.recipient());
        }
        if (slot.amount().compareTo(terms.received().units()) < 0) {
            return Optional.of("it holds " + slot.amount() + " wei");
        }
        return Optional.empty();
    }
}
