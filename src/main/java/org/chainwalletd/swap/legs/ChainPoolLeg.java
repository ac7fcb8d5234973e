package org.chainwalletd.swap.legs;

import static org.chainwalletd.stage.Blocking.await;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.htlc.ClaimRequest;
import org.chainwalletd.htlc.ClaimTrial;
import org.chainwalletd.htlc.HashLockBooks;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.swap.gates.BuyGate;
import org.chainwalletd.swap.gates.BuyGate.PoolHtlc;
import org.chainwalletd.swap.gates.GateInputs;
import org.chainwalletd.swap.gates.GateVerdict;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.legs.Legs.PoolLeg;
import org.chainwalletd.swap.legs.Redeeming.ChainFee;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pool's lock of a buy: an HTLC on the chain to our key, which we claim. Whether it fits the terms and whether it was claimed or refunded is
 * read from the daemon's own books; what the books do not keep is read from transaction bytes checked against their id. Nodes are only asked
 * whether they follow the same blocks, which can close the gate but not open it.
 *
 * <p>The claim's intent contains the secret and is durable before a node has it, so the store seals its bytes
 * ({@link org.chainwalletd.spend.SealedClaims}). The intent is made only after the permission to claim is durable, and is sent at once. Until then,
 * the secret is only in the sealed journal; the gate tests the claim with another preimage.
 */
public record ChainPoolLeg(ChainSide chain, SwapLimits limits) implements PoolLeg {
    private static final Logger LOG = LoggerFactory.getLogger(ChainPoolLeg.class);
    private static final int AT_ONCE = 4;
    private static final int NODES_AT_ONCE = 8;
    private static final int ENOUGH_NODES = 2;
    private static final int SECRET_BYTES = 32;

    /** HTLC in a block, with its output as read from the transaction's bytes. */
    private record Candidate(HashLockBooks.Found found, TxOutput output) {
        Outpoint outpoint() {
            return found.row().outpoint();
        }

        HtlcParams params() {
            return found.row().params();
        }

        boolean carriesDatum() {
            return output.datum() != null || output.datumHash() != null;
        }
    }

    /** @param candidates mined HTLCs of at least the quoted amount, the longest claimable first, including those with a datum */
    private record Seen(HashLockBooks.View view, List<Candidate> candidates) {
        List<Candidate> fitting() {
            return candidates.stream().filter(one -> !one.carriesDatum()).toList();
        }
    }

    private HashLockBooks.View books(SwapTerms terms) {
        return chain.look(new HashLockBooks.Question(
                terms.hashLock(),
                terms.ours().key(),
                Amount.of(terms.received().units()),
                terms.depth(),
                Optional.empty()));
    }

    private Seen seen(SwapRow row) {
        HashLockBooks.View view = books(row.terms());
        return new Seen(view, await(Bounded.each(mined(view), AT_ONCE, this::candidate, chain.executor())));
    }

    /** Returns the mined HTLCs, the longest claimable first. All of them are claimed later, so the one that opened a gate is always among them. */
    private static List<HashLockBooks.Found> mined(HashLockBooks.View view) {
        List<HashLockBooks.Found> mined = new ArrayList<>(
                view.found().stream().filter(HashLockBooks.Found::isMined).toList());
        mined.sort(Comparator.comparing(
                found -> found.row().params().timeoutHeight(), (a, b) -> Long.compareUnsigned(b, a)));
        return mined;
    }

    private CompletionStage<Candidate> candidate(HashLockBooks.Found found) {
        return chain.transactions()
                .output(found.row().outpoint(), found.row().params())
                .thenApplyAsync(output -> new Candidate(found, output), chain.executor());
    }

    @Override
    public View look(SwapRow row) {
        Seen seen = seen(row);
        return new View(
                state(row, seen), isClaimJournalled(row, seen) || seen.view().secretShown());
    }

