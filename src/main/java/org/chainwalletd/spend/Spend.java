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
 * Runs a spend from the call to its end. Each method is a state, named by it, that goes on to the next one, or ends at the {@link SpendRunner}. One
 * step is under way at a time, so nothing here needs a lock.
 *
 * <p>Affording → gathering → choosing → (looking at the mempool) → proving → signing → (looking for a twin) → opening its intent; then {@link Sent}:
 * sending → its outcome. Until the intent is open nothing is durable and nothing was sent. A spend that has an intent already begins as a {@link
 * ResumedSpend}.
 */
final class Spend {
    private static final Logger LOG = LoggerFactory.getLogger(Spend.class);

    private static final int MOST_COLLISIONS = 4;
    /** Time for which a call chooses again and again because others were quicker. */
    private static final Duration COLLIDING_FOR = Duration.ofSeconds(20);
    /**
     * Number of equally good transactions to draw from at which two daemons that make the same payment at the same time seldom build the same one.
     */
    private static final int ENOUGH_WAYS = 8;
    /** Most times that one call builds a payment again, so that a listing full of spent coins does not keep it busy. */
    private static final int MOST_REBUILT = 4;

    private final SpendRunner runner;
    private final SpendEnvironment env;
    private final SpendPlan plan;
    /** Number of times that this call has built the payment again, because another transaction had taken one of its coins. */
    private final int rebuilt;
    /** Earlier spend of the same payment that has lost; empty when the payment is made for the first time. */
    private final Optional<Lost> lost;

    private final Set<Outpoint> excluded = new HashSet<>();
    private SpendRunner.Gathered gathered;
    private CoinDoubts doubts;
    private boolean suspect;
    private boolean mempoolAsked;
    private boolean mempoolSeen;
    private int collisions;
    /** Time of the first collision with a coin of another spend, see {@link System#nanoTime}. */
    private OptionalLong firstTaken = OptionalLong.empty();
    /** Refusal for the caller when no other coins are left; null before the first collision. */
    private SpendRefusal collided;

    private Spend(SpendRunner runner, SpendPlan plan, int rebuilt, Optional<Lost> lost) {
        this.runner = runner;
        this.env = runner.env();
        this.plan = plan;
        this.rebuilt = rebuilt;
        this.lost = lost;
    }

    /**
     * Earlier spend of the same payment, which has lost.
     *
     * @param forGood whether no reorganisation is expected to bring it into a block
     * @param why text of the reason why it has lost
     */
    record Lost(Intent intent, boolean forGood, String why) {}

    static void begin(SpendRunner runner, SpendPlan plan) {
        new Spend(runner, plan, 0, Optional.empty()).affording();
    }

    /**
     * Makes a payment once more, in place of a spend that has lost, as the store records already. Both belong to one token, and the store accepts the
     * new one only if it cannot be mined beside the lost one.
     *
     * @param plan plan of the new spend
     * @param rebuilt number of times that this call has built it again, including this time
     */
    static void again(SpendRunner runner, SpendPlan plan, int rebuilt, Lost lost) {
        new Spend(runner, plan, rebuilt, Optional.of(lost)).gathering();
    }

    /**
     * Ends because the payment cannot be made. While an earlier spend that has lost may be mined after all, the caller is told that the outcome is
     * unknown.
     */
    private void notMade(Throwable failure) {
        runner.refused(lost.filter(known -> !known.forGood())
                .<Throwable>map(known -> SpendRunner.unknown(
                        known.intent(), known.why() + "; it is not paid otherwise yet: " + words(failure)))
                .orElse(failure));
    }

    private static String words(Throwable failure) {
        return failure instanceof SpendException known && known.refusal() instanceof SpendRefusal.OutcomeUnknown unknown
                ? unknown.cause()
                : Broadcast.words(failure);
    }

    private void notMade(SpendRefusal refusal) {
        notMade(new SpendException(refusal));
    }

    /**
     * Whether the store may have written the intent in spite of this failure. Only the store itself can say that it has written nothing; any other
     * failure on the way may have lost its answer.
     */
    static boolean isDoubtful(Throwable failure) {
        return !(failure instanceof StoreException store) || store.reason() == StoreException.Reason.UNKNOWN;
    }

    /** Refusal of a spend whose purpose has ended before it was opened. */
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

    /** Do not report insufficient balance when the only reason is that another payment is the very transaction of these coins. */
    private RuntimeException explained(RuntimeException why) {
        RuntimeException explained = doubts.explain(why);
        boolean poor = explained instanceof SpendException known
                && known.refusal() instanceof SpendRefusal.InsufficientBalance;
        return poor && collided != null ? new SpendException(collided) : explained;
    }

    private void chosen(Reservations.Choice choice) {
        suspect = choice.suspect();
        boolean telling = choice.draft().spare() || env.drawing().marks() && plan.isPayout();
        if (suspect && telling && !mempoolAsked) {
            lookingAtMempool(choice.draft());
        } else {
            proving(choice.draft());
        }
    }

