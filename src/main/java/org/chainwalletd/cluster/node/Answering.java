package org.chainwalletd.cluster.node;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.receptionist.Receptionist;
import org.apache.pekko.actor.typed.receptionist.ServiceKey;
import org.chainwalletd.cluster.Node;

/** Answers calls of other daemons while this one does the background work, which it makes known to them. */
final class Answering {
    static final ServiceKey<Ask> KEY = ServiceKey.create(Ask.class, "background");
    private static final Duration LOOKED_AT = Duration.ofMillis(100);

    private final ActorContext<Command> context;
    private final Node.Duties duties;
    private boolean known;

    private Answering(ActorContext<Command> context, Node.Duties duties) {
        this.context = context;
        this.duties = duties;
    }

    interface Command {}

    /**
     * Asks for the answer to a call.
     *
     * @param id of the asking daemon
     * @param request see {@link Node.Call}
     */
    record Ask(long id, String token, boolean named, String client, byte[] request, ActorRef<Asking.Answered> from)
            implements Command, Carried {}

    private enum Look implements Command {
        NOW
    }

    static Behavior<Command> create(Node.Duties duties) {
        return Behaviors.withTimers(timers -> {
            timers.startTimerWithFixedDelay(Look.NOW, LOOKED_AT);
            return Behaviors.setup(context -> {
                Answering answering = new Answering(context, duties);
                return Behaviors.receive(Command.class)
                        .onMessage(Ask.class, answering::ask)
                        .onMessage(Look.class, look -> answering.look())
                        .build();
            });
        });
    }

    private Behavior<Command> look() {
        boolean keeps = duties.keeps().getAsBoolean();
        if (keeps != known) {
            known = keeps;
            ActorRef<Ask> self = context.getSelf().narrow();
            context.getSystem()
                    .receptionist()
                    .tell(keeps ? Receptionist.register(KEY, self) : Receptionist.deregister(KEY, self));
        }
        return Behaviors.same();
    }

    private Behavior<Command> ask(Ask ask) {
        if (!duties.keeps().getAsBoolean()) {
            ask.from().tell(Asking.Answered.notBegun(ask.id()));
            return Behaviors.same();
        }
        CompletionStage<Node.Answer> answer =
                duties.answers().apply(new Node.Call(ask.token(), ask.named(), ask.client(), ask.request()));
        answer.whenCompleteAsync(
                (given, failure) ->
                        ask.from().tell(Asking.Answered.of(ask.id(), failure == null ? given : new Node.Answer.Lost())),
                context.getExecutionContext());
        return Behaviors.same();
    }
}
