package org.chainwalletd.htlc;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.keyring.Signer;
import org.chainwalletd.node.ChainIdentity;
import org.chainwalletd.spend.OwnerRebroadcasts;
import org.chainwalletd.spend.Simulation;
import org.chainwalletd.spend.SpendService;
import org.chainwalletd.spend.plan.GrantedPlan;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.Requester;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendPlan;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.Intent;

/**
 * Entry point for locking, claiming and reclaiming. Stages fail with {@link RefusedException} or with the exceptions of {@link SpendService}, whose
 * guarantees about tokens, crashes and lost answers also hold here.
 *
 * @param owners parts of the daemon that alone may redeem an HTLC
 * @param executor for continuations; never blocks
 */
public record HtlcSpends(
        ChainProfile profile,
        ChainIdentity identity,
        Signer signer,
        SpendService spending,
        Sightings sightings,
        HtlcOwners owners,
        Executor executor) {
    private static final String RECONCILE =
            "; the other party may have settled the HTLC: compare htlc_status or get_output_spent_by before any retry";

    /** Builds, signs and broadcasts a lock, as far as the caller's token allows it; the payee is the address of the receiver's key. */
    public CompletionStage<Receipt> lock(LockRequest request, Requester requester) {
        List<Address> receiver = List.of(profile.addressOf(request.receiver()));
        return checked(request, sender -> recorded(spending.spend(request.plan(sender), requester, receiver)));
    }

    /** Returns what {@link #lock} would do now. Broadcasts, reserves and signs nothing. */
    public CompletionStage<Simulation> simulateLock(LockRequest request) {
        return checked(request, sender -> spending.simulate(request.plan(sender)));
    }

    /** Tests whether another part of the daemon redeems HTLCs with this hash lock. */
    boolean hasOwner(Hash256 hashLock) {
        return owners.of(hashLock).isPresent();
    }

    /**
     * Builds, signs and broadcasts a claim or a reclaim.
     *
     * @param requester caller whose token must allow it
     */
    public CompletionStage<Receipt> redeem(Redemption request, Requester requester) {
        return redeem(request, plan -> new GrantedPlan(plan, requester, List.of(request.from())));
    }

    /** As {@link #redeem(Redemption, Requester)}, but requested by the daemon itself: unrestricted, and without the name of a token. */
    public CompletionStage<Receipt> redeem(Redemption request) {
        return redeem(request, plan -> plan);
    }

    private CompletionStage<Receipt> redeem(Redemption request, UnaryOperator<SpendPlan> requested) {
        Amount minimum = request.shape().minimumFee();
        if (request.fee().filter(fee -> fee.isLessThan(minimum)).isPresent()) {
            return CompletableFuture.failedFuture(RefusedException.invalidParams(
                    "`fee` of " + request.fee().get() + " base units is below the consensus minimum of " + minimum
                            + " for this spend; leave it out to pay the minimum"));
        }
        return whenOwned(request.from(), own -> redeem(request, request.params(own), requested));
    }

    /**
     * As {@link #lock}, but once durable, the lock is rebroadcast only by its owner ({@link OwnerRebroadcasts}).
     *
     * @param mayBegin evaluated immediately before a lock that is not durable yet becomes so, or is opened again; if false, it is refused
     */
    public CompletionStage<Receipt> lockOfSwap(LockRequest request, BooleanSupplier mayBegin) {
        return checked(
                request,
                sender ->
                        recorded(spending.spend(request.plan(sender).ofOwner(OwnerRebroadcasts.SWAP_LOCK, mayBegin))));
    }

    /**
     * As {@link #redeem}, for an output that our own books have in a block. No node is queried before the spend is sent, so none can delay it by
     * its answers about the output.
     *
     * @param output from bytes whose transaction id was computed
     * @param tipHeight of the followed tip
     * @param mayBegin evaluated immediately before a spend that is not durable yet becomes so, or is opened again; if false, it is refused
     */
    public CompletionStage<Receipt> redeemProven(
            Redemption request, TxOutput output, long tipHeight, BooleanSupplier mayBegin) {
        return whenOwned(request.from(), own -> {
            CompletionStage<Receipt> spend = spending.spend(new RedeemPlan(
                    request,
                    request.params(own),
                    Optional.empty(),
                    Optional.of(new RedeemPlan.Proven(output, tipHeight, mayBegin)),
                    profile,
                    identity,
                    sightings));
            // The preimage of a claim enters the index only after a node has the claim.
            return request instanceof ClaimRequest ? recordedOnceAccepted(spend) : recorded(spend);
        });
    }

    private <T> CompletionStage<T> checked(LockRequest request, Function<PublicKey, CompletionStage<T>> then) {
        byte[] receiver = request.receiver().toArray();
        return signer.find(Address.of(receiver))
                .thenComposeAsync(
                        own -> {
                            if (own.isPresent()) {
                                return refused(
                                        "is an address of this daemon; an HTLC names its parties by their public keys");
                            }
                            return Ed25519.isUsable(receiver)
                                    ? whenOwned(request.from(), then)
                                    : refused("is not a usable public key: it is no curve point or one of small order,"
                                            + " and nobody could claim");
                        },
                        executor);
    }

    private static <T> CompletionStage<T> refused(String cause) {
        return CompletableFuture.failedFuture(RefusedException.invalidParams("`receiver` " + cause));
    }

    private CompletionStage<Receipt> redeem(Redemption request, HtlcParams params, UnaryOperator<SpendPlan> requested) {
        return owners.known(params.hashLock())
                .handleAsync(
                        (known, failure) -> failure == null
                                ? ownedBy(request, params)
                                : Optional.of((Exception) Causes.passedOn(failure)),
                        executor)
                .thenComposeAsync(
                        against -> against.isEmpty()
                                ? redeemOwn(request, params, requested)
                                : redeemSent(request, params, requested, against.get()),
                        executor);
    }

    private Optional<Exception> ownedBy(Redemption request, HtlcParams params) {
        return owners.of(params.hashLock())
                .map(owner -> RefusedException.invalidParams(
                        "the HTLC " + request.lock() + " is redeemed by " + owner + "; nothing was broadcast"));
    }

    /**
     * Answers for an HTLC with an owner. If it was spent before it had an owner, its receipt is returned, because "nothing was broadcast" would be
     * false.
     */
    private CompletionStage<Receipt> redeemSent(
            Redemption request, HtlcParams params, UnaryOperator<SpendPlan> requested, Exception against) {
        return earlier(request)
                .thenComposeAsync(
                        sent -> sent.isPresent()
                                ? redeemOwn(request, params, requested)
                                : CompletableFuture.failedFuture(against),
                        executor);
    }

    private CompletionStage<Optional<Intent>> earlier(Redemption request) {
        return request.clientToken()
                .map(spending::ofTokenForCertain)
                .orElseGet(() -> CompletableFuture.completedFuture(Optional.empty()));
    }

    private CompletionStage<Receipt> redeemOwn(
            Redemption request, HtlcParams params, UnaryOperator<SpendPlan> requested) {
        return recorded(plan(request, params).thenComposeAsync(plan -> spending.spend(requested.apply(plan)), executor))
                .exceptionallyAsync(HtlcSpends::withAdvice, executor);
    }

    private CompletionStage<RedeemPlan> plan(Redemption request, HtlcParams params) {
        if (request instanceof ReclaimRequest) {
            return CompletableFuture.completedFuture(plan(request, params, Optional.empty()));
        }
        Address sender = profile.addressOf(params.sender());
        return signer.find(sender)
                .thenApplyAsync(
                        own -> plan(request, params, own.isPresent() ? Optional.empty() : Optional.of(sender)),
                        executor);
    }

    private RedeemPlan plan(Redemption request, HtlcParams params, Optional<Address> rival) {
        return new RedeemPlan(request, params, rival, Optional.empty(), profile, identity, sightings);
    }

    /**
     * Enters a spend that was or may have been sent in the index before the caller gets the answer. A failure to write the index does not change
     * the outcome.
     */
    private CompletionStage<Receipt> recorded(CompletionStage<Receipt> spend) {
        return spend.handleAsync(
                        (receipt, failure) -> sent(receipt, failure)
                                .map(sightings::ofIntent)
                                .orElseGet(() -> CompletableFuture.completedFuture(null))
                                .thenComposeAsync(done -> spend, executor),
                        executor)
                .thenComposeAsync(outcome -> outcome, executor);
    }

    /** As {@link #recorded}, but only for a spend that a node has accepted. */
    private CompletionStage<Receipt> recordedOnceAccepted(CompletionStage<Receipt> spend) {
        return spend.thenComposeAsync(
                receipt -> sightings.ofIntent(receipt.txId()).thenApplyAsync(done -> receipt, executor), executor);
    }

    private static Optional<Hash256> sent(Receipt receipt, Throwable failure) {
        if (receipt != null) {
            return Optional.of(receipt.txId());
        }
        return Causes.of(failure) instanceof SpendException spend
                        && spend.refusal() instanceof SpendRefusal.OutcomeUnknown unknown
                ? Optional.of(unknown.txId())
                : Optional.empty();
    }

    /** Adds advice to a conflict, which for an HTLC is usually caused by the other party. */
    private static Receipt withAdvice(Throwable failure) {
        Throwable cause = Causes.of(failure);
        if (cause instanceof SpendException spend && spend.refusal() instanceof SpendRefusal.DoubleSpend conflict) {
            throw new SpendException(new SpendRefusal.DoubleSpend(conflict.txId(), conflict.message() + RECONCILE));
        }
        throw Causes.passedOn(cause);
    }

    private <T> CompletionStage<T> whenOwned(Address from, Function<PublicKey, CompletionStage<T>> then) {
        return signer.find(from)
                .thenComposeAsync(
                        entry -> entry.isPresent()
                                ? then.apply(entry.get().knownPublicKey())
                                : CompletableFuture.failedFuture(
                                        new SpendException(new SpendRefusal.WalletNotFound(from))),
                        executor);
    }

    /**
     * Registry of the parts of the daemon that own HTLCs. Only the owner redeems an HTLC: a mempool keeps the first spend that it sees and rejects
     * later ones with a higher fee, so another spend with the minimum fee would exclude the owner's, which pays more to be mined in time.
     */
    @FunctionalInterface
    public interface HtlcOwners {
        HtlcOwners NONE = hashLock -> Optional.empty();

        /**
         * Completes when {@link #of} may be called; fails with {@link org.chainwalletd.store.StoreException} when only another daemon, or none at
         * the moment, knows the owners.
         */
        default CompletionStage<Void> known(Hash256 hashLock) {
            return CompletableFuture.completedFuture(null);
        }

        /** Returns the owner and what to do instead, as human-readable text; empty when there is none. Does not block. */
        Optional<String> of(Hash256 hashLock);
    }
}