    /**
     * Goes on with other coins because foreign transactions spend the chosen ones. When other daemons share the key, these may be the same payment of
     * another daemon: if no other coins are left, the caller is told to try again later.
     */
    private void others(Draft draft, Set<Outpoint> foreign) {
        if (env.drawing().marks()) {
            List<Coin> taken = draft.inputs().stream()
                    .filter(coin -> foreign.contains(coin.outpoint()))
                    .toList();
            collided = new SpendRefusal.InFlightExhausted(SpendRefusal.Shortage.ofTaken(draft, taken));
        }
        choosing();
    }

    /**
     * Asks for the mempool's spends of the address, since a node also lists outputs that its mempool already spends. Our own spends are known from
     * the reservations, so this question is asked only while somebody else may be spending from the address: at its first spend after a start, and
     * after a conflict. Marked change makes the transaction of another daemon's same payment differ from ours; only this question shows it.
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
                        others(draft, foreign);
                    } else {
                        proving(draft);
                    }
                },
                failure -> proving(draft));
    }

    /** Compares the listed coins with bytes: at once when the bytes are known here, otherwise after one more round of questions. */
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

    /** Signs with one key after the other, because unsealing one takes 64 MiB. */
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
        boolean mayHaveTwin = suspect && !mempoolSeen && plan.isPayout() && draft.ways() < ENOUGH_WAYS;
        if (mayHaveTwin) {
            lookingForTwin(draft, intent);
        } else {
            opening(draft, intent);
        }
    }

    /**
     * Asks the nodes for this very transaction before it is sent. Another daemon with this key that makes the same payment has had hardly any other
     * transaction to choose, and once ours is sent it cannot be told whose it is. Asked only when the mempool was not looked at and somebody else may
     * be spending from the address.
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
     * Writes the intent. When the store cannot say whether it has it, the spend ends as doubtful: an intent that is on disk after all would be sent
     * after a restart.
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
                    if (isDoubtful(failure)) {
                        runner.doubtful(intent, SpendRunner.unknown(intent, Broadcast.words(failure)));
                    } else {
                        notMade(failure);
                    }
                });
    }

    private void opened(Draft draft, Intent intent, Opening opening) {
        if (opening instanceof Opening.Opened opened) {
            rememberChange(draft, intent);
            // Bytes that were refused before were offered before: a node that has them now may have them from us.
            boolean fresh = plan.isPayout() && !opened.replaced();
            Sent.opened(runner, intent, opened, plan, rebuilt)
                    .sending(fresh ? SpendRunner.Earlier.FRESH : SpendRunner.Earlier.NOWHERE);
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
     * Ends because another spend has the token. If that is the lost spend which this one was to replace, its outcome is unknown; otherwise another
     * call was quicker, and this call goes on with that spend.
     */
    private void takenBy(Hash256 other) {
        if (lost.filter(known -> known.intent().txId().equals(other)).isPresent()) {
            notMade(new SpendRefusal.OutcomeUnknown(
                    other, true, "its client_token stands for a payment that may still be mined beside this"));
        } else {
            runner.tokenTaken();
        }
    }

    /** Remembers the change output, whose bytes are known here: it can be spent as soon as a block has it. */
    private void rememberChange(Draft draft, Intent intent) {
        draft.changeIndex()
                .ifPresent(index -> env.outputs()
                        .remember(
                                new Outpoint(intent.txId(), index),
                                draft.unsigned().outputs().get(index)));
    }

    /**
     * Chooses other coins, because the store has this very transaction or a reservation of one of its coins. The same transaction can be in flight
     * when its reservations have ended; it then belongs to another payment. Nothing was written or sent.
     */
    private void otherCoins(Draft draft, Intent intent, Opening collision) {
        List<Coin> taken = collision instanceof Opening.CoinTaken coin ? List.of(coin.coin()) : intent.inputs();
        collided = new SpendRefusal.InFlightExhausted(SpendRefusal.Shortage.ofTaken(Receipt.of(intent), taken));
        excluded.addAll(outpoints(draft));
        if (collision instanceof Opening.CoinTaken) {
            coinTaken();
        } else if (++collisions >= MOST_COLLISIONS) {
            notMade(collided);
        } else {
            choosing();
        }
    }

    /** Chooses among the coins that nobody holds in the store: another daemon that shares it may hold any. */
    private void coinTaken() {
        long now = System.nanoTime();
        firstTaken = firstTaken.isPresent() ? firstTaken : OptionalLong.of(now);
        if (now - firstTaken.getAsLong() > COLLIDING_FOR.toNanos()) {
            notMade(collided);
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

    /** Runs a spend with a durable intent from the broadcast to its end. */
    static final class Sent {
        private final SpendRunner runner;
        private final Intent intent;
        private final SpendPlan plan;
        private final int rebuilt;
        private final boolean holdsCoins;
        private final IntentState whenRefused;
        private final boolean sentBefore;

        /**
         * Creates it for an intent that has just become durable. If it has replaced a refused one with the same bytes, these have left the daemon
         * already.
         */
        static Sent opened(SpendRunner runner, Intent intent, Opening opening, SpendPlan plan, int rebuilt) {
            boolean sentBefore = !(opening instanceof Opening.Opened opened) || opened.replaced();
            return new Sent(runner, intent, plan, rebuilt, true, intent.state(), sentBefore);
        }

        /**
         * Creates it for an intent that may have been sent in an earlier call.
         *
         * @param before state before this call; a spend that has lost may have been accepted earlier, so a refusal that does not speak of the other
         *     transaction leaves it lost
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

        void sending(SpendRunner.Earlier earlier) {
            CrashPoint.SPEND_AFTER_INTENT.reached();
            runner.ask(
                    () -> runner.send(intent, earlier),
                    outcome -> {
                        CrashPoint.SPEND_AFTER_BROADCAST.reached();
                        ended(outcome);
                    },
                    failure -> ended(new BroadcastOutcome.Unknown(Broadcast.words(failure))));
        }

        private void ended(BroadcastOutcome outcome) {
            if (!(outcome instanceof BroadcastOutcome.Accepted)) {
                LOG.warn("spend {} was not taken: {}", intent.txId(), outcome);
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

        /** Ends with success, because a node has the transaction. */
        void accepted() {
            runner.accepted(intent, holdsCoins);
        }

        private void inFlight(String why) {
            runner.inFlight(intent, holdsCoins, SpendRunner.unknown(intent, why));
        }

        /**
         * Records a contest: a node had the transaction before it was sent. Another daemon with the same key has made the very same one, or the node
         * lies. Reported as paid, it might be one transaction for two payments; paid with other coins, one payment would become two transactions.
         */
        private void knownBefore() {
            SpendException failure = new SpendException(new SpendRefusal.Contested(intent.txId()));
            runner.ask(
                    () -> runner.recordContest(intent, "a node had it before it was sent"),
                    transition -> {
                        CrashPoint.SPEND_AFTER_OUTCOME.reached();
                        if (transition instanceof Transition.Stale stale && isOpenOrPaid(stale)) {
                            // Another process has taken the spend over and sent the same bytes.
                            accepted();
                        } else {
                            runner.failed(intent, IntentState.CONTESTED, failure);
                        }
                    },
                    notRecorded -> {
                        LOG.error("spend {}: {}", intent.txId(), Broadcast.words(notRecorded));
                        runner.inFlight(intent, holdsCoins, failure);
                    });
        }

        private static boolean isOpenOrPaid(Transition.Stale stale) {
            return stale.found()
                    .filter(state -> state.inFlight() || state.succeeded())
                    .isPresent();
        }

        /**
         * Records that another transaction has taken a coin, and builds the payment again where that is possible. The other one may still leave the
         * chain, and then this spend can be mined. So where the payment can be made in another way its caller is not told that it never will be.
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
            } else if (rebuilt >= MOST_REBUILT) {
                recording(IntentState.CONFLICTED, why, true, SpendRunner.unknown(intent, why));
            } else {
                recording(IntentState.CONFLICTED, why, true, SpendRunner.unknown(intent, why), () -> {
                    LOG.info("the payment of spend {} is built again", intent.txId());
                    runner.letGo(intent);
                    again(runner, next.get(), rebuilt + 1, new Lost(intent, false, why));
                });
            }
        }

        /**
         * Handles a refusal. A token stands for these bytes and no others: if its coins were freed, another payment would choose them and the token
         * could never pay. So after a passing refusal a spend with a token stays in flight. A caller without a token cannot ask again, and is told of
         * a plain refusal.
         */
        private void refused(BroadcastOutcome.Refused refused) {
            if (refused.passing() && intent.token().isPresent()) {
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
            recording(whenRefused, text, left || sentBefore, new SpendException(new SpendRefusal.UpstreamFailed(text)));
        }

        private void recording(IntentState state, String reason, boolean left, SpendException failure) {
            recording(state, reason, left, failure, () -> runner.failed(intent, state, failure));
        }

        /**
         * Records a failure, then goes on. If it cannot be written the outcome is unknown: the intent then still says "prepared", will be sent again
         * and may be taken.
         *
         * @param left whether a node may have the bytes
         * @param next runs when the failure is recorded
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
                        LOG.error("spend {}: {}", intent.txId(), Broadcast.words(notRecorded));
                        inFlight(reason);
                    });
        }

        /** Ends with the state that the store has meanwhile; whoever recorded it looks after the spend. */
        private void movedOn(Transition.Stale stale, SpendException failure) {
            LOG.info("spend {} has moved on meanwhile: {}", intent.txId(), stale);
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
