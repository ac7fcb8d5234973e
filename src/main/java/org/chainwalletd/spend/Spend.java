package org.chainwalletd.spend;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.coins.Finding;
import org.chainwalletd.keyring.Signer.Signature;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.CrashPoint;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.StoreException;

/**
 * A new spend from the call to its durable intent: each method is a state by its name, and returns what is to be done next. Decides only; it
 * asks nobody, and {@link SpendRunner} does what it says. One step is under way at a time, so nothing here needs a lock.
 *
 * <p>Affording → gathering → choosing → (looking at the mempool) → proving → signing → (looking for a twin) → opening; then a
 * {@link SentSpend}. Until the intent is open nothing is durable and nothing was sent. What has an intent already begins as a
 * {@link ResumedSpend}.
 */
final class Spend {
    private static final int MOST_COLLISIONS = 4;
    /** With so many equally good transactions to draw from, two daemons that pay the same at the same time seldom meet. */
    private static final int ENOUGH_WAYS = 8;

    private final SpendEnvironment env;
    private final SpendPlan plan;
    private final SentSpend.Rebuilding rebuilding;
    /** Not empty when its payment is built again. */
    private final Optional<Lost> lost;

    private final Set<Outpoint> excluded = new HashSet<>();
    private Act.Gathered gathered;
    private CoinDoubts doubts;
    private boolean suspect;
    private boolean mempoolAsked;
    private boolean mempoolSeen;
    private int collisions;
    /** What the caller hears when no other coins are left; null before the first collision. */
    private SpendRefusal collided;

    private Spend(SentSpend.Rebuilding rebuilding, Optional<Lost> lost) {
        this.env = rebuilding.env();
        this.plan = rebuilding.plan();
        this.rebuilding = rebuilding;
        this.lost = lost;
    }

    /**
     * The spend that its payment was sent as before.
     *
     * @param forGood whether no reorganisation is expected to let a block have it
     * @param why it has lost
     */
    private record Lost(Intent intent, boolean forGood, String why) {}

    /** A new spend. */
    static Step begin(SpendEnvironment env, SpendPlan plan) {
        return new Spend(new SentSpend.Rebuilding(env, plan, 0), Optional.empty()).affording();
    }

    /**
     * A payment once more, in the place of a spend that has lost, in the store already. Both are of one token, and the store takes only what
     * cannot be mined beside it.
     *
     * @param rebuilding with the plan for it
     */
    static Step again(SentSpend.Rebuilding rebuilding, Intent lost, boolean forGood, String why) {
        return new Spend(rebuilding, Optional.of(new Lost(lost, forGood, why))).gathering();
    }

    /** While the one that has lost may be mined after all, nothing is refused for good. */
    private Step notMade(Throwable failure) {
        return lost.filter(known -> !known.forGood())
                .map(known -> refused(
                        unknown(known.intent(), known.why() + "; it is not paid otherwise yet: " + words(failure))))
                .orElseGet(() -> refused(failure));
    }

    private static String words(Throwable failure) {
        return failure instanceof SpendException known && known.refusal() instanceof SpendRefusal.OutcomeUnknown unknown
                ? unknown.cause()
                : Broadcast.words(failure);
    }

    private Step notMade(SpendRefusal refusal) {
        return notMade(new SpendException(refusal));
    }

    static Step refused(Throwable failure) {
        return Step.end(new Ending.Refused(failure));
    }

    static Step refused(SpendRefusal refusal) {
        return refused(new SpendException(refusal));
    }

    /** Only the store itself can say that it has written nothing; what else fails on the way may have lost its answer. */
    static boolean isDoubtful(Throwable failure) {
        return !(failure instanceof StoreException store) || store.reason() == StoreException.Reason.UNKNOWN;
    }

    /** An intent that may be on disk after all would be sent after a restart. */
    static Step doubtful(Intent intent, Throwable failure) {
        return Step.end(new Ending.Doubtful(intent, unknown(intent, Broadcast.words(failure))));
    }

    static SpendException unknown(Intent intent, String cause) {
        return new SpendException(
                new SpendRefusal.OutcomeUnknown(intent.txId(), intent.token().isPresent(), cause));
    }

    private Step affording() {
        try {
            plan.check();
        } catch (SpendException e) {
            return refused(e);
        }
        return env.refusal(plan, plan.leaving()).map(Spend::refused).orElseGet(this::gathering);
    }

    private Step gathering() {
        return Step.ask(new Act.Gather(plan), this::choosing, this::notMade);
    }

    private Step choosing(Act.Gathered found) {
        gathered = found;
        doubts = new CoinDoubts(plan, found.candidates());
        return choosing();
    }

    private Step choosing() {
        Set<Outpoint> unwanted = doubts.excluded();
        unwanted.addAll(excluded);
        return Step.ask(
                new Act.Choose(plan, gathered.candidates(), unwanted, lost.isPresent()),
                this::chosen,
                failure -> notMade(failure instanceof RuntimeException why ? explained(why) : failure));
    }

    /** Poverty is no answer to a caller whose coins only cannot be spent by the very transaction that another payment is. */
    private RuntimeException explained(RuntimeException why) {
        RuntimeException explained = doubts.explain(why);
        boolean poor = explained instanceof SpendException known
                && known.refusal() instanceof SpendRefusal.InsufficientBalance;
        return poor && collided != null ? new SpendException(collided) : explained;
    }

    private Step chosen(Reservations.Choice choice) {
        suspect = choice.suspect();
        boolean telling = choice.draft().spare() || env.drawing().marks() && plan.isPayout();
        return suspect && telling && !mempoolAsked ? lookingAtMempool(choice.draft()) : proving(choice.draft());
    }

