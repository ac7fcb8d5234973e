package org.chainwalletd.spend;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.keyring.Signer.Signature;
import org.chainwalletd.spend.Broadcast.BroadcastOutcome;
import org.chainwalletd.spend.plan.Draft;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendPlan;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one spend from the call to its end. Each method is a state, named after it; it moves to the next state or ends at the
 * {@link SpendRunner}. Only one step runs at a time, so no locks are needed.
 *
 * <p>Affording → gathering → choosing → (looking at the mempool) → proving → signing → (looking for a twin) → opening the intent; then
 * {@link Sent}: sending → outcome. Until the intent is open, nothing is durable and nothing has been sent. A spend that already has an
 * intent starts as a {@link ResumedSpend}.
 */
final class Spend {
    private static final Logger LOG = LoggerFactory.getLogger(Spend.class);

    private static final int MAX_COLLISIONS = 4;
    /** Time for which a call may keep choosing other coins because concurrent spends took its coins first. */
    private static final Duration COLLISION_TIMEOUT = Duration.ofSeconds(20);
    /**
     * Minimum number of equally good transactions to pick from so that two daemons making the same payment at once rarely build the same
     * one.
     */
    private static final int ENOUGH_ALTERNATIVES = 8;
    /** Maximum number of times one call rebuilds a payment, so that a node listing full of spent coins does not keep it busy. */
    private static final int MAX_REBUILDS = 4;

    private final SpendRunner runner;
    private final SpendEnvironment env;
    private final SpendPlan plan;
    /** Number of times this call has rebuilt the payment because another transaction had taken one of its coins. */
    private final int rebuilt;
    /** Earlier spend of the same payment that lost against a conflicting transaction; empty for the first attempt. */
    private final Optional<Lost> lost;

    private final Set<Outpoint> excluded = new HashSet<>();
    private SpendRunner.Gathered gathered;
    private CoinDoubts doubts;
    private boolean suspect;
    private boolean mempoolAsked;
    private boolean mempoolSeen;
    private int collisions;
    /** {@link System#nanoTime} of the first collision with a coin of another spend. */
    private OptionalLong firstCollision = OptionalLong.empty();
    /** Refusal to return when no other coins are left; null before the first collision. */
    private SpendRefusal collisionRefusal;

    private Spend(SpendRunner runner, SpendPlan plan, int rebuilt, Optional<Lost> lost) {
        this.runner = runner;
        this.env = runner.env();
        this.plan = plan;
        this.rebuilt = rebuilt;
        this.lost = lost;
    }

    /**
     * Earlier spend of the same payment, which lost against a conflicting transaction.
     *
     * @param forGood whether no reorganisation is expected to bring it into a block
     * @param why text of the reason why it lost
     */
    record Lost(Intent intent, boolean forGood, String why) {}

    static void begin(SpendRunner runner, SpendPlan plan) {
        new Spend(runner, plan, 0, Optional.empty()).affording();
    }

    /**
     * Makes a payment again in place of a lost spend, which the store already records as lost. Both belong to the same token, and the store
     * accepts the new spend only if the two cannot both be mined.
     *
     * @param plan plan of the new spend
     * @param rebuilt number of times this call has rebuilt the payment, including this time
     */
    static void again(SpendRunner runner, SpendPlan plan, int rebuilt, Lost lost) {
        new Spend(runner, plan, rebuilt, Optional.of(lost)).gathering();
    }

    /**
     * Ends because the payment cannot be made. While an earlier, lost spend may still be mined after all, the caller is told that the
     * outcome is unknown.
     */
    private void notMade(Throwable failure) {
        runner.refused(lost.filter(known -> !known.forGood())
                .<Throwable>map(known -> SpendRunner.unknown(
                        known.intent(), known.why() + "; it is not paid otherwise yet: " + causeText(failure)))
                .orElse(failure));
    }

