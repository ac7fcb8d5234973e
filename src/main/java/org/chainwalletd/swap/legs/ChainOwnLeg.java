package org.chainwalletd.swap.legs;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.chain.U64;
import org.chainwalletd.htlc.HashLockBooks;
import org.chainwalletd.htlc.LockRequest;
import org.chainwalletd.htlc.ReclaimRequest;
import org.chainwalletd.spend.FeeChoice;
import org.chainwalletd.spend.SpendChain;
import org.chainwalletd.spend.SpendException;
import org.chainwalletd.spend.SpendRefusal;
import org.chainwalletd.spend.TransferRequest;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.books.SpendingBooks;
import org.chainwalletd.swap.gates.LockBounds;
import org.chainwalletd.swap.gates.OwnLock;
import org.chainwalletd.swap.gates.RefundDue;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapTerms;

/**
 * Our lock of a sell: an HTLC on the chain that the pool may claim. Whether it stands, was claimed or taken back, and that it can never come
 * to be, is read from our own books alone. What is sent is an intent first, metered like every payment; the lock goes out again only when
 * the engine asks for it.
 */
public final class ChainOwnLeg implements OwnLeg {
    private final ChainSide chain;
    private final SwapLimits limits;
    private final Redeeming redeeming;
    private final ChainMempools mempools;
    private final InsteadOfLock instead;

    public ChainOwnLeg(ChainSide chain, SwapLimits limits) {
        this.chain = chain;
        this.limits = limits;
        this.redeeming = new Redeeming(chain);
        this.mempools = new ChainMempools(chain);
        this.instead = new InsteadOfLock(chain);
    }

    /**
     * What is known before the chain's books are read.
     *
     * @param intent of our lock; empty when nothing was ever sent, or the store is older than that
     */
    private record Known(SwapRow row, Optional<Intent> intent) {
        /** The transaction that locks, as far as we know it. */
        Optional<Hash256> txId() {
            return intent.map(Intent::txId).or(() -> row.acts().lockTx().map(Hash256::parse));
        }

        Optional<Outpoint> outpoint() {
            return txId().map(id -> new Outpoint(id, LockRequest.OUTPUT_INDEX));
        }
    }

    private static HtlcParams params(SwapTerms terms) {
        return new HtlcParams(
                terms.ours().key(), terms.theirs().key().orElseThrow(), terms.hashLock(), terms.timeout());
    }

    private static Amount amount(SwapTerms terms) {
        return Amount.of(terms.given().units());
    }

    private CompletionStage<Known> known(SwapRow row) {
        return chain.spending()
                .ofToken(SwapTokens.lock(row.id()))
                .thenApplyAsync(intent -> new Known(row, intent), chain.executor());
    }

    private CompletionStage<HashLockBooks.View> books(Known known) {
        SwapTerms terms = known.row().terms();
        return chain.look(new HashLockBooks.Question(
                terms.hashLock(), terms.theirs().key().orElseThrow(), amount(terms), terms.depth(), known.outpoint()));
    }

    @Override
    public CompletionStage<View> look(SwapRow row) {
        return known(row)
                .thenComposeAsync(
                        known -> books(known).thenComposeAsync(view -> seen(known, view), chain.executor()),
                        chain.executor());
    }

    private CompletionStage<View> seen(Known known, HashLockBooks.View view) {
        boolean due =
                RefundDue.onTheChain(view.tip().height(), known.row().terms().timeout());
        return mined(known, view)
                .<CompletionStage<OwnLock>>map(lock -> CompletableFuture.completedFuture(state(lock, view)))
                .orElseGet(() -> unmined(known))
                .thenApplyAsync(lock -> new View(lock, due, view.secretShown()), chain.executor());
    }

    /**
     * Our lock in a block. Anybody can make an HTLC that says it is ours, with money of his own: when we know what we have sent, only that
     * counts.
     */
    private static Optional<HashLockBooks.Found> mined(Known known, HashLockBooks.View view) {
        SwapTerms terms = known.row().terms();
        Optional<Outpoint> ours = known.outpoint();
        return view.found().stream()
                .filter(HashLockBooks.Found::isMined)
                .filter(found -> found.row().params().equals(params(terms))
                        && found.row().amount().equals(amount(terms)))
                .filter(found -> ours.isEmpty() || found.row().outpoint().equals(ours.get()))
                .findFirst();
    }