    /** Tests whether a claim is journalled. Queried only between the permission and the row's own mark of the claim. */
    private boolean isClaimJournalled(SwapRow row, Seen seen) {
        return row.acts().claimPermitted()
                && !row.acts().claimJournalled()
                && seen.fitting().stream().anyMatch(one -> isJournalled(row, one));
    }

    /** Returns the state of the pool's lock; a claimed HTLC has paid us, whatever other HTLCs exist. */
    private static PoolLock state(SwapRow row, Seen seen) {
        List<Candidate> fitting = seen.fitting();
        for (Candidate one : fitting) {
            OptionalLong claimed = one.found().claimedAt();
            if (claimed.isPresent()) {
                String tx = one.found().row().claim().orElseThrow().txId().toString();
                return new PoolLock.Claimed(
                        one.outpoint().toString(), tx, ChainSide.isFinal(seen.view(), claimed.getAsLong()));
            }
        }
        Optional<Candidate> open =
                fitting.stream().filter(one -> one.found().isOpen()).findFirst();
        if (open.isPresent()) {
            return new PoolLock.Locked(
                    open.get().outpoint().toString(),
                    OptionalLong.of(open.get().params().timeoutHeight()));
        }
        return fitting.stream()
                .findFirst()
                .<PoolLock>map(one -> new PoolLock.TakenBack(
                        one.outpoint().toString(),
                        fitting.stream()
                                .allMatch(each -> ChainSide.isFinal(
                                        seen.view(), each.found().takenBackAt().orElseThrow()))))
                .orElseGet(() -> absent(row, seen.view()));
    }

    /**
     * Returns the absence of a lock. A lock that a reorganisation removed may be mined again, so its absence becomes final only at the depth of a
     * final spend.
     */
    private static PoolLock absent(SwapRow row, HashLockBooks.View view) {
        if (!(row.ownLock() instanceof OwnLock.Claimed claimed) || !claimed.isFinal()) {
            return new PoolLock.Absent();
        }
        long since = row.poolLock() instanceof PoolLock.Absent before
                ? before.since().orElse(view.tip().height())
                : view.tip().height();
        return new PoolLock.Absent(OptionalLong.of(since), ChainSide.isFinal(view, since));
    }

    @Override
    public Optional<String> obstacle(SwapRow row) {
        SwapTerms terms = row.terms();
        await(chain.identity().genesisForSigning());
        boolean hasKey = await(chain.signer().find(terms.ours().address())).isPresent();
        HashLockBooks.View view = books(terms);
        chain.requireFresh(view.tip(), limits);
        return hasKey
                ? taken(row, view)
                : Optional.of("the key that would claim the pool's lock is not in the keyring");
    }

    /** Returns the objection that another HTLC has the hash lock. Once our own lock may have been sent, a fast pool may already have locked. */
    private static Optional<String> taken(SwapRow row, HashLockBooks.View view) {
        boolean answered = row.acts().locking() && !view.found().isEmpty();
        return answered ? Optional.empty() : other(view);
    }

    private static Optional<String> other(HashLockBooks.View view) {
        return view.all().stream().findFirst().map(other -> "there is an HTLC with this hash lock already: " + other);
    }

    /**
     * Evaluates the gate from the books first. Only the candidate for which the gate would open is examined further: nodes are asked about its
     * block and its claim is signed. If it fails there, the next candidate is evaluated.
     */
    @Override
    public GateVerdict gate(SwapRow row, GateInputs now) {
        Seen seen = seen(row);
        Map<Outpoint, BuyGate.Candidate> looked = new HashMap<>();
        while (true) {
            BuyGate.Judgement judgement = new BuyGate(limits).judge(row.terms(), evidence(seen, now, looked));
            Optional<Outpoint> opened = judgement.htlc().filter(outpoint -> !looked.containsKey(outpoint));
            if (opened.isEmpty()) {
                return judgement.verdict();
            }
            Candidate next = seen.candidates().stream()
                    .filter(one -> one.outpoint().equals(opened.get()))
                    .findFirst()
                    .orElseThrow();
            looked.put(opened.get(), looked(row.terms(), seen, next));
        }
    }

