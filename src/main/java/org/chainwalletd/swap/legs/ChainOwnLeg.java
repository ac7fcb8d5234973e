package org.chainwalletd.swap.legs;

import static org.chainwalletd.stage.Blocking.await;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.chain.U64;
import org.chainwalletd.htlc.HashLockBooks;
import org.chainwalletd.htlc.LockRequest;
import org.chainwalletd.htlc.ReclaimRequest;
import org.chainwalletd.node.Bounded;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.spend.SealedClaims;
import org.chainwalletd.spend.SpendChain;
import org.chainwalletd.spend.plan.FeeChoice;
import org.chainwalletd.spend.plan.ParameterDigest;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.ReturnPlan;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.spend.plan.TransferRequest;
import org.chainwalletd.stage.Outcome;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.TokenBinding;
import org.chainwalletd.store.books.SpendingBooks;
import org.chainwalletd.swap.gates.LockBounds;
import org.chainwalletd.swap.gates.SwapLimits;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.swap.gates.SwapRow.RefundDue;
import org.chainwalletd.swap.gates.SwapTerms;
import org.chainwalletd.swap.legs.Legs.OwnLeg;
import org.chainwalletd.swap.legs.Redeeming.ChainFee;
import org.chainwalletd.swap.pool.Pool;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Our lock of a sell: an HTLC on the chain that the pool may claim. Its state, including that it can never be mined any more, is read only from the
 * daemon's own books. Whatever is sent is an intent first and counts against the allowance like every payment; the lock is rebroadcast only when
 * the engine asks for it.
 *
 * @param pool notified of our lock, which it could also find by itself. Nothing waits for or depends on the notification
 */
public record ChainOwnLeg(ChainSide chain, SwapLimits limits, Optional<Pool> pool) implements OwnLeg {
    private static final Logger LOG = LoggerFactory.getLogger(ChainOwnLeg.class);
    private static final Duration PAUSE = Duration.ofSeconds(30);

    /**
     * Facts known before the chain's books are read.
     *
     * @param intent of our lock; empty when nothing was ever sent, or when the store is older than the lock
     */
    private record Known(SwapRow row, Optional<Intent> intent) {
        /** Returns the id of the locking transaction, if known. */
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

    private Known known(SwapRow row) {
        return new Known(row, await(chain.spending().ofToken(SwapTokens.lock(row.id()))));
    }

    private HashLockBooks.View books(Known known) {
        SwapTerms terms = known.row().terms();
        return chain.look(new HashLockBooks.Question(
                terms.hashLock(), terms.theirs().key().orElseThrow(), amount(terms), terms.depth(), known.outpoint()));
    }

    @Override
    public View look(SwapRow row) {
        Known known = known(row);
        HashLockBooks.View view = books(known);
        boolean due = RefundDue.onTheChain(view.tip().height(), row.terms().timeout());
        Optional<HashLockBooks.Found> mined = mined(known, view);
        OwnLock lock = mined.map(found -> state(found, view)).orElseGet(() -> unmined(known));
        // Repeated until the pool has locked too, because it may have been down or may have lost the notification.
        // The row does not name the transaction when the process died after the broadcast and the first observation
        // afterwards found it in a block.
        if (row.poolLock() instanceof PoolLock.Absent && lock instanceof OwnLock.Locked && !due) {
            mined.ifPresent(found -> announce(row, found.row().outpoint().txId()));
        }
        return new View(lock, due, view.secretShown());
    }

    private void announce(SwapRow row, Hash256 lock) {
        pool.ifPresent(notified -> notified.notifyChainLock(row.poolSwapId(), lock)
                .exceptionallyAsync(
                        failure -> {
                            LOG.info(
                                    "swap {}: the pool could not be notified of our lock: {}",
                                    row.id(),
                                    failure.toString());
                            return null;
                        },
                        chain.executor()));
    }

