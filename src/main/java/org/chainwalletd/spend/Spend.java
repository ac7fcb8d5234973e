package org.chainwalletd.spend;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.keyring.Signer.Signature;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.CrashPoint;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.IntentStore.Transition;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.StandIns;
import org.chainwalletd.store.StoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A spend from the call to its end: each method is a state by its name, and goes on to the next one, or ends at the {@link SpendRunner}. One
 * step is under way at a time, so nothing here needs a lock.
 *
 * <p>Affording → gathering → choosing → (looking at the mempool) → proving → signing → (looking for a twin) → opening its intent; then
 * {@link Sent}: sending → its outcome. Until the intent is open nothing is durable and nothing was sent. What has an intent already begins as a
 * {@link ResumedSpend}.
 */
final class Spend {
    private static final Logger LOG = LoggerFactory.getLogger(Spend.class);

    private static final int MOST_COLLISIONS = 4;
    /** With so many equally good transactions to draw from, two daemons that pay the same at the same time seldom meet. */
    private static final int ENOUGH_WAYS = 8;
    /** A listing that is full of coins which are spent already must not keep one call busy. */
    private static final int MOST_REBUILT = 4;

    private final SpendRunner runner;
    private final SpendEnvironment env;
    private final SpendPlan plan;
    /** How often the payment was built again in this call, because another transaction had taken a coin of it. */
    private final int rebuilt;
    /** Not empty when its payment is built again. */
    private final Optional<Lost> lost;

    private final Set<Outpoint> excluded = new HashSet<>();
    private SpendRunner.Gathered gathered;
    private CoinDoubts doubts;
    private boolean suspect;
    private boolean mempoolAsked;
    private boolean mempoolSeen;
    private int collisions;
    /** What the caller hears when no other coins are left; null before the first collision. */
    private SpendRefusal collided;

    private Spend(SpendRunner runner, SpendPlan plan, int rebuilt, Optional<Lost> lost) {
        this.runner = runner;
        this.env = runner.env();
        this.plan = plan;
        this.rebuilt = rebuilt;
        this.lost = lost;
    }

    /**
     * The spend that its payment was sent as before.
     *
     * @param forGood whether no reorganisation is expected to let a block have it
     * @param why it has lost
     */
    record Lost(Intent intent, boolean forGood, String why) {}

    /** A new spend. */
    static void begin(SpendRunner runner, SpendPlan plan) {
        new Spend(runner, plan, 0, Optional.empty()).affording();
    }

    /**
     * A payment once more, in the place of a spend that has lost, in the store already. Both are of one token, and the store takes only what
     * cannot be mined beside it.
     *
     * @param plan for it
     * @param rebuilt how often it was built again in this call, this time included
     */
    static void again(SpendRunner runner, SpendPlan plan, int rebuilt, Lost lost) {
        new Spend(runner, plan, rebuilt, Optional.of(lost)).gathering();
    }

    /** While the one that has lost may be mined after all, nothing is refused for good. */
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

    /** Only the store itself can say that it has written nothing; what else fails on the way may have lost its answer. */
    static boolean isDoubtful(Throwable failure) {
        return !(failure instanceof StoreException store) || store.reason() == StoreException.Reason.UNKNOWN;
    }

    private void affording() {
        try {
            plan.check();
        } catch (SpendException e) {
            runner.refused(e);
            return;
        }
        env.refusal(plan, plan.leaving()).ifPresentOrElse(runner::refused, this::gathering);
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

    /** Of who shares the key it is known that the same payment of another daemon may have them: then it is to be tried again later. */
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
     * A node lists outputs that its mempool already spends. Our own spends are known from the reservations, so this question is asked only
     * while somebody else may be spending from the address: at its first spend after a start, and after a conflict. Marked change makes a
     * twin's transaction another one than ours, which only this shows.
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

    /** What the node listed is compared with bytes: at once when they are known here, otherwise after one more round of questions. */
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

    /** Signs with one key after the other: an unseal takes 64 MiB. */
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
        Intent intent = intentOf(draft, signatures);
        boolean mayHaveTwin = suspect && !mempoolSeen && plan.isPayout() && draft.ways() < ENOUGH_WAYS;
        if (mayHaveTwin) {
            lookingForTwin(draft, intent);
        } else {
            opening(draft, intent);
        }
    }