    private static OwnLock state(HashLockBooks.Found lock, HashLockBooks.View view) {
        String reference = lock.row().outpoint().toString();
        OptionalLong back = lock.takenBackAt();
        if (back.isPresent()) {
            String tx = lock.row().reclaim().orElseThrow().txId().toString();
            return new OwnLock.TakenBack(reference, tx, isFinal(view, back.getAsLong()));
        }
        OptionalLong claimed = lock.claimedAt();
        if (claimed.isPresent()) {
            String tx = lock.row().claim().orElseThrow().txId().toString();
            return new OwnLock.Claimed(reference, tx, isFinal(view, claimed.getAsLong()));
        }
        return new OwnLock.Locked(reference, lock.settledAt());
    }

    private static boolean isFinal(HashLockBooks.View view, long height) {
        return view.depth(height) >= ChainSide.FINAL_DEPTH;
    }

    /** In no block. It is lost for good when what it spends was spent otherwise, or when it was given up before anything of it was durable. */
    private CompletionStage<OwnLock> unmined(Known known) {
        if (known.intent().isEmpty()) {
            return known.row().acts().abandoning() && known.txId().isEmpty()
                    ? neverSent(known.row())
                    : CompletableFuture.completedFuture(new OwnLock.Absent());
        }
        Intent intent = known.intent().get();
        SpendingBooks.Question question = new SpendingBooks.Question(
                intent.txId(),
                intent.inputs().stream().map(coin -> coin.outpoint()).toList(),
                Optional.empty());
        return chain.spends()
                .fates(List.of(question))
                .thenApplyAsync(
                        fates -> fateOf(fates.orElseThrow(
                                () -> new IllegalStateException("the followed chain is being changed at this moment"))),
                        chain.executor());
    }

    private CompletionStage<OwnLock> neverSent(SwapRow row) {
        return chain.spending()
                .ofTokenForCertain(SwapTokens.lock(row.id()))
                .thenApplyAsync(found -> found.isEmpty() ? new OwnLock.Lost() : new OwnLock.Absent(), chain.executor());
    }

    private static OwnLock fateOf(SpendChain.Fates fates) {
        SpendingBooks.Fate fate = fates.fates().get(0);
        if (fate instanceof SpendingBooks.Fate.InBlock) {
            throw new IllegalStateException("a block has just got our lock, and the books do not show it yet");
        }
        boolean lost = fate instanceof SpendingBooks.Fate.Lost gone
                && fates.tip().height() - gone.to().place().height() + 1 >= ChainSide.FINAL_DEPTH;
        return lost ? new OwnLock.Lost() : new OwnLock.Absent();
    }

    @Override
    public CompletionStage<Optional<String>> obstacle(SwapRow row) {
        if (chain.now() >= row.terms().offer().expiresAt()) {
            return CompletableFuture.completedFuture(Optional.of("the quote has expired"));
        }
        return chain.identity()
                .genesisForSigning()
                .thenComposeAsync(genesis -> known(row), chain.executor())
                .thenComposeAsync(
                        known -> books(known).thenComposeAsync(view -> obstacle(known, view), chain.executor()),
                        chain.executor());
    }

    private CompletionStage<Optional<String>> obstacle(Known known, HashLockBooks.View view) {
        chain.requireFresh(view.tip(), limits);
        SwapTerms terms = known.row().terms();
        Optional<String> plain = outOfBounds(terms, view).or(() -> taken(known, view));
        if (plain.isPresent()) {
            return CompletableFuture.completedFuture(plain);
        }
        return mempools.otherLock(terms, known.txId())
                .thenComposeAsync(
                        other -> other.isPresent() ? CompletableFuture.completedFuture(other) : poverty(known),
                        chain.executor());
    }

    private Optional<String> outOfBounds(SwapTerms terms, HashLockBooks.View view) {
        BigInteger left = U64.toBigInteger(terms.timeout())
                .subtract(U64.toBigInteger(view.tip().height()));
        LockBounds bounds = LockBounds.of(limits, terms.direction(), terms.depth());
        return bounds.admits(left)
                ? Optional.empty()
                : Optional.of("our lock would end in " + left + " blocks; " + bounds.shortest() + " to "
                        + bounds.longest() + " are allowed");
    }

    private static Optional<String> taken(Known known, HashLockBooks.View view) {
        return view.all().stream()
                .filter(other -> known.txId().filter(other.txId()::equals).isEmpty())
                .findFirst()
                .map(other -> "there is an HTLC with this hash lock already: " + other);
    }