    private static String causeText(Throwable failure) {
        return failure instanceof SpendException known && known.refusal() instanceof SpendRefusal.OutcomeUnknown unknown
                ? unknown.cause()
                : Broadcast.messageOf(failure);
    }

    private void notMade(SpendRefusal refusal) {
        notMade(new SpendException(refusal));
    }

    /** Refusal of a spend whose purpose ended before its intent was opened. */
    static SpendRefusal ended() {
        return new SpendRefusal.BuildFailed("its part of the sweep has ended");
    }

    private void affording() {
        try {
            plan.check();
            env.requireAllowed(plan, plan.leaving());
        } catch (SpendException e) {
            runner.refused(e);
            return;
        }
        gathering();
    }

    private void gathering() {
        runner.ask(
                () -> runner.gather(plan),
                found -> {
                    gathered = found;
                    doubts = new CoinDoubts(plan, found.candidates());
                    choosing();
                },
                this::notMade);
    }

    private void choosing() {
        Set<Outpoint> unwanted = doubts.excluded();
        unwanted.addAll(excluded);
        runner.ask(
                () -> runner.choose(plan, gathered.candidates(), unwanted, lost.isPresent()),
                this::chosen,
                failure -> notMade(failure instanceof RuntimeException why ? explained(why) : failure));
    }

    /** Does not report insufficient balance when the only reason is that another payment is the same transaction with these coins. */
    private RuntimeException explained(RuntimeException why) {
        RuntimeException explained = doubts.explain(why);
        boolean insufficient = explained instanceof SpendException known
                && known.refusal() instanceof SpendRefusal.InsufficientBalance;
        return insufficient && collisionRefusal != null ? new SpendException(collisionRefusal) : explained;
    }

    private void chosen(Reservations.Choice choice) {
        suspect = choice.suspect();
        boolean worthAsking = choice.draft().spare() || env.drawing().marks() && plan.isPayout();
        if (suspect && worthAsking && !mempoolAsked) {
            lookingAtMempool(choice.draft());
        } else {
            proving(choice.draft());
        }
    }

    /**
     * Continues with other coins because foreign transactions spend the chosen ones. When other daemons share the key, these transactions
     * may be the same payment made by another daemon: if no other coins are left, the caller is told to try again later.
     */
    private void avoidForeign(Draft draft, Set<Outpoint> foreign) {
        if (env.drawing().marks()) {
            List<Coin> taken = draft.inputs().stream()
                    .filter(coin -> foreign.contains(coin.outpoint()))
                    .toList();
            collisionRefusal = new SpendRefusal.InFlightExhausted(SpendRefusal.Shortage.ofTaken(draft, taken));
        }
        choosing();
    }

    /**
     * Asks for the mempool's spends of the address, because nodes also list outputs that their mempool already spends. Our own spends are
     * known from the reservations, so this is asked only while another party may be spending from the address: at its first spend after a
     * start, and after a conflict. With marked change, another daemon's transaction for the same payment differs from ours; only this
     * question reveals it.
     */
    private void lookingAtMempool(Draft draft) {
        mempoolAsked = true;
        Set<Outpoint> chosen = outpoints(draft);
        runner.ask(
                () -> runner.lookAtMempool(plan.from(), chosen),
                foreign -> {
                    mempoolSeen = true;
                    excluded.addAll(foreign);
                    if (chosen.stream().anyMatch(foreign::contains)) {
                        avoidForeign(draft, foreign);
                    } else {
                        proving(draft);
                    }
                },
                failure -> proving(draft));
    }

    /**
     * Verifies the listed coins against transaction bytes: at once when the bytes are known here, otherwise after one more round of
     * requests.
     */
    private void proving(Draft draft) {
        CoinDoubts.Verdict verdict = doubts.judge(draft, env.outputs());
        if (verdict instanceof CoinDoubts.Unseen unseen) {
            runner.ask(
                    () -> env.outputs().find(unseen.outpoints()),
                    found -> judged(draft, doubts.judge(draft, found)),
                    this::notMade);
        } else {
            judged(draft, verdict);
        }
    }

