package org.chainwalletd.spend;

import static org.chainwalletd.stage.Blocking.await;

import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.stage.Blocking;
import org.chainwalletd.stage.Work;
import org.chainwalletd.store.AccountSendStore;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore;
import org.chainwalletd.store.IntentStore.ConfirmedSpend;
import org.chainwalletd.store.IntentStore.LostSpend;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.IntentStore.Unconfirmation;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.PackedSpend;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.RawSendStore;
import org.chainwalletd.store.ReceiptStore;
import org.chainwalletd.store.ReceiptStore.Bound;
import org.chainwalletd.store.ReservationStore;
import org.chainwalletd.store.ScanCursors;
import org.chainwalletd.store.SpendHistory;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.SwapStore;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.store.SweepStore;
import org.chainwalletd.store.WatchStore;

/**
 * Store that encrypts the signed bytes of swap claims: they contain the swap's secret, and are durable before any node has seen them. Other
 * spends pass unchanged. Sealed bytes are bound to their row by the transaction id. The key is derived on the first such claim, so a daemon
 * without swaps never derives it.
 */
public final class SealedClaims implements Store {
    /** Prefix of the tokens of swap spends; callers cannot use it, since their tokens are printable ASCII. */
    public static final String SWAP = "swap\u00b7";

    private static final String CLAIM = "htlc_claim";
    /** Number of rows of an earlier release that are read and sealed per batch. */
    private static final int AT_A_TIME = 64;

    private final Store store;
    private final Function<Optional<Bytes>, CompletionStage<SealedRecords>> derive;
    private final ChainProfile profile;
    private final Executor threads;
    private volatile SealedRecords seals;

    private SealedClaims(
            Store store,
            Function<Optional<Bytes>, CompletionStage<SealedRecords>> derive,
            ChainProfile profile,
            Executor threads) {
        this.store = store;
        this.derive = derive;
        this.profile = profile;
        this.threads = threads;
    }

    /**
     * Seals rows that an earlier release left in clear, unless the store must not be written; complete when that is done.
     *
     * @param derive derives the seals of the swap journal with the key of its newest record, if it has one
     * @param threads for sealing and opening, which wait for the key; must not be the threads that derive it
     */
    public static CompletionStage<SealedClaims> open(
            Store store,
            Function<Optional<Bytes>, CompletionStage<SealedRecords>> derive,
            ChainProfile profile,
            Executor threads) {
        SealedClaims sealed = new SealedClaims(store, derive, profile, threads);
        return Work.on(threads, () -> {
            if (await(store.swaps().newest()).isPresent() && store.stopped().isEmpty()) {
                sealed.sealEarlierRows();
            }
            return sealed;
        });
    }

    private void sealEarlierRows() {
        List<Intent> rows = await(store.intents().inClear(CLAIM, SWAP, AT_A_TIME));
        while (!rows.isEmpty()) {
            List<CompletionStage<Void>> sealing = rows.stream()
                    .map(row -> store.intents().seal(row.txId(), sealed(row).transaction()))
                    .toList();
            sealing.forEach(Blocking::await);
            rows = await(store.intents().inClear(CLAIM, SWAP, AT_A_TIME));
        }
    }

    private SealedRecords seals() {
        SealedRecords derived = seals;
        return derived != null ? derived : derive();
    }

    private synchronized SealedRecords derive() {
        if (seals == null) {
            seals = await(derive.apply(await(store.swaps().newest()).map(SwapEntry::content)));
        }
        return seals;
    }

    /** Whether the bytes contain the secret of a swap. */
    public static boolean isSwapClaim(Intent intent) {
        return intent.kind().equals(CLAIM)
                && intent.token()
                        .filter(binding -> binding.token().startsWith(SWAP))
                        .isPresent();
    }

    private Intent sealed(Intent intent) {
        SealedRecords records = seals();
        try (SecretBytes plain = SecretBytes.takeOver(intent.transaction().toArray())) {
            return intent.holding(records.seal(plain));
        }
    }

    private Intent opened(Intent intent) {
        if (!intent.isSealed()) {
            return intent;
        }
        try (SecretBytes content = await(seals().open(intent.transaction()))) {
            byte[] plain = content.copy();
            if (!TransactionCodec.txId(profile, TransactionCodec.decode(plain)).equals(intent.txId())) {
                throw new IllegalStateException("the store holds another transaction under " + intent.txId());
            }
            return intent.holding(Bytes.wrap(plain));
        }
    }