    /** Of who shares the key it is known that the same payment of another daemon may have them: then it is to be tried again later. */
    private Step others(Draft draft, Set<Outpoint> foreign) {
        if (env.drawing().marks()) {
            List<Coin> taken = draft.inputs().stream()
                    .filter(coin -> foreign.contains(coin.outpoint()))
                    .toList();
            collided = new SpendRefusal.InFlightExhausted(SpendRefusal.Shortage.ofTaken(draft, taken));
        }
        return choosing();
    }

    /**
     * A node lists outputs that its mempool already spends. Our own spends are known from the reservations, so this question is asked only
     * while somebody else may be spending from the address: at its first spend after a start, and after a conflict. Marked change makes a
     * twin's transaction another one than ours, which only this shows.
     */
    private Step lookingAtMempool(Draft draft) {
        mempoolAsked = true;
        Set<Outpoint> chosen = outpoints(draft);
        return Step.ask(
                new Act.LookAtMempool(plan.from(), chosen),
                foreign -> {
                    mempoolSeen = true;
                    excluded.addAll(foreign);
                    return chosen.stream().anyMatch(foreign::contains) ? others(draft, foreign) : proving(draft);
                },
                failure -> proving(draft));
    }

    /** What the node listed is compared with bytes: at once when they are known here, otherwise after one more round of questions. */
    private Step proving(Draft draft) {
        CoinDoubts.Verdict verdict = doubts.judge(draft, env.outputs());
        return verdict instanceof CoinDoubts.Unseen unseen
                ? Step.ask(new Act.Prove(unseen.outpoints()), found -> proven(draft, found), this::notMade)
                : judged(draft, verdict);
    }

    private Step proven(Draft draft, Map<Outpoint, Finding> findings) {
        return judged(draft, doubts.judge(draft, findings));
    }

    private Step judged(Draft draft, CoinDoubts.Verdict verdict) {
        if (!(verdict instanceof CoinDoubts.Doubted doubted)) {
            return signing(draft);
        }
        doubts.report(doubted, env.metrics());
        return doubts.mayChooseAgain() ? choosing() : notMade(doubts.tooManyDoubts());
    }

    private Step signing(Draft draft) {
        byte[] message = TransactionCodec.signingMessage(env.profile(), gathered.genesis(), draft.unsigned());
        return Step.ask(new Act.Sign(plan.from(), message), signature -> signed(draft, signature), this::notMade);
    }

    private Step signed(Draft draft, Signature signature) {
        Intent intent = intentOf(draft, signature);
        boolean mayHaveTwin = suspect && !mempoolSeen && plan.isPayout() && draft.ways() < ENOUGH_WAYS;
        return mayHaveTwin ? lookingForTwin(draft, intent) : opening(draft, intent);
    }

    /**
     * Another daemon with this key that makes the same payment has had hardly another transaction to choose. Once ours is sent nobody can
     * tell whose it is, so this is asked before, when the mempool was not looked at and somebody else may be spending from the address.
     */
    private Step lookingForTwin(Draft draft, Intent intent) {
        return Step.ask(
                new Act.FindTwin(intent),
                there ->
                        there ? otherCoins(draft, intent, new Opening.SameTransaction(intent)) : opening(draft, intent),
                failure -> opening(draft, intent));
    }

    private Step opening(Draft draft, Intent intent) {
        CrashPoint.SPEND_BEFORE_INTENT.reached();
        return Step.ask(
                new Act.Open(intent, plan.isCapped()),
                opening -> opened(draft, intent, opening),
                failure -> isDoubtful(failure) ? doubtful(intent, failure) : notMade(failure));
    }

    private Step opened(Draft draft, Intent intent, Opening opening) {
        if (opening instanceof Opening.Opened opened) {
            rememberChange(draft, intent);
            return SentSpend.opened(intent, opened, rebuilding).sending(earlier(opened));
        }
        if (opening instanceof Opening.TokenTaken taken) {
            return takenBy(taken.by());
        }
        return opening instanceof Opening.CapExceeded exceeded
                ? notMade(new SpendRefusal.AllowanceExceeded(exceeded))
                : otherCoins(draft, intent, opening);
    }

    /** The one that it was to take the place of, or another one that was quicker: then the call goes on with that. */
    private Step takenBy(Hash256 other) {
        return lost.filter(known -> known.intent().txId().equals(other)).isPresent()
                ? notMade(new SpendRefusal.OutcomeUnknown(
                        other, true, "its client_token stands for a payment that may still be mined beside this"))
                : Step.end(new Ending.TokenTaken());
    }

    /** What was refused before was offered before: a node that has it now may have it from us. */
    private Act.Earlier earlier(Opening.Opened opened) {
        return plan.isPayout() && !opened.replaced() ? Act.Earlier.FRESH : Act.Earlier.NOWHERE;
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
    private Step otherCoins(Draft draft, Intent intent, Opening collision) {
        List<Coin> taken = collision instanceof Opening.CoinTaken coin ? List.of(coin.coin()) : intent.inputs();
        collided = new SpendRefusal.InFlightExhausted(SpendRefusal.Shortage.ofTaken(Receipt.of(intent), taken));
        if (++collisions >= MOST_COLLISIONS) {
            return notMade(collided);
        }
        excluded.addAll(outpoints(draft));
        return choosing();
    }

    private static Set<Outpoint> outpoints(Draft draft) {
        Set<Outpoint> outpoints = new HashSet<>();
        draft.inputs().forEach(coin -> outpoints.add(coin.outpoint()));
        return outpoints;
    }

    private Intent intentOf(Draft draft, Signature signature) {
        Transaction signed = draft.unsigned().withWitnesses(plan.witnesses(draft, signature));
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
                Intent.Progress.prepared(now));
    }
}