    private void judged(Draft draft, CoinDoubts.Verdict verdict) {
        if (!(verdict instanceof CoinDoubts.Doubted doubted)) {
            signing(draft);
            return;
        }
        doubts.report(doubted, env.metrics());
        if (doubts.mayChooseAgain()) {
            choosing();
        } else {
            notMade(doubts.tooManyDoubts());
        }
    }

    private void signing(Draft draft) {
        byte[] message = TransactionCodec.signingMessage(env.profile(), gathered.genesis(), draft.unsigned());
        signing(draft, message, plan.signers(draft), new ArrayList<>());
    }

    /** Signs with one key after the other, because unsealing a key takes 64 MiB. */
    private void signing(Draft draft, byte[] message, List<Address> signers, List<Signature> signatures) {
        runner.ask(
                () -> runner.sign(signers.get(signatures.size()), message),
                signature -> {
                    signatures.add(signature);
                    if (signatures.size() < signers.size()) {
                        signing(draft, message, signers, signatures);
                    } else {
                        signed(draft, signatures);
                    }
                },
                this::notMade);
    }

    private void signed(Draft draft, List<Signature> signatures) {
        Intent intent = intentOf(env, plan, draft, signatures);
        boolean mayHaveTwin = suspect && !mempoolSeen && plan.isPayout() && draft.ways() < ENOUGH_ALTERNATIVES;
        if (mayHaveTwin) {
            lookingForTwin(draft, intent);
        } else {
            opening(draft, intent);
        }
    }

    /**
     * Asks the nodes for this very transaction before it is sent. Another daemon with this key that makes the same payment had hardly any other
     * transaction to choose, and once ours is sent, it can no longer be determined whose payment the transaction is. Asked only when the mempool
     * was not examined and another party may be spending from the address.
     */
    private void lookingForTwin(Draft draft, Intent intent) {
        runner.ask(
                () -> runner.findTwin(intent),
                there -> {
                    if (there) {
                        otherCoins(draft, intent, new Opening.SameTransaction(intent));
                    } else {
                        opening(draft, intent);
                    }
                },
                failure -> opening(draft, intent));
    }

    /**
     * Writes the intent. If it is unknown whether the store wrote the intent, the spend ends as doubtful: if the intent is on disk after all, it is
     * sent after a restart.
     */
    private void opening(Draft draft, Intent intent) {
        CrashPoint.SPEND_BEFORE_INTENT.reached();
        if (!plan.mayBegin()) {
            notMade(new SpendRefusal.BuildFailed(
                    "it waited so long for its turn that it may not be sent any more; nothing was broadcast"));
            return;
        }
        List<Long> payouts = plan.carries(draft);
        runner.ask(
                () -> runner.open(intent, payouts, plan.isCapped()),
                opening -> opened(draft, intent, opening),
                failure -> {
                    if (StoreException.isDoubtful(failure)) {
                        runner.doubtful(intent, SpendRunner.unknown(intent, Broadcast.messageOf(failure)));
                    } else {
                        notMade(failure);
                    }
                });
    }

    private void opened(Draft draft, Intent intent, Opening opening) {
        if (opening instanceof Opening.Opened opened) {
            rememberChange(draft, intent);
            // The refused bytes had been sent before: a node that has them now may have them from us.
            boolean fresh = plan.isPayout() && !opened.replaced();
            Sent.opened(runner, intent, opened, plan, rebuilt)
                    .sending(fresh ? Broadcast.Earlier.FRESH : Broadcast.Earlier.NOWHERE);
            return;
        }
        if (opening instanceof Opening.TokenTaken taken) {
            takenBy(taken.by());
            return;
        }
        if (opening instanceof Opening.CapExceeded exceeded) {
            notMade(SpendRefusal.of(exceeded));
            return;
        }
        if (opening instanceof Opening.Ended) {
            notMade(ended());
            return;
        }
        if (opening instanceof Opening.PayoutsMoved) {
            notMade(new SpendRefusal.BuildFailed("a payout of the batch is not queued any more"));
            return;
        }
        otherCoins(draft, intent, opening);
    }