    private CompletionStage<Optional<Intent>> one(CompletionStage<Optional<Intent>> read) {
        return read.thenApplyAsync(found -> found.map(this::opened), threads);
    }

    private CompletionStage<List<Intent>> all(CompletionStage<List<Intent>> read) {
        return read.thenApplyAsync(found -> found.stream().map(this::opened).toList(), threads);
    }

    private CompletionStage<Opening> opening(CompletionStage<Opening> asked) {
        return asked.thenApplyAsync(
                opening -> opening instanceof Opening.SameTransaction same
                        ? new Opening.SameTransaction(opened(same.there()))
                        : opening,
                threads);
    }

    private final class Intents implements IntentStore {
        private final IntentStore inner = store.intents();

        @Override
        public CompletionStage<Opening> open(Intent intent, long closedBefore, boolean capped, LongSupplier now) {
            return isSwapClaim(intent)
                    ? opening(Work.on(threads, () -> sealed(intent))
                            .thenComposeAsync(kept -> inner.open(kept, closedBefore, capped, now), threads))
                    : inner.open(intent, closedBefore, capped, now);
        }

        @Override
        public CompletionStage<Opening> openBatch(
                Intent intent, List<Long> payouts, long closedBefore, LongSupplier now) {
            return inner.openBatch(intent, payouts, closedBefore, now);
        }

        @Override
        public CompletionStage<Transition> recall(Hash256 batch, Intent recall, String reason, LongSupplier now) {
            return inner.recall(batch, recall, reason, now);
        }

        @Override
        public CompletionStage<Transition> loseForGood(Hash256 txId, IntentState before, String reason, long now) {
            return inner.loseForGood(txId, before, reason, now);
        }

        @Override
        public CompletionStage<Optional<Hash256>> lostForGood(Set<Hash256> txIds) {
            return inner.lostForGood(txIds);
        }

        @Override
        public CompletionStage<List<PackedSpend>> refused(Set<Hash256> txIds) {
            return inner.refused(txIds);
        }

        @Override
        public CompletionStage<Opening> reopen(Intent intent, boolean capped, LongSupplier now) {
            return isSwapClaim(intent) ? opening(inner.reopen(intent, capped, now)) : inner.reopen(intent, capped, now);
        }

        @Override
        public CompletionStage<Adoption> adopt(Hash256 txId) {
            return inner.adopt(txId);
        }

        @Override
        public CompletionStage<Void> signOff(Set<Hash256> txIds) {
            return inner.signOff(txIds);
        }

        /**
         * Sealed bytes cannot be opened synchronously: such a change is reported as incomplete, so that the receiver reads everything
         * again.
         */
        @Override
        public Changes changedByOthers() {
            Changes changes = inner.changedByOthers();
            List<Changed> clear = changes.spends().stream()
                    .filter(changed -> !isSwapClaim(changed.spend()))
                    .toList();
            return new Changes(
                    changes.incomplete() || clear.size() < changes.spends().size(), clear);
        }

        @Override
        public CompletionStage<Transition> accept(Hash256 txId, Set<IntentState> before, long now, boolean signsOff) {
            return inner.accept(txId, before, now, signsOff);
        }

        @Override
        public CompletionStage<Transition> failSent(
                Hash256 txId, IntentState before, IntentState outcome, String reason, long now) {
            return inner.failSent(txId, before, outcome, reason, now);
        }

        @Override
        public CompletionStage<Transition> fail(
                Hash256 txId, IntentState before, IntentState outcome, String reason, long now) {
            return inner.fail(txId, before, outcome, reason, now);
        }

        @Override
        public CompletionStage<Transition> contest(Hash256 txId, String reason, long now) {
            return inner.contest(txId, reason, now);
        }

        @Override
        public CompletionStage<List<Intent>> abandonedSince(long since) {
            return all(inner.abandonedSince(since));
        }

        @Override
        public CompletionStage<Transition> abandon(Hash256 txId, String reason, long now) {
            return inner.abandon(txId, reason, now);
        }

        @Override
        public CompletionStage<Transition> confirm(Hash256 txId, IntentState before, BlockPlace place, long now) {
            return inner.confirm(txId, before, place, now);
        }

        @Override
        public CompletionStage<Unconfirmation> unconfirm(Hash256 txId, long now) {
            return inner.unconfirm(txId, now);
        }

        @Override
        public CompletionStage<Void> bury(List<Hash256> txIds) {
            return inner.bury(txIds);
        }

        @Override
        public CompletionStage<List<LostSpend>> lost(long after, int most) {
            return inner.lost(after, most);
        }

