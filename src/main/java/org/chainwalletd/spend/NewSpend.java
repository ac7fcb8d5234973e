package org.chainwalletd.spend;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.keyring.Signer.Signature;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.spend.Spender.Command;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.CrashPoint;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.StoreException;

/** The first steps of a {@link Spender} with a new spend: allowance, list, choose, sign, intent. Until the last one nothing is durable. */
final class NewSpend {
    private static final int MOST_COLLISIONS = 4;

    private final Spender spender;
    private final SpendPlan plan;
    private final Set<Outpoint> excluded = new HashSet<>();

    private Candidates candidates;
    private CoinDoubts doubts;
    private Hash256 genesis;
    private Draft draft;
    private int choices;
    private int collisions;

    NewSpend(Spender spender, SpendPlan plan) {
        this.spender = spender;
        this.plan = plan;
    }

    Behavior<Command> begin() {
        try {
            plan.check();
        } catch (SpendException e) {
            return spender.end(null, e);
        }
        if (spender.env.limits().none()) {
            return list();
        }
        spender.neighbours.allowance().tell(new Allowance.Check(plan.leaving(), spender.allowanceReplies()));
        return checkingAllowance();
    }

    private Behavior<Command> checkingAllowance() {
        return Behaviors.receive(Command.class)
                .onMessage(Spender.AllowanceReply.class, message -> {
                    if (message.reply() instanceof Allowance.Exceeded exceeded) {
                        return spender.end(null, new SpendException(exceeded.refusal()));
                    }
                    return list();
                })
                .build();
    }

    private Behavior<Command> list() {
        CompletionStage<Spender.Listed> listing = spender.env
                .identity()
                .genesisForSigning()
                .thenComposeAsync(
                        id -> plan.gather(spender.env.node(), Spender.SAME_THREAD)
                                .thenApplyAsync(found -> new Spender.Listed(found, id), Spender.SAME_THREAD),
                        Spender.SAME_THREAD);
        spender.context.pipeToSelf(
                listing, (listed, failure) -> failure == null ? listed : new Spender.Failed(failure));
        return Behaviors.receive(Command.class)
                .onMessage(Spender.Failed.class, message -> spender.end(null, message.failure()))
                .onMessage(Spender.Listed.class, message -> {
                    candidates = message.candidates();
                    doubts = new CoinDoubts(plan, candidates);
                    genesis = message.genesis();
                    return choose();
                })
                .build();
    }

    private Behavior<Command> choose() {
        choices++;
        Set<Outpoint> unwanted = doubts.excluded();
        unwanted.addAll(excluded);
        spender.neighbours
                .reservations()
                .tell(new Reservations.Choose(
                        spender.id,
                        plan,
                        candidates,
                        unwanted,
                        spender.context.messageAdapter(Reservations.ChooseReply.class, Spender.Choice::new)));
        return Behaviors.receive(Command.class)
                .onMessage(Spender.Choice.class, message -> {
                    if (message.reply() instanceof Reservations.NotChosen refused) {
                        return spender.end(null, doubts.explain(refused.reason()));
                    }
                    Reservations.Chosen chosen = (Reservations.Chosen) message.reply();
                    draft = chosen.draft();
                    return chosen.lookAtMempool() && choices == 1 ? lookAtMempool() : prove();
                })
                .build();
    }

    /** What the node listed is compared with bytes: at once when they are known here, otherwise after one more round of questions. */
    private Behavior<Command> prove() {
        CoinDoubts.Verdict verdict = doubts.judge(draft, spender.env.outputs());
        if (!(verdict instanceof CoinDoubts.Unseen unseen)) {
            return judged(verdict);
        }
        spender.context.pipeToSelf(
                spender.env.outputs().find(unseen.outpoints()),
                (findings, failure) -> failure == null ? new Spender.Proof(findings) : new Spender.Failed(failure));
        return Behaviors.receive(Command.class)
                .onMessage(Spender.Failed.class, failed -> spender.end(null, failed.failure()))
                .onMessage(Spender.Proof.class, proof -> judged(doubts.judge(draft, proof.findings())))
                .build();
    }

    private Behavior<Command> judged(CoinDoubts.Verdict verdict) {
        if (!(verdict instanceof CoinDoubts.Doubted doubted)) {
            return holdAllowance();
        }
        doubts.report(doubted, spender.env.metrics());
        return doubts.mayChooseAgain() ? choose() : spender.end(null, doubts.tooManyDoubts());
    }

    /**
     * A node lists outputs that its mempool already spends. Our own spends are known from the reservations, so this question is asked only
     * while somebody else may be spending from the address: at its first spend after a start, and after a conflict.
     */
    private Behavior<Command> lookAtMempool() {
        spender.context.pipeToSelf(
                spender.env.node().addressMempool(plan.from()),
                (mempool, failure) -> new Spender.MempoolSeen(failure == null ? foreignSpends(mempool) : null));
        return Behaviors.receive(Command.class)
                .onMessage(Spender.MempoolSeen.class, message -> {
                    if (message.foreign() == null) {
                        return prove();
                    }
                    excluded.addAll(message.foreign());
                    boolean hit = draft.inputs().stream().map(Coin::outpoint).anyMatch(excluded::contains);
                    if (!hit) {
                        spender.neighbours.reservations().tell(new Reservations.Clean(plan.from()));
                    }
                    return hit ? choose() : prove();
                })
                .build();
    }