    /**
     * Ends because another spend has the token. If that is the lost spend which this one was to replace, the outcome is unknown; otherwise
     * a concurrent call came first, and this call continues with its spend.
     */
    private void takenBy(Hash256 other) {
        if (lost.filter(known -> known.intent().txId().equals(other)).isPresent()) {
            notMade(new SpendRefusal.OutcomeUnknown(
                    other, true, "its client_token stands for a payment that may still be mined beside this"));
        } else {
            runner.tokenTaken();
        }
    }

    /** Remembers the change output, whose bytes are known here, so that it can be spent as soon as a block contains it. */
    private void rememberChange(Draft draft, Intent intent) {
        draft.changeIndex()
                .ifPresent(index -> env.outputs()
                        .remember(
                                new Outpoint(intent.txId(), index),
                                draft.unsigned().outputs().get(index)));
    }

    /**
     * Chooses other coins because the store already has this very transaction or a reservation of one of its coins. The same transaction
     * can still be in flight after its reservations have ended; it then belongs to another payment. Nothing was written or sent.
     */
    private void otherCoins(Draft draft, Intent intent, Opening collision) {
        List<Coin> taken = collision instanceof Opening.CoinTaken coin ? List.of(coin.coin()) : intent.inputs();
        collisionRefusal = new SpendRefusal.InFlightExhausted(SpendRefusal.Shortage.ofTaken(Receipt.of(intent), taken));
        excluded.addAll(outpoints(draft));
        if (collision instanceof Opening.CoinTaken) {
            coinTaken();
        } else if (++collisions >= MAX_COLLISIONS) {
            notMade(collisionRefusal);
        } else {
            choosing();
        }
    }

    /** Chooses among the coins without a reservation in the store, since another daemon that shares the store may hold any of them. */
    private void coinTaken() {
        long now = System.nanoTime();
        firstCollision = firstCollision.isPresent() ? firstCollision : OptionalLong.of(now);
        if (now - firstCollision.getAsLong() > COLLISION_TIMEOUT.toNanos()) {
            notMade(collisionRefusal);
            return;
        }
        runner.ask(
                runner::findReserved,
                reserved -> {
                    excluded.addAll(reserved);
                    choosing();
                },
                this::notMade);
    }

    private static Set<Outpoint> outpoints(Draft draft) {
        Set<Outpoint> outpoints = new HashSet<>();
        draft.inputs().forEach(coin -> outpoints.add(coin.outpoint()));
        return outpoints;
    }

    static Intent intentOf(SpendEnvironment env, SpendPlan plan, Draft draft, List<Signature> signatures) {
        Transaction signed = draft.unsigned().withWitnesses(plan.witnesses(draft, signatures));
        Hash256 txId = TransactionCodec.txId(env.profile(), signed);
        Amount leaving = plan.leaving(draft);
        long now = env.clock().millis();
        return new Intent(
                txId,
                plan.kind(),
                plan.from(),
                Bytes.wrap(TransactionCodec.encode(signed)),
                draft.inputs(),
                draft.builtAtHeight(),
                draft.changeIndex(),
                plan.token(),
                leaving,
                now,
                Intent.Progress.prepared(now),
                new Intent.Details(plan.details().tokenName(), plan.details().memo(), Optional.of(draft.fee())));
    }

    /** Runs a spend with a durable intent from the broadcast to its outcome. */
    static final class Sent {
        private final SpendRunner runner;
        private final Intent intent;
        private final SpendPlan plan;
        private final int rebuilt;
        private final boolean holdsCoins;
        private final IntentState whenRefused;
        private final boolean sentBefore;