        @Override
        public CompletionStage<List<ConfirmedSpend>> unburied() {
            return inner.unburied();
        }

        @Override
        public CompletionStage<Optional<Intent>> find(Hash256 txId) {
            return one(inner.find(txId));
        }

        @Override
        public CompletionStage<Optional<Intent>> findForCertain(Hash256 txId) {
            return one(inner.findForCertain(txId));
        }

        @Override
        public CompletionStage<List<Intent>> inFlight() {
            return all(inner.inFlight());
        }

        @Override
        public CompletionStage<Optional<Hash256>> openSpendOf(Address address) {
            return inner.openSpendOf(address);
        }

        @Override
        public CompletionStage<Integer> forget(long before, int most, Function<Intent, Optional<Bytes>> answers) {
            return inner.forget(before, most, answers);
        }

        @Override
        public CompletionStage<List<Intent>> inClear(String kind, String tokensBegin, int most) {
            return inner.inClear(kind, tokensBegin, most);
        }

        @Override
        public CompletionStage<Void> seal(Hash256 txId, Bytes sealed) {
            return inner.seal(txId, sealed);
        }
    }

    private final class Receipts implements ReceiptStore {
        private final ReceiptStore inner = store.receipts();

        @Override
        public boolean mayBeOtherThanSpends() {
            return inner.mayBeOtherThanSpends();
        }

        @Override
        public CompletionStage<Optional<Intent>> find(String token, long closedBefore) {
            return token.startsWith(SWAP) ? one(inner.find(token, closedBefore)) : inner.find(token, closedBefore);
        }

        @Override
        public CompletionStage<Optional<Bound>> bound(String token, long closedBefore) {
            if (!token.startsWith(SWAP)) {
                return inner.bound(token, closedBefore);
            }
            return inner.bound(token, closedBefore)
                    .thenApplyAsync(
                            found -> found.<Bound>map(bound -> bound instanceof Bound.ToSpend to
                                    ? new Bound.ToSpend(opened(to.spend()), to.lostForGood())
                                    : bound),
                            threads);
        }

        @Override
        public CompletionStage<List<Intent>> settled(long before, int most) {
            return inner.settled(before, most);
        }

        @Override
        public CompletionStage<Integer> keep(Map<Hash256, Bytes> answers) {
            return inner.keep(answers);
        }

        @Override
        public CompletionStage<Integer> forgetKept(long before, int most) {
            return inner.forgetKept(before, most);
        }

        @Override
        public CompletionStage<List<Long>> fingerprints(int most) {
            return inner.fingerprints(most);
        }
    }

    @Override
    public IntentStore intents() {
        return new Intents();
    }

    @Override
    public ReservationStore reservations() {
        return store.reservations();
    }

    @Override
    public ReceiptStore receipts() {
        return new Receipts();
    }

    @Override
    public SpendHistory history() {
        return store.history();
    }

    @Override
    public RawSendStore rawSends() {
        return store.rawSends();
    }

    @Override
    public PayoutStore payouts() {
        return store.payouts();
    }

    @Override
    public SweepStore sweeps() {
        return store.sweeps();
    }

    @Override
    public AllowanceStore allowance() {
        return store.allowance();
    }

    @Override
    public AccountSendStore accountSends() {
        return store.accountSends();
    }

    @Override
    public SwapStore swaps() {
        return store.swaps();
    }

    @Override
    public WatchStore watchOnly() {
        return store.watchOnly();
    }

    @Override
    public ScanCursors scans() {
        return store.scans();
    }

    @Override
    public Optional<String> stopped() {
        return store.stopped();
    }

    @Override
    public Optional<String> complaint() {
        return store.complaint();
    }

    @Override
    public boolean isShared() {
        return store.isShared();
    }

    @Override
    public void whenOthersChange(SharedRows rows, Runnable told) {
        store.whenOthersChange(rows, told);
    }

    @Override
    public CompletionStage<Void> maySend() {
        return store.maySend();
    }

    @Override
    public boolean isForgetful() {
        return store.isForgetful();
    }

    @Override
    public Optional<CommitMark> confirmed() {
        return store.confirmed();
    }

    @Override
    public Clock clock(Clock own) {
        return store.clock(own);
    }

    @Override
    public int queued() {
        return store.queued();
    }

    @Override
    public CompletionStage<Void> died() {
        return store.died();
    }

    /** Overwrites the key. The underlying store stays open. */
    public void forgetKey() {
        SealedRecords derived = seals;
        if (derived != null) {
            derived.close();
        }
    }

    @Override
    public void close() {
        store.close();
        forgetKey();
    }
}