    /** Examines a candidate. Checks the work first, which was checked when the blocks were read unless the daemon was catching up. */
    private BuyGate.Candidate looked(SwapTerms terms, Seen seen, Candidate one) {
        BlockRow block = one.found().block().orElseThrow();
        boolean isChecked = one.found().workChecked()
                || await(chain.spends()
                        .provesWork(block.height(), seen.view().tip().height()));
        boolean isAgreed = doNodesAgree(block.place());
        return new BuyGate.Candidate(htlc(one, block), isChecked, isAgreed, isClaimable(terms, one));
    }

    /** Returns the evidence; an HTLC that was not examined yet counts as sound, since it is examined once all other checks pass. */
    private BuyGate.Evidence evidence(Seen seen, GateInputs now, Map<Outpoint, BuyGate.Candidate> looked) {
        List<BuyGate.Candidate> candidates = new ArrayList<>();
        for (Candidate one : seen.candidates()) {
            one.found()
                    .block()
                    .map(block -> looked.getOrDefault(
                            one.outpoint(), new BuyGate.Candidate(htlc(one, block), true, true, true)))
                    .ifPresent(candidates::add);
        }
        FollowedTip tip = seen.view().tip();
        return new BuyGate.Evidence(
                candidates, tip.height(), tip.timestamp(), chain.namedHeight().getAsLong(), now);
    }

    /**
     * Builds the gate's view of an HTLC. Mempool spends count only if a block could include them: a claim with another preimage never can, and
     * a reclaim not before the timeout, to which the gate keeps a margin anyway.
     */
    private static PoolHtlc htlc(Candidate one, BlockRow block) {
        boolean spent = !one.found().isOpen() || one.found().isBeingClaimed();
        return new PoolHtlc(
                one.outpoint(),
                one.params(),
                one.output().value(),
                one.carriesDatum(),
                spent,
                block.place(),
                block.timestamp());
    }

    /** Tests whether the nodes follow our chain: each node that answers has our block at its height, and two nodes answer if two are configured. */
    private boolean doNodesAgree(BlockPlace place) {
        List<NodeClient> nodes = chain.node().each();
        List<Optional<Boolean>> answers = await(Bounded.each(
                nodes,
                NODES_AT_ONCE,
                one -> one.blockAt(place.height())
                        .handleAsync(
                                (block, failure) -> failure == null
                                        ? Optional.of(block.filter(
                                                        there -> there.blockId().equals(place.blockId()))
                                                .isPresent())
                                        : Optional.<Boolean>empty(),
                                chain.executor()),
                chain.executor()));
        List<Boolean> heard = answers.stream().flatMap(Optional::stream).toList();
        return !heard.contains(false) && heard.size() >= Math.min(ENOUGH_NODES, nodes.size());
    }

    /**
     * Claims every HTLC of the pool that pays us, so the one for which the gate opened need not be recorded: any claim reveals the secret. Returns
     * the outcome of the first one; a failure of one does not prevent the others.
     */
    @Override
    public String pushClaim(SwapRow row, SecretBytes secret, BooleanSupplier mayBegin) {
        Bytes preimage = Bytes.wrap(secret.copy());
        if (!HtlcWitness.hashLockOf(preimage.toArray()).equals(row.terms().hashLock())) {
            throw new IllegalStateException("the secret of swap " + row.id() + " does not open its hash lock");
        }
        Seen seen = seen(row);
        List<Candidate> open =
                seen.fitting().stream().filter(one -> one.found().isOpen()).toList();
        if (open.isEmpty()) {
            throw new IllegalStateException("there is no lock of the pool to be claimed now");
        }
        List<Outcome<Hash256>> claimed = new ArrayList<>();
        for (Candidate one : open) {
            claimed.add(claim(row, preimage, seen.view().tip().height(), one, mayBegin));
        }
        return claimed.get(0).fold(Hash256::toString, failure -> {
            throw (RuntimeException) failure;
        });
    }