        /**
         * Creates the state for an intent that has just become durable. If it replaced a refused intent with the same bytes, those bytes
         * have already left the daemon.
         */
        static Sent opened(SpendRunner runner, Intent intent, Opening opening, SpendPlan plan, int rebuilt) {
            boolean sentBefore = !(opening instanceof Opening.Opened opened) || opened.replaced();
            return new Sent(runner, intent, plan, rebuilt, true, intent.state(), sentBefore);
        }

        /**
         * Creates the state for an intent that may have been sent in an earlier call.
         *
         * @param before state before this call. A lost spend may have been accepted earlier, so a refusal that does not mention the
         *     conflicting transaction leaves it lost.
         */
        static Sent earlier(SpendRunner runner, Intent intent, SpendPlan plan, boolean holdsCoins, IntentState before) {
            return new Sent(runner, intent, plan, 0, holdsCoins, before, true);
        }

        private Sent(
                SpendRunner runner,
                Intent intent,
                SpendPlan plan,
                int rebuilt,
                boolean holdsCoins,
                IntentState before,
                boolean sentBefore) {
            this.runner = runner;
            this.intent = intent;
            this.plan = plan;
            this.rebuilt = rebuilt;
            this.holdsCoins = holdsCoins;
            this.whenRefused = before == IntentState.CONFLICTED ? IntentState.CONFLICTED : IntentState.REFUSED;
            this.sentBefore = sentBefore;
        }

        void sending(Broadcast.Earlier earlier) {
            CrashPoint.SPEND_AFTER_INTENT.reached();
            runner.ask(
                    () -> runner.send(intent, earlier),
                    outcome -> {
                        CrashPoint.SPEND_AFTER_BROADCAST.reached();
                        ended(outcome);
                    },
                    failure -> ended(new BroadcastOutcome.Unknown(Broadcast.messageOf(failure))));
        }

        private void ended(BroadcastOutcome outcome) {
            if (!(outcome instanceof BroadcastOutcome.Accepted)) {
                LOG.warn("spend {} was not accepted: {}", intent.txId(), outcome);
            }
            if (outcome instanceof BroadcastOutcome.Accepted) {
                accepted();
            } else if (StandIns.onlyChainCloses(intent.kind())) {
                inFlight(outcome.toString());
            } else if (outcome instanceof BroadcastOutcome.KnownBefore) {
                knownBefore();
            } else if (outcome instanceof BroadcastOutcome.Conflicted conflict) {
                conflicted(conflict);
            } else if (outcome instanceof BroadcastOutcome.Refused refused) {
                refused(refused);
            } else if (outcome instanceof BroadcastOutcome.NotYet early) {
                notYet(early);
            } else if (outcome instanceof BroadcastOutcome.Unknown unknown) {
                inFlight(unknown.text());
            }
        }

        /** Ends with success because a node has the transaction. */
        void accepted() {
            runner.accepted(intent, holdsCoins);
        }

        private void inFlight(String why) {
            runner.inFlight(intent, holdsCoins, SpendRunner.unknown(intent, why));
        }

        /**
         * Records a contest: a node had the transaction before it was sent. Either another daemon with the same key built the identical
         * transaction, or the node returned false data. Reporting it as paid could count one transaction for two payments; paying with
         * other coins could pay one payment twice.
         */
        private void knownBefore() {
            SpendException failure = new SpendException(new SpendRefusal.Contested(intent.txId()));
            runner.ask(
                    () -> runner.recordContest(intent, "a node had it before it was sent"),
                    transition -> {
                        CrashPoint.SPEND_AFTER_OUTCOME.reached();
                        if (transition instanceof Transition.Stale stale && isOpenOrPaid(stale)) {
                            // Another process has taken over the spend and sent the same bytes.
                            accepted();
                        } else {
                            runner.failed(intent, IntentState.CONTESTED, failure);
                        }
                    },
                    notRecorded -> {
                        LOG.error("spend {}: {}", intent.txId(), Broadcast.messageOf(notRecorded));
                        runner.inFlight(intent, holdsCoins, failure);
                    });
        }