    private static Set<Outpoint> foreignSpends(NodeClient.AddressMempool mempool) {
        return mempool.entries().stream()
                .flatMap(entry -> entry.spent().stream())
                .map(NodeClient.Spent::outpoint)
                .collect(Collectors.toSet());
    }

    private Behavior<Command> holdAllowance() {
        spender.neighbours
                .allowance()
                .tell(new Allowance.Hold(spender.id, null, plan.leaving(draft), spender.allowanceReplies()));
        return Behaviors.receive(Command.class)
                .onMessage(Spender.AllowanceReply.class, message -> {
                    if (message.reply() instanceof Allowance.Exceeded exceeded) {
                        return spender.end(null, new SpendException(exceeded.refusal()));
                    }
                    return sign();
                })
                .build();
    }

    private Behavior<Command> sign() {
        byte[] message = TransactionCodec.signingMessage(spender.env.profile(), genesis, draft.unsigned());
        spender.context.pipeToSelf(
                spender.env.signer().sign(plan.from(), message),
                (signature, failure) -> failure == null ? new Spender.Signed(signature) : new Spender.Failed(failure));
        return Behaviors.receive(Command.class)
                .onMessage(Spender.Failed.class, failed -> spender.end(null, failed.failure()))
                .onMessage(Spender.Signed.class, signed -> writeIntent(signed.signature()))
                .build();
    }

    private Behavior<Command> writeIntent(Signature signature) {
        Intent intent = intentOf(signature);
        CrashPoint.SPEND_BEFORE_INTENT.reached();
        long closedBefore = intent.createdAt() - spender.env.pace().receiptTtl().toMillis();
        spender.context.pipeToSelf(
                spender.env.intents().open(intent, closedBefore),
                (opening, failure) -> failure == null ? new Spender.Written(opening) : new Spender.Failed(failure));
        return Behaviors.receive(Command.class)
                .onMessage(Spender.Failed.class, failed -> notWritten(provenOrUnknown(failed.failure(), intent)))
                .onMessage(Spender.Written.class, written -> written(intent, written.opening()))
                .build();
    }

    private Behavior<Command> written(Intent intent, Opening opening) {
        if (opening instanceof Opening.Opened) {
            spender.settle(intent);
            rememberChange(intent);
            return spender.send(false);
        }
        if (opening instanceof Opening.TokenTaken taken) {
            return notWritten(new SpendException(new SpendRefusal.OutcomeUnknown(
                    taken.by().txId(), true, "another call with this client_token was quicker")));
        }
        return otherCoins(intent, opening);
    }

    /** Change can be spent as soon as a block has it, and is known here to be what it is. */
    private void rememberChange(Intent intent) {
        draft.changeIndex()
                .ifPresent(index -> spender.env
                        .outputs()
                        .remember(
                                new Outpoint(intent.txId(), index),
                                draft.unsigned().outputs().get(index)));
    }

    private Intent intentOf(Signature signature) {
        Transaction signed = draft.unsigned().withWitnesses(plan.witnesses(draft, signature));
        long now = spender.env.clock().millis();
        Amount leaving = plan.leaving(draft);
        return new Intent(
                TransactionCodec.txId(spender.env.profile(), signed),
                plan.kind(),
                plan.from(),
                Bytes.wrap(TransactionCodec.encode(signed)),
                draft.inputs(),
                draft.builtAtHeight(),
                draft.changeIndex(),
                plan.token(),
                leaving,
                now,
                now,
                IntentState.PREPARED,
                "");
    }

    /**
     * The very same transaction can be in flight already when its reservations have run out: it belongs to another payment, so this one
     * takes other coins. Nothing was written or sent.
     */
    private Behavior<Command> otherCoins(Intent intent, Opening collision) {
        if (++collisions >= MOST_COLLISIONS) {
            List<Coin> taken = collision instanceof Opening.CoinTaken coin ? List.of(coin.coin()) : intent.inputs();
            return notWritten(new SpendException(
                    new SpendRefusal.InFlightExhausted(SpendRefusal.Shortage.ofTaken(Receipt.of(intent), taken))));
        }
        spender.neighbours.allowance().tell(new Allowance.Drop(spender.id));
        draft.inputs().forEach(coin -> excluded.add(coin.outpoint()));
        return choose();
    }

    /** An intent that may be on disk after all would be sent after a restart. */
    private static Throwable provenOrUnknown(Throwable failure, Intent intent) {
        return Spender.unwrapped(failure) instanceof StoreException store
                        && store.reason() == StoreException.Reason.UNKNOWN
                ? new SpendException(new SpendRefusal.OutcomeUnknown(
                        intent.txId(), intent.token().isPresent(), store.getMessage()))
                : failure;
    }

    private Behavior<Command> notWritten(Throwable failure) {
        spender.neighbours.allowance().tell(new Allowance.Drop(spender.id));
        return spender.end(null, failure);
    }
}