    /** Coins, fee and allowance of a lock that has none of them yet. */
    private CompletionStage<Optional<String>> poverty(Known known) {
        if (known.intent().filter(intent -> intent.state().inFlight()).isPresent()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return chain.htlcs()
                .simulateLock(request(known.row()))
                .handleAsync(
                        (simulation, failure) ->
                                failure == null ? Optional.<String>empty() : Optional.of(refusal(failure)),
                        chain.executor());
    }

    /** What says nothing about our coins is no reason to give a lock up. */
    private static String refusal(Throwable failure) {
        Throwable cause = Causes.of(failure);
        if (cause instanceof SpendException refused && isOurs(refused.refusal())) {
            return refused.getMessage();
        }
        throw Causes.passedOn(cause);
    }

    private static boolean isOurs(SpendRefusal refusal) {
        return refusal instanceof SpendRefusal.AllowanceExceeded
                || refusal instanceof SpendRefusal.InsufficientBalance
                || refusal instanceof SpendRefusal.InFlightExhausted
                || refusal instanceof SpendRefusal.FeeTooHigh
                || refusal instanceof SpendRefusal.DustOutput
                || refusal instanceof SpendRefusal.WalletNotFound;
    }

    private LockRequest request(SwapRow row) {
        SwapTerms terms = row.terms();
        return new LockRequest(
                terms.ours().address(),
                terms.theirs().key().orElseThrow(),
                terms.hashLock(),
                terms.timeout(),
                amount(terms),
                FeeChoice.MINIMUM,
                TransferRequest.DEFAULT_MAX_FEE,
                Optional.of(SwapTokens.lock(row.id())));
    }

    @Override
    public CompletionStage<String> sendLock(SwapRow row) {
        return known(row)
                .thenComposeAsync(
                        known -> known.intent().isEmpty() && known.txId().isPresent()
                                ? CompletableFuture.failedFuture(
                                        new IllegalStateException("the store knows nothing of our lock "
                                                + known.txId().get() + " any more; no second one is made"))
                                : chain.htlcs().lockOfSwap(request(row)),
                        chain.executor())
                .thenComposeAsync(receipt -> everywhere(receipt.txId()), chain.executor());
    }

    /** Nothing else sends it again; a node that does not take it now is asked at the next look. */
    private CompletionStage<String> everywhere(Hash256 txId) {
        return chain.spending().push(txId).handleAsync((pushed, failure) -> txId.toString(), chain.executor());
    }

    @Override
    public CompletionStage<Void> abandonLock(SwapRow row) {
        return chain.spending()
                .ofTokenForCertain(SwapTokens.lock(row.id()))
                .thenComposeAsync(
                        lock -> lock.map(intent -> instead.spend(row.id(), intent))
                                .orElseGet(() -> CompletableFuture.completedFuture(null)),
                        chain.executor());
    }

    @Override
    public CompletionStage<String> takeBack(SwapRow row) {
        return known(row)
                .thenComposeAsync(
                        known -> books(known).thenComposeAsync(view -> takeBack(known, view), chain.executor()),
                        chain.executor())
                .thenApplyAsync(Hash256::toString, chain.executor());
    }

    private CompletionStage<Hash256> takeBack(Known known, HashLockBooks.View view) {
        SwapTerms terms = known.row().terms();
        Optional<HashLockBooks.Found> open = mined(known, view).filter(HashLockBooks.Found::isOpen);
        if (open.isEmpty() || !RefundDue.onTheChain(view.tip().height(), terms.timeout())) {
            return CompletableFuture.failedFuture(new IllegalStateException("there is no lock to be taken back now"));
        }
        Outpoint lock = open.get().row().outpoint();
        TxOutput output = TxOutput.toScript(
                HtlcScript.build(params(terms)), open.get().row().amount());
        return redeeming.push(new Redeeming.Spending(
                Optional.of(ReclaimRequest.tokenOfWatchdog(lock)),
                version -> SwapTokens.takeBack(known.row().id(), lock, version),
                TxShape.EMPTY.plusPlainOutputs(1).plusReclaim().minimumFee(),
                output.value(),
                (token, fee) -> chain.htlcs()
                        .reclaimProven(
                                new ReclaimRequest(
                                        terms.ours().address(),
                                        lock,
                                        terms.theirs().key().orElseThrow(),
                                        terms.hashLock(),
                                        terms.timeout(),
                                        Optional.of(fee),
                                        Optional.of(token)),
                                output,
                                view.tip().height())));
    }
}