        private static boolean isOpenOrPaid(Transition.Stale stale) {
            return stale.found()
                    .filter(state -> state.inFlight() || state.succeeded())
                    .isPresent();
        }

        /**
         * Records that another transaction has spent an input, and rebuilds the payment where possible. A reorganisation may still remove
         * that transaction, and then this spend can be mined. So where the payment can be made in another way, the caller is not told that
         * it never will be.
         */
        private void conflicted(BroadcastOutcome.Conflicted conflict) {
            String why = conflict.text();
            Optional<SpendPlan> next = plan.insteadOf(intent, false);
            if (next.isEmpty()) {
                recording(
                        IntentState.CONFLICTED,
                        why,
                        true,
                        new SpendException(new SpendRefusal.DoubleSpend(intent.txId(), why)));
            } else if (rebuilt >= MAX_REBUILDS) {
                recording(IntentState.CONFLICTED, why, true, SpendRunner.unknown(intent, why));
            } else {
                recording(IntentState.CONFLICTED, why, true, SpendRunner.unknown(intent, why), () -> {
                    LOG.info("rebuilding the payment of spend {}", intent.txId());
                    runner.letGo(intent);
                    again(runner, next.get(), rebuilt + 1, new Lost(intent, false, why));
                });
            }
        }

        /**
         * Handles a refusal. A token is bound to these bytes and no others: if its coins were freed, another payment would choose them and the
         * token could never pay. So after a temporary refusal (the node was busy or its quota was used up) a spend with a token stays in flight. A
         * caller without a token cannot ask again and gets a plain refusal.
         */
        private void refused(BroadcastOutcome.Refused refused) {
            if (refused.temporary() && intent.token().isPresent()) {
                inFlight(refused.text());
            } else {
                recordingRefusal(refused.text(), refused.left());
            }
        }

        private void notYet(BroadcastOutcome.NotYet early) {
            if (whenRefused == IntentState.CONFLICTED) {
                recordingRefusal(early.text(), true);
            } else {
                inFlight(early.text());
            }
        }

        private void recordingRefusal(String text, boolean left) {
            boolean sent = left || sentBefore;
            SpendRefusal refusal = sent
                    ? SpendRefusal.UpstreamFailed.afterSending(
                            intent.txId(), intent.token().isPresent(), text)
                    : new SpendRefusal.UpstreamFailed(text);
            recording(whenRefused, text, sent, new SpendException(refusal));
        }

        private void recording(IntentState state, String reason, boolean left, SpendException failure) {
            recording(state, reason, left, failure, () -> runner.failed(intent, state, failure));
        }

        /**
         * Records a failure, then continues. If the write fails, the outcome is unknown: the intent remains PREPARED, will be sent again
         * and may be accepted.
         *
         * @param left whether a node may have the bytes
         * @param next runs once the failure is recorded
         */
        private void recording(IntentState state, String reason, boolean left, SpendException failure, Runnable next) {
            runner.ask(
                    () -> runner.recordFailure(intent, state, reason, left),
                    transition -> {
                        CrashPoint.SPEND_AFTER_OUTCOME.reached();
                        if (transition instanceof Transition.Stale stale) {
                            movedOn(stale, failure);
                        } else {
                            next.run();
                        }
                    },
                    notRecorded -> {
                        LOG.error("spend {}: {}", intent.txId(), Broadcast.messageOf(notRecorded));
                        inFlight(reason);
                    });
        }

        /** Ends according to the state that the store has by now; the process that recorded that state is responsible for the spend. */
        private void movedOn(Transition.Stale stale, SpendException failure) {
            LOG.info("the state of spend {} has changed meanwhile: {}", intent.txId(), stale);
            if (stale.found().filter(IntentState::succeeded).isPresent()) {
                runner.foundPaid(intent);
            } else if (stale.found().filter(IntentState::inFlight).isPresent()) {
                inFlight("another process has taken it over");
            } else {
                runner.refused(failure);
            }
        }
    }
}