    private Outcome<Hash256> claim(SwapRow row, Bytes preimage, long tip, Candidate one, BooleanSupplier mayBegin) {
        try {
            return new Outcome.Done<>(push(row, one, preimage, tip, mayBegin));
        } catch (RuntimeException e) {
            LOG.warn("swap {}: {} is not claimed yet: {}", row.id(), one.outpoint(), e.toString());
            return new Outcome.Failed<>(e);
        }
    }

    private static Amount minimumFee() {
        return TxShape.EMPTY.plusPlainOutputs(1).plusClaim(SECRET_BYTES).minimumFee();
    }

    /**
     * Tests whether a claim with the secret would be valid, using a publicly known preimage against the same HTLC with that preimage's hash lock.
     * Everything but the digest of the secret is the same, and the digest is compared when the secret is used.
     */
    private boolean isClaimable(SwapTerms terms, Candidate one) {
        Bytes known = Bytes.wrap(new byte[SECRET_BYTES]);
        HtlcParams params = one.params();
        HtlcParams trial = new HtlcParams(
                params.sender(), params.receiver(), HtlcWitness.hashLockOf(known.toArray()), params.timeoutHeight());
        TxOutput output = one.output();
        TxOutput alike = new TxOutput(output.value(), HtlcScript.build(trial), output.datum(), output.datumHash());
        boolean isThere = output.script().equals(HtlcScript.build(params));
        Amount fee = ChainFee.of(minimumFee(), output.value(), 1);
        return isThere && isValid(request(terms, one, known, fee, Optional.empty()), trial, alike);
    }

    private boolean isValid(ClaimRequest request, HtlcParams params, TxOutput output) {
        Hash256 genesis = await(chain.identity().genesisForSigning());
        ClaimTrial trial = new ClaimTrial(chain.profile(), genesis, request, output);
        return trial.isValid(
                params,
                await(chain.signer().sign(request.from(), trial.message())).bytes());
    }

    private static ClaimRequest request(
            SwapTerms terms, Candidate one, Bytes preimage, Amount fee, Optional<String> token) {
        return new ClaimRequest(
                terms.ours().address(),
                one.outpoint(),
                preimage,
                one.params().sender(),
                one.params().timeoutHeight(),
                Optional.of(fee),
                Optional.empty(),
                token);
    }

    /**
     * Tests whether a claim of this HTLC is durable, sent or not. A write in doubt is decided first, so a claim reported as absent cannot appear
     * later.
     */
    private boolean isJournalled(SwapRow swap, Candidate one) {
        return await(chain.spending().ofTokenForCertain(ChainOwnLeg.SwapTokens.claim(swap.id(), one.outpoint(), 1)))
                .isPresent();
    }

    private Hash256 push(SwapRow swap, Candidate one, Bytes preimage, long tip, BooleanSupplier mayBegin) {
        return new Redeeming(
                        chain,
                        Optional.empty(),
                        version -> ChainOwnLeg.SwapTokens.claim(swap.id(), one.outpoint(), version),
                        minimumFee(),
                        one.output().value(),
                        tip,
                        (token, fee) ->
                                send(request(swap.terms(), one, preimage, fee, Optional.of(token)), one, tip, mayBegin))
                .push();
    }

    /** Verifies the claim as a node would, and only then makes it durable and sends it. */
    private Receipt send(ClaimRequest request, Candidate one, long tip, BooleanSupplier mayBegin) {
        if (!isValid(request, one.params(), one.output())) {
            throw new IllegalStateException("our claim of " + request.lock() + " is not valid here; nothing was sent");
        }
        return await(chain.htlcs().redeemProven(request, one.output(), tip, mayBegin));
    }
}
