package org.chainwalletd.cluster.node;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.receptionist.Receptionist;
import org.chainwalletd.cluster.Node;

/** Answers calls of other daemons while this one does the background work, and is registered with the receptionist meanwhile. */
final class Answering {
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(100);

    private final ActorContext<Handed.ToAnswering> context;
    private final Node.Duties duties;
    private boolean registered;

    private Answering(ActorContext<Handed.ToAnswering> context, Node.Duties duties) {
        this.context = context;
        this.duties = duties;
    }

    private enum Check implements Handed.ToAnswering {
        NOW
    }

    static Behavior<Handed.ToAnswering> create(Node.Duties duties) {
        return Behaviors.withTimers(timers -> {
            timers.startTimerWithFixedDelay(Check.NOW, CHECK_INTERVAL);
            return Behaviors.setup(context -> {
                Answering answering = new Answering(context, duties);
                return Behaviors.receive(Handed.ToAnswering.class)
                        .onMessage(Handed.Ask.class, answering::ask)
                        .onMessage(Check.class, check -> answering.check())
                        .build();
            });
        });
    }

    private Behavior<Handed.ToAnswering> check() {
        boolean keeps = duties.keeps().getAsBoolean();
        if (keeps != registered) {
            registered = keeps;
            ActorRef<Handed.Ask> self = context.getSelf().narrow();
            context.getSystem()
                    .receptionist()
                    .tell(keeps ? Receptionist.register(Handed.KEY, self) : Receptionist.deregister(Handed.KEY, self));
        }
        return Behaviors.same();
    }

    private Behavior<Handed.ToAnswering> ask(Handed.Ask ask) {
        if (!duties.keeps().getAsBoolean()) {
            ask.from().tell(Handed.Answered.notHere(ask.id()));
            return Behaviors.same();
        }
        CompletionStage<Node.Answer> answer =
                begin(new Node.Call(ask.token(), ask.named(), ask.client(), ask.millis(), ask.request()));
        answer.whenCompleteAsync(
                (given, failure) ->
                        ask.from().tell(Handed.Answered.of(ask.id(), failure == null ? given : new Node.Answer.Lost())),
                context.getExecutionContext());
        return Behaviors.same();
    }

    private CompletionStage<Node.Answer> begin(Node.Call call) {
        try {
            return duties.answers().apply(call);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