    /**
     * Another daemon with this key that makes the same payment has had hardly another transaction to choose. Once ours is sent nobody can
     * tell whose it is, so this is asked before, when the mempool was not looked at and somebody else may be spending from the address.
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

    /** An intent that may be on disk after all would be sent after a restart. */
    private void opening(Draft draft, Intent intent) {
        CrashPoint.SPEND_BEFORE_INTENT.reached();
        List<Long> payouts = plan.carries(draft);
        runner.ask(
                () -> payouts.isEmpty() ? runner.open(intent, plan.isCapped()) : runner.openBatch(intent, payouts),
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
            // What was refused before was offered before: a node that has it now may have it from us.
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
        if (opening instanceof Opening.PayoutsMoved) {
            notMade(new SpendRefusal.BuildFailed("a payout of the batch is not queued any more"));
            return;
        }
        otherCoins(draft, intent, opening);
    }

    /** The one that it was to take the place of, or another one that was quicker: then the call goes on with that. */
    private void takenBy(Hash256 other) {
        if (lost.filter(known -> known.intent().txId().equals(other)).isPresent()) {
            notMade(new SpendRefusal.OutcomeUnknown(
                    other, true, "its client_token stands for a payment that may still be mined beside this"));
        } else {
            runner.tokenTaken();
        }
    }

    /** Change can be spent as soon as a block has it, and is known here to be what it is. */
    private void rememberChange(Draft draft, Intent intent) {
        draft.changeIndex()
                .ifPresent(index -> env.outputs()
                        .remember(
                                new Outpoint(intent.txId(), index),
                                draft.unsigned().outputs().get(index)));
    }

    /**
     * The very same transaction can be in flight already when its reservations have run out: it belongs to another payment, so this one
     * takes other coins. Nothing was written or sent.
     */
    private void otherCoins(Draft draft, Intent intent, Opening collision) {
        List<Coin> taken = collision instanceof Opening.CoinTaken coin ? List.of(coin.coin()) : intent.inputs();
        collided = new SpendRefusal.InFlightExhausted(SpendRefusal.Shortage.ofTaken(Receipt.of(intent), taken));
        if (++collisions >= MOST_COLLISIONS) {
            notMade(collided);
            return;
        }
        excluded.addAll(outpoints(draft));
        choosing();
    }

    private static Set<Outpoint> outpoints(Draft draft) {
        Set<Outpoint> outpoints = new HashSet<>();
        draft.inputs().forEach(coin -> outpoints.add(coin.outpoint()));
        return outpoints;
    }

    private Intent intentOf(Draft draft, List<Signature> signatures) {
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

    /** A spend with a durable intent, from the broadcast to its end. */
    static final class Sent {
        private final SpendRunner runner;
        private final Intent intent;
        private final SpendPlan plan;
        private final int rebuilt;
        private final boolean holdsCoins;
        private final IntentState whenRefused;
        private final boolean sentBefore;

        /** One that has just become durable. When another one was refused with the same bytes, these have left already. */
        static Sent opened(SpendRunner runner, Intent intent, Opening opening, SpendPlan plan, int rebuilt) {
            boolean sentBefore = !(opening instanceof Opening.Opened opened) || opened.replaced();
            return new Sent(runner, intent, plan, rebuilt, true, intent.state(), sentBefore);
        }

        /**
         * One that may have been sent in an earlier call.
         *
         * @param before one that has lost against another may have been accepted before: a refusal that says nothing of the other one leaves
         *     it lost
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

        /** A node has it. */
        void accepted() {
            runner.accepted(intent, holdsCoins);
        }

        private void inFlight(String why) {
            runner.inFlight(intent, holdsCoins, SpendRunner.unknown(intent, why));
        }

        /**
         * Another daemon with the same key has made the very same transaction, or the node does not tell the truth. Acknowledged, it might be
         * one transaction for two payments; paid with other coins, one payment of two transactions.
         */
        private void knownBefore() {
            SpendException failure = new SpendException(new SpendRefusal.Contested(intent.txId()));
            runner.ask(
                    () -> runner.recordContest(intent, "a node had it before it was sent"),
                    transition -> {
                        CrashPoint.SPEND_AFTER_OUTCOME.reached();
                        runner.contested(intent, failure);
                    },
                    notRecorded -> {
                        LOG.error("spend {}: {}", intent.txId(), Broadcast.words(notRecorded));
                        runner.inFlight(intent, holdsCoins, failure);
                    });
        }

        /**
         * What has taken the coin may be taken off the chain, and then this one can be mined: its caller is not told that it never will be,
         * where the payment can be made in another way.
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
         * A token stands for these bytes and no others. Were its coins given back, another payment would choose them, and the token could never
         * pay. A caller without a token cannot ask for it again, so that one hears of a plain refusal when a node's reasons are good.
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
         * One that cannot be written down is an unknown outcome: the intent then still says "prepared", will be sent again and may be taken.
         *
         * @param next when it is written down
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

        /** What was found out about it in the meantime stands, and whoever did looks after it. */
        private void movedOn(Transition.Stale stale, SpendException failure) {
            LOG.info("spend {} has moved on meanwhile: {}", intent.txId(), stale);
            if (stale.found().filter(IntentState::succeeded).isPresent()) {
                runner.foundPaid(intent);
            } else {
                runner.refused(failure);
            }
        }
    }
}