    /**
     * Returns our lock if it is in a block. Anybody can fund an HTLC with the same parameters, so when we know what we have sent, only that output
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
            return new OwnLock.TakenBack(reference, tx, ChainSide.isFinal(view, back.getAsLong()));
        }
        OptionalLong claimed = lock.claimedAt();
        if (claimed.isPresent()) {
            String tx = lock.row().claim().orElseThrow().txId().toString();
            return new OwnLock.Claimed(reference, tx, ChainSide.isFinal(view, claimed.getAsLong()));
        }
        return new OwnLock.Locked(reference, lock.settledAt());
    }

    /**
     * Returns the state of a lock that is in no block. It is finally lost when another transaction has spent one of its inputs, or when it was
     * abandoned before any part of it was durable.
     */
    private OwnLock unmined(Known known) {
        if (known.intent().isEmpty()) {
            if (known.row().ownLock() instanceof OwnLock.Lost && known.txId().isPresent()) {
                // The store deletes a final spend, which may happen before the row is observed for the last time.
                return known.row().ownLock();
            }
            boolean isNeverSent = known.row().acts().abandoning()
                    && known.txId().isEmpty()
                    && await(chain.spending()
                                    .ofTokenForCertain(
                                            SwapTokens.lock(known.row().id())))
                            .isEmpty();
            return isNeverSent ? new OwnLock.Lost() : new OwnLock.Absent();
        }
        Intent intent = known.intent().get();
        SpendingBooks.Question question = new SpendingBooks.Question(
                intent.txId(),
                intent.inputs().stream().map(coin -> coin.outpoint()).toList(),
                Optional.empty());
        return fateOf(await(chain.spends().fates(List.of(question)))
                .orElseThrow(() -> new IllegalStateException("the followed chain is being changed at this moment")));
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
    public Optional<String> obstacle(SwapRow row) {
        if (chain.now() >= row.terms().offer().expiresAt()) {
            return Optional.of("the quote has expired");
        }
        await(chain.identity().genesisForSigning());
        Known known = known(row);
        HashLockBooks.View view = books(known);
        chain.requireFresh(view.tip(), limits);
        SwapTerms terms = row.terms();
        return outOfBounds(terms, view)
                .or(() -> taken(known, view))
                .or(() -> new ChainMempools(chain).otherLock(terms, known.txId()))
                .or(() -> shortage(known));
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

    /** Returns the refusal for lack of coins, fee or allowance, of a lock that holds none of them yet. */
    private Optional<String> shortage(Known known) {
        if (known.intent().filter(intent -> intent.state().inFlight()).isPresent()) {
            return Optional.empty();
        }
        try {
            await(chain.htlcs().simulateLock(request(known.row())));
            return Optional.empty();
        } catch (SpendException e) {
            // A refusal for a reason other than our funds must not abandon a lock.
            if (isOurs(e.refusal())) {
                return Optional.of(e.getMessage());
            }
            throw e;
        }
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
    public String sendLock(SwapRow row, BooleanSupplier mayBegin) {
        Known known = known(row);
        if (known.intent().isEmpty() && known.txId().isPresent()) {
            throw new IllegalStateException(
                    "the store knows nothing of our lock " + known.txId().get() + " any more; no second one is made");
        }
        Hash256 txId = await(chain.htlcs().lockOfSwap(request(row), mayBegin)).txId();
        try {
            await(chain.spending().push(txId));
        } catch (RuntimeException e) {
            // Nothing else rebroadcasts it; a node that refuses it now gets it again in the next round.
            LOG.debug("swap {}: {} was not broadcast to all nodes: {}", row.id(), txId, e.toString());
        }
        announce(row, txId);
        return txId.toString();
    }

    /**
     * Spends an input of our lock back to ourselves, once, however often this is called. The lock is first marked in the store as no longer ours to
     * send; a mempool may have it nevertheless, and then a block decides between the two.
     */
    @Override
    public void abandonLock(SwapRow row) {
        Optional<Intent> lock = await(chain.spending().ofTokenForCertain(SwapTokens.lock(row.id())));
        Optional<Intent> before = lock.flatMap(any -> await(chain.spending().ofToken(SwapTokens.instead(row.id()))));
        // A replacement that a mempool has just rejected because it has the lock is not sent in every round.
        if (lock.isEmpty() || before.filter(this::wasJustRefused).isPresent()) {
            return;
        }
        if (!isAbandoned(lock.get(), before.isPresent())) {
            throw new IllegalStateException(
                    "the lock " + lock.get().txId() + " is being sent or is in a block at this moment");
        }
        Receipt receipt = await(chain.spending().spend(instead(row.id(), lock.get())));
        await(chain.spending().push(receipt.txId()));
    }

    private boolean wasJustRefused(Intent before) {
        return before.state().failed() && chain.clock().millis() - before.changedAt() < PAUSE.toMillis();
    }

    /**
     * Abandons a lock in flight. Repeats this for an abandoned lock while its replacement was not begun, because an earlier attempt may have ended
     * before the lock's coins were kept for the replacement.
     */
    private boolean isAbandoned(Intent lock, boolean begun) {
        return lock.state().inFlight() || lock.state() == IntentState.ABANDONED && !begun
                ? await(chain.spending().abandon(lock.txId()))
                : lock.state() != IntentState.CONFIRMED;
    }

    /** Builds a spend of one input of the lock: that is enough to keep the lock out of every later block. */
    private static ReturnPlan instead(String swap, Intent lock) {
        Coin coin = lock.inputs().stream()
                .max(Comparator.comparing(Coin::value).thenComparing(Coin::outpoint))
                .orElseThrow();
        Amount fee = ChainFee.of(ReturnPlan.minimumFee(), coin.value(), 1);
        Hash256 digest = new ParameterDigest(StandIns.SWAP_INSTEAD_OF_LOCK)
                .put(lock.from().toArray())
                .put(coin.outpoint().txId().toArray())
                .putNumber(coin.outpoint().index())
                .putNumber(fee.bits())
                .finish();
        return new ReturnPlan(
                StandIns.SWAP_INSTEAD_OF_LOCK,
                lock.from(),
                coin,
                fee,
                lock.builtAtHeight(),
                Optional.of(new TokenBinding(SwapTokens.instead(swap), digest)));
    }

    @Override
    public String takeBack(SwapRow row) {
        Known known = known(row);
        HashLockBooks.View view = books(known);
        SwapTerms terms = known.row().terms();
        Optional<HashLockBooks.Found> open = mined(known, view).filter(HashLockBooks.Found::isOpen);
        if (open.isEmpty() || !RefundDue.onTheChain(view.tip().height(), terms.timeout())) {
            throw new IllegalStateException("there is no lock to be taken back now");
        }
        Outpoint lock = open.get().row().outpoint();
        TxOutput output = TxOutput.toScript(
                HtlcScript.build(params(terms)), open.get().row().amount());
        Hash256 txId = new Redeeming(
                        chain,
                        Optional.of(ReclaimRequest.tokenOfWatchdog(lock)),
                        version -> SwapTokens.takeBack(known.row().id(), lock, version),
                        TxShape.EMPTY.plusPlainOutputs(1).plusReclaim().minimumFee(),
                        output.value(),
                        view.tip().height(),
                        (token, fee) -> await(chain.htlcs()
                                .redeemProven(
                                        new ReclaimRequest(
                                                terms.ours().address(),
                                                lock,
                                                terms.theirs().key().orElseThrow(),
                                                terms.hashLock(),
                                                terms.timeout(),
                                                Optional.of(fee),
                                                Optional.empty(),
                                                Optional.of(token)),
                                        output,
                                        view.tip().height(),
                                        () -> true)))
                .push();
        return txId.toString();
    }

    /**
     * Tokens of a swap's transactions on the chain: the same for the same act of the same swap, also after a restart. Callers cannot use them,
     * since their tokens are printable ASCII. The store recognises by the token of a claim that its bytes have to be sealed.
     */
    public static final class SwapTokens {
        private static final String SWAP = SealedClaims.SWAP;

        private SwapTokens() {}

        static String lock(String swap) {
            return SWAP + swap + "\u00b7lock";
        }

        /** Returns the token of the transaction that spends an input of the lock instead. */
        public static String instead(String swap) {
            return SWAP + swap + "\u00b7instead";
        }

        /** @param version 1 for the first send */
        static String claim(String swap, Outpoint lock, int version) {
            return SWAP + swap + "\u00b7claim\u00b7" + lock + "\u00b7" + version;
        }

        /** @param version 1 for the first send */
        static String takeBack(String swap, Outpoint lock, int version) {
            return SWAP + swap + "\u00b7reclaim\u00b7" + lock + "\u00b7" + version;
        }
    }

    /**
     * Searches the mempools of all nodes for HTLCs with a swap's hash lock, among the transactions of the swap's addresses, because no node indexes
     * its mempool by script. Fails only when no node answers.
     */
    public record ChainMempools(ChainSide chain) {
        private static final int AT_ONCE = 8;
        /** Maximum number of transactions examined per node. */
        private static final int MOST = 64;

        /** @param own our lock's transaction, which is allowed to have that hash lock */
        Optional<String> otherLock(SwapTerms terms, Optional<Hash256> own) {
            List<Address> parties = new ArrayList<>(List.of(terms.ours().address()));
            terms.theirs().key().map(chain.profile()::addressOf).ifPresent(parties::add);
            return judged(await(Bounded.each(
                    chain.node().each(), AT_ONCE, one -> search(one, parties, terms, own), chain.executor())));
        }

        /** @param results per node, the first lock in its mempool, if there is one */
        private static Optional<String> judged(List<Outcome<Optional<Hash256>>> results) {
            Optional<Hash256> lock = results.stream()
                    .flatMap(one -> one.value().flatMap(Function.identity()).stream())
                    .findFirst();
            List<Throwable> failures =
                    results.stream().flatMap(one -> one.failure().stream()).toList();
            if (lock.isEmpty() && failures.size() == results.size()) {
                throw new NodeException.Unreachable("no node shows its mempool: "
                        + failures.stream().findFirst().map(Throwable::toString).orElse(""));
            }
            return lock.map(txId -> "an HTLC with this hash lock waits in a mempool: " + txId);
        }

        private CompletionStage<Outcome<Optional<Hash256>>> search(
                NodeClient one, List<Address> parties, SwapTerms terms, Optional<Hash256> own) {
            return one.addressMempools(parties)
                    .thenComposeAsync(
                            mempools -> Bounded.first(
                                    mempools.stream()
                                            .flatMap(mempool -> mempool.entries().stream())
                                            .map(NodeClient.MempoolEntry::txId)
                                            .filter(txId ->
                                                    own.filter(txId::equals).isEmpty())
                                            .distinct()
                                            .limit(MOST)
                                            .toList(),
                                    txId -> lockIn(one, txId, terms.hashLock()),
                                    chain.executor()),
                            chain.executor())
                    .handleAsync(Outcome::of, chain.executor());
        }

        private CompletionStage<Optional<Hash256>> lockIn(NodeClient one, Hash256 txId, Hash256 hashLock) {
            return one.transaction(txId)
                    .thenApplyAsync(
                            found -> found.filter(tx -> locks(tx.decode(chain.profile()), hashLock))
                                    .map(tx -> txId),
                            chain.executor());
        }

        private static boolean locks(Transaction tx, Hash256 hashLock) {
            return tx.outputs().stream()
                    .flatMap(output -> HtlcScript.recognise(output.script()).stream())
                    .anyMatch(params -> params.hashLock().equals(hashLock));
        }
    }
}
