package org.chainwalletd.spend;

import java.math.BigInteger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.spend.plan.TransferRequest;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.testkit.Await;

/**
 * Records the wishes of callers in a {@link SpendHistory} and every transaction that leaves a daemon, and reports violations of the
 * promises. Thread-safe, except for {@link #verdict}, which is called at the end.
 */
final class SpendJudge {
    private final SpendHarness chain;
    private final Address payer;
    /** Wishes by recipient: payments that differ only in their tokens share a recipient. */
    private final Map<Address, List<Wish>> wishes = new HashMap<>();

    private final Map<Hash256, Sent> sent = new LinkedHashMap<>();
    private final Map<Hash256, Wish> owners = new HashMap<>();
    /** Spends of the payer's coins that no daemon has made. */
    private final Set<Outpoint> spentByOthers = new LinkedHashSet<>();

    private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());
    private boolean chainIsOneSided = true;

    /** Payment that one caller wants from one daemon: at most one may ever be made for it. */
    static final class Wish {
        final HistoryDaemon daemon;
        final TransferRequest request;
        private final Set<Hash256> transactions = new LinkedHashSet<>();
        private final List<CompletableFuture<Receipt>> answers = new ArrayList<>();
        /** Number of times its token has expired, so that it may pay again. */
        private int renewals;

        private Wish(HistoryDaemon daemon, TransferRequest request) {
            this.daemon = daemon;
            this.request = request;
        }

        synchronized CompletableFuture<Receipt> call() {
            CompletableFuture<Receipt> answer =
                    daemon.spends.spending.transfer(request).toCompletableFuture();
            answers.add(answer);
            return answer;
        }

        synchronized List<CompletableFuture<Receipt>> answers() {
            return List.copyOf(answers);
        }

        Address to() {
            return request.payments().get(0).to();
        }

        Amount amount() {
            return request.payments().get(0).amount().orElseThrow();
        }

        private Optional<String> token() {
            return request.clientToken();
        }

        private List<Receipt> receipts() {
            return answers().stream()
                    .filter(answer -> answer.isDone() && !answer.isCompletedExceptionally())
                    .map(Await::result)
                    .toList();
        }
    }

    /**
     * Transaction as it was first sent.
     *
     * @param senders all daemons that have sent it
     * @param at time by the clock of its first sender
     * @param forward how far that clock had been moved forward by then
     */
    private record Sent(Transaction tx, Set<HistoryDaemon> senders, long at, Duration forward) {}

    SpendJudge(SpendHarness chain, Address payer) {
        this.chain = chain;
        this.payer = payer;
    }

    synchronized Wish wish(HistoryDaemon daemon, Address to, long amount, String token) {
        Wish wish = new Wish(daemon, SpendHarness.request(payer, to, amount, token));
        wishes.computeIfAbsent(to, any -> new ArrayList<>()).add(wish);
        return wish;
    }

    synchronized List<Wish> all() {
        return wishes.values().stream().flatMap(Collection::stream).toList();
    }

    /** Recipients of payments whose callers are not answered yet. */
    synchronized List<Address> underWay(HistoryDaemon daemon) {
        return all().stream()
                .filter(wish ->
                        wish.daemon == daemon && !wish.answers().stream().allMatch(CompletableFuture::isDone))
                .map(Wish::to)
                .toList();
    }

    void complain(String what) {
        complaints.add(what);
    }

    List<String> complaints() {
        return complaints;
    }

    /** Records that a mined block may have been disconnected: a transaction that was finally lost may win again. */
    synchronized void reorganised() {
        chainIsOneSided = false;
    }

    synchronized void spentByOther(Outpoint coin) {
        spentByOthers.add(coin);
    }

    /** Sent transactions that its store has; it may never be asked again. */
    synchronized List<Hash256> knownTo(HistoryDaemon daemon) {
        sent.forEach((txId, known) -> {
            if (known.senders().contains(daemon)) {
                attribute(daemon, txId, true);
            }
        });
        return sent.keySet().stream().filter(txId -> knows(daemon, txId)).toList();
    }

    /** Entries of {@code known} that its store lacks. */
    synchronized List<Hash256> unknownTo(HistoryDaemon daemon, List<Hash256> known) {
        return known.stream().filter(txId -> !knows(daemon, txId)).toList();
    }

    /** Whether the store has the payment, completely or at least the answer of its token. */
    private boolean knows(HistoryDaemon daemon, Hash256 txId) {
        return daemon.intent(txId).isPresent()
                || Optional.ofNullable(owners.get(txId))
                        .filter(wish -> wish.daemon == daemon)
                        .flatMap(Wish::token)
                        .filter(token -> daemon.isKept(txId, token))
                        .isPresent();
    }

    /**
     * Records that it started without complaint although its store was replaced.
     *
     * @param known transactions that the store had before
     */
    void startedOver(HistoryDaemon daemon, List<Hash256> known) {
        unknownTo(daemon, known).forEach(txId -> complain("an older store was taken, which does not know " + txId));
    }

    /** Coins of transactions that the last blocks have confirmed, lowest first. */
    synchronized List<Outpoint> minedAbove(long height) {
        return sent.entrySet().stream()
                .filter(entry -> ledger().transaction(entry.getKey())
                        .filter(found -> found.blockId() != null && found.height() > height)
                        .isPresent())
                .map(entry -> entry.getValue().tx().inputs().get(0))
                .sorted()
                .toList();
    }

    private Ledger ledger() {
        return chain.devnet.ledger();
    }

    /** Records that an intent gets its share of the cap; transactions sent earlier keep the share that they had then. */
    synchronized void opens(HistoryDaemon daemon, Intent intent) {
        if (!sent.containsKey(intent.txId())) {
            daemon.uses(intent);
        }
    }

    /** Receives bytes that leave {@code daemon}. */
    synchronized void sent(HistoryDaemon daemon, Transaction tx) {
        if (!payer.equals(signer(tx))) {
            // An earlier history's last attempts may still be in progress.
            return;
        }
        Hash256 txId = TransactionCodec.txId(SpendHarness.PROFILE, tx);
        long now = daemon.spends.clock.millis();
        Sent known = sent.computeIfAbsent(txId, any -> new Sent(tx, new HashSet<>(), now, daemon.forward()));
        if (groupOf(tx).isEmpty()) {
            complain("transaction " + txId + " pays nobody that was asked for");
            return;
        }
        attribute(daemon, txId, false);
        if (!known.senders().add(daemon)) {
            return;
        }
        for (Outpoint input : tx.inputs()) {
            Hash256 before = daemon.lastUser.put(input, txId);
            if (before != null && !before.equals(txId) && !mayBeSpentAgain(daemon, before, now)) {
                complain("coin " + input + " selected by " + txId + " while " + before + " was in flight");
            }
        }
    }

    private static Address signer(Transaction tx) {
        return SpendHarness.PROFILE.addressOf(
                PublicKey.of(tx.witnesses().get(0).data().slice(0, PublicKey.LENGTH)));
    }

    private List<Wish> groupOf(Transaction tx) {
        return tx.outputs().stream()
                .map(TxOutput::address)
                .flatMap(Optional::stream)
                .map(wishes::get)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(List.of());
    }

    /**
     * Assigns a transaction to its payment: the durable intent names its token. Transactions without one cannot be distinguished, and are
     * only counted. A daemon that dies may send a last time when its store is closed, so that the intent is found only later.
     */
    private void attribute(HistoryDaemon daemon, Hash256 txId, boolean late) {
        Optional<Intent> intent = daemon.intent(txId);
        intent.flatMap(Intent::token).ifPresent(token -> attribute(daemon, txId, token.token(), late));
    }

    private void attribute(HistoryDaemon daemon, Hash256 txId, String token, boolean late) {
        Wish wish = groupOf(sent.get(txId).tx()).stream()
                .filter(known -> known.daemon == daemon && known.token().equals(Optional.of(token)))
                .findFirst()
                .orElse(null);
        if (wish == null) {
            complain("transaction " + txId + " has token " + token + ", which was never called with it");
            return;
        }
        Wish owner = owners.put(txId, wish);
        if (owner == wish) {
            return;
        }
        if (owner != null && owner.daemon == daemon) {
            // A refused spend makes room: its caller was never told that it paid, which is judged at the end.
            owner.transactions.remove(txId);
        }
        for (Hash256 earlier : wish.transactions) {
            if (!isOfAnotherDaemon(daemon, earlier)) {
                second(wish, earlier, txId, late);
            }
        }
        wish.transactions.add(txId);
    }

    private boolean isOfAnotherDaemon(HistoryDaemon daemon, Hash256 txId) {
        return sent.get(txId).senders().stream().anyMatch(sender -> sender != daemon);
    }

    /** A second transaction is allowed only for an expired token whose payment can no longer be mined and is not on the chain. */
    private void second(Wish wish, Hash256 earlier, Hash256 later, boolean late) {
        boolean old = wish.daemon.forward().minus(sent.get(earlier).forward()).compareTo(SpendHarness.RECEIPT_TTL) >= 0;
        boolean givenUp = wish.daemon.mayBeGivenUp(sent.get(earlier).tx().inputs());
        boolean open = ledger().transaction(earlier)
                .filter(found -> found.blockId() == null
                        || ledger().tip().height() - found.height() + 1 < SpendHarness.BURIAL_DEPTH)
                .isPresent();
        if (old && (givenUp || late || !open) || wish.daemon.hasForgotten(earlier)) {
            wish.renewals++;
        } else if (!excludes(earlier, later) && !isLostForGood(earlier)) {
            complain("second transaction for one token: " + earlier + " and " + later);
        }
    }

    /** Whether no chain can contain both. */
    private boolean excludes(Hash256 earlier, Hash256 later) {
        return sent.get(earlier).tx().inputs().stream()
                .anyMatch(sent.get(later).tx().inputs()::contains);
    }

    /** Whether another transaction spends a coin of it, too deep for a reorganisation. */
    private boolean isLostForGood(Hash256 txId) {
        return sent.get(txId).tx().inputs().stream()
                .map(ledger()::spentBy)
                .flatMap(Optional::stream)
                .anyMatch(spender -> !spender.txId().equals(txId)
                        && ledger().tip().height() - spender.height() + 1 >= SpendHarness.BURIAL_DEPTH);
    }

    /**
     * Whether the coins of a spend may be chosen again. They are free after it failed, was abandoned, or timed out without being in a
     * mempool. Coins that a reorganisation returned are not: they belong to the spend that will be resent. Coins of a buried spend are not
     * held: a node that lags that far can list one, but no node accepts it.
     */
    private boolean mayBeSpentAgain(HistoryDaemon daemon, Hash256 txId, long now) {
        long ttl = SpendHistory.RESERVATION_TTL.toMillis();
        return daemon.disk.wasClosed(txId)
                || daemon.isBuried(txId)
                || daemon.stateOf(txId)
                        .map(state -> !state.inFlight() && !state.succeeded())
                        .orElse(true)
                || Math.abs(now - sent.get(txId).at()) >= ttl
                || daemon.forward().toMillis() >= ttl;
    }

    /** Whether every receipt given for it is backed by a payment that the daemon knows. */
    boolean isSettled(Wish wish) {
        return wish.receipts().stream().map(Receipt::txId).distinct().allMatch(txId -> isSettled(wish, txId));
    }

    private boolean isSettled(Wish wish, Hash256 txId) {
        IntentState state = wish.daemon.stateOf(txId).orElse(null);
        if (chain.isMined(txId) && (state == null || isToldRight(wish.daemon, txId))) {
            return true;
        }
        if (wish.daemon.hasForgotten(txId)) {
            return true;
        }
        Transaction tx = sent.containsKey(txId) ? sent.get(txId).tx() : null;
        boolean givenUp = tx != null && tx.inputs().stream().anyMatch(wish.daemon.givenUp::contains);
        return (state == null || state == IntentState.ABANDONED) && givenUp
                || (state == null || state == IntentState.CONFLICTED) && tx != null && isBeaten(txId, tx);
    }

    /** Otherwise a reorganisation has not been reported yet; it puts the payment back before finding it in another block. */
    private boolean isToldRight(HistoryDaemon daemon, Hash256 txId) {
        Optional<Hash256> told = daemon.blockOf(txId);
        return told.isPresent()
                ? told.equals(ledger().transaction(txId).map(found -> found.blockId()))
                : daemon.isBuried(txId);
    }

    /** Whether another party could have spent one of its coins, or one of them is permanently missing. */
    private synchronized boolean isBeaten(Hash256 txId, Transaction tx) {
        return tx.inputs().stream()
                .anyMatch(input -> spentByOthers.contains(input)
                        || ledger().transaction(input.txId()).isEmpty()
                        || sent.entrySet().stream()
                                .anyMatch(other -> !other.getKey().equals(txId)
                                        && other.getValue().tx().inputs().contains(input)));
    }

    /** Judges the end, when nothing is in flight any more. */
    synchronized void verdict(List<HistoryDaemon> daemons) {
        sent.forEach((txId, known) -> known.senders().forEach(daemon -> attribute(daemon, txId, true)));
        all().forEach(this::judge);
        wishes.forEach(this::judgeGroup);
        daemons.forEach(this::judgeCap);
        oneOwnerEach();
        daemons.forEach(this::judgeStates);
    }

    private void judge(Wish wish) {
        if (!isSettled(wish)) {
            complain("acknowledged, but neither on the chain nor closed: "
                    + wish.receipts().stream()
                            .map(receipt -> receipt.txId() + " " + wish.daemon.stateOf(receipt.txId()))
                            .distinct()
                            .toList());
        }
        if (wish.token().isPresent()) {
            wish.receipts().stream()
                    .map(Receipt::txId)
                    .filter(txId ->
                            owners.containsKey(txId) && !wish.transactions.contains(txId) && !isForgotten(wish, txId))
                    .forEach(txId -> complain("the receipt names a transaction that is not its token's: " + txId));
        }
        wish.receipts().forEach(this::judgeFee);
        if (wish.token().isEmpty() && !wish.daemon.isLiedTo()) {
            judgeRefusal(wish);
        }
    }

    /** A payment that was plainly refused must not have been made. */
    private void judgeRefusal(Wish wish) {
        CompletableFuture<Receipt> answer = wish.answers().get(0);
        List<Wish> group = wishes.get(wish.to());
        if (group.size() > 1 || !answer.isCompletedExceptionally() || answer.isCancelled()) {
            return;
        }
        Throwable failure = failureOf(answer);
        if (!isOpen(failure) && paid(wish.to(), wish.amount()) > 0) {
            complain("paid, although its caller was told: " + failure);
        }
    }

    /** Whether the answer leaves open that the payment may still be made; the winner of a double spend may be disconnected. */
    private boolean isOpen(Throwable failure) {
        if (!(failure instanceof SpendException refused)) {
            return false;
        }
        return refused.refusal() instanceof SpendRefusal.OutcomeUnknown
                || refused.refusal() instanceof SpendRefusal.Contested
                || refused.refusal() instanceof SpendRefusal.DoubleSpend && !chainIsOneSided;
    }

    private static Throwable failureOf(CompletableFuture<?> answer) {
        try {
            Await.result(answer);
            return null;
        } catch (CompletionException e) {
            return e.getCause();
        }
    }

    /** The fee in the receipt must equal the fee of the bytes: no node's claim may raise it. */
    private void judgeFee(Receipt receipt) {
        Sent known = sent.get(receipt.txId());
        if (known == null || !chain.isMined(receipt.txId())) {
            return;
        }
        Amount in = known.tx().inputs().stream().map(this::valueOf).reduce(Amount.ZERO, Amount::plus);
        Amount out = known.tx().outputs().stream().map(TxOutput::value).reduce(Amount.ZERO, Amount::plus);
        if (!in.equals(out.plus(receipt.fee()))) {
            complain("transaction " + receipt.txId() + " pays another fee than its receipt tells: " + receipt.fee());
        }
    }

    private Amount valueOf(Outpoint coin) {
        return ledger().transaction(coin.txId())
                .orElseThrow()
                .tx()
                .outputs()
                .get((int) coin.index())
                .value();
    }

    private long paid(Address to, Amount amount) {
        return chain.coins(to).stream()
                .filter(coin -> coin.value().equals(amount))
                .count();
    }

    /** Asserts that no more payments were made than requested, each at most once. */
    private void judgeGroup(Address to, List<Wish> group) {
        long most = group.stream().mapToLong(wish -> 1L + wish.renewals).sum();
        long paid = paid(to, group.get(0).amount());
        if (paid > most) {
            complain("paid " + paid + " times for " + most + " payments: "
                    + group.stream().map(wish -> wish.transactions).toList() + ", of all that was sent "
                    + sentTo(to));
        }
    }

    private List<String> sentTo(Address to) {
        return sent.entrySet().stream()
                .filter(entry ->
                        entry.getValue().tx().outputs().get(0).address().equals(Optional.of(to)))
                .map(entry -> entry.getKey().hex().substring(0, 8) + " at "
                        + entry.getValue().at() + " after "
                        + entry.getValue().forward() + (chain.isMined(entry.getKey()) ? " mined" : "") + " "
                        + owners.containsKey(entry.getKey()))
                .toList();
    }

    /**
     * No transaction may be reported for two payments, of one daemon or of two. Exception: without change, two daemons with one key that
     * make the same payment from the same coins cannot differ.
     */
    private void oneOwnerEach() {
        Map<Hash256, Wish> receivers = new HashMap<>();
        for (Wish wish : all()) {
            for (Receipt receipt : wish.receipts()) {
                Wish other = receivers.put(receipt.txId(), wish);
                boolean byChance = other != null && other.daemon != wish.daemon && !hasChange(receipt);
                if (other != null && other != wish && !byChance && !isForgotten(wish, receipt.txId())) {
                    complain("one transaction acknowledged to two payments: " + receipt.txId());
                }
            }
        }
    }

    /**
     * Whether its operator abandoned it so long ago that its token and its acknowledgement are forgotten: if there is only one coin, the
     * next identical payment has the same bytes.
     */
    private boolean isForgotten(Wish wish, Hash256 txId) {
        Sent known = sent.get(txId);
        return known != null
                && wish.daemon.mayBeGivenUp(known.tx().inputs())
                && wish.daemon.forward().minus(known.forward()).compareTo(SpendHarness.RECEIPT_TTL) >= 0;
    }

    private static boolean hasChange(Receipt receipt) {
        return receipt.outputs().stream().anyMatch(Receipt.PaidOutput::change);
    }

    /** Mined transactions of a daemon never exceeded its cap, by that daemon's own clock. */
    private void judgeCap(HistoryDaemon daemon) {
        Optional<Amount> cap = daemon.spends.limits.perPeriod();
        if (cap.isEmpty()) {
            return;
        }
        for (HistoryDaemon.Use use : daemon.uses()) {
            BigInteger sum = use.window().stream()
                    .filter(counted -> chain.isMined(counted.txId()) && isOnlyOf(daemon, counted.txId()))
                    .map(counted -> counted.amount().toBigInteger())
                    .reduce(BigInteger.ZERO, BigInteger::add);
            if (chain.isMined(use.txId()) && sum.compareTo(cap.get().toBigInteger()) > 0) {
                complain(
                        "the cap of " + cap.get() + " is exceeded: " + sum + " with " + use + " after " + use.window());
            }
        }
    }

    private boolean isOnlyOf(HistoryDaemon daemon, Hash256 txId) {
        return sent.get(txId).senders().equals(Set.of(daemon));
    }

    /** Only payments that the operator released may be abandoned, and no payment closed without success may be on the chain. */
    private void judgeStates(HistoryDaemon daemon) {
        for (Hash256 txId : sent.keySet()) {
            Optional<Intent> intent = daemon.intent(txId);
            if (intent.isEmpty()) {
                continue;
            }
            IntentState state = intent.get().state();
            if (state == IntentState.ABANDONED && !daemon.isAbandoned(intent.get())) {
                complain("spend " + txId + " is abandoned, although nothing of it was released");
            }
            boolean lost = state == IntentState.CONFLICTED || state == IntentState.REFUSED && !daemon.isLiedTo();
            if (lost && chainIsOneSided && chain.isMined(txId) && isOnlyOf(daemon, txId)) {
                complain("spend " + txId + " is " + state + " and mined");
            }
        }
    }
}
