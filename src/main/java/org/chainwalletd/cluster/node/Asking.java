package org.chainwalletd.cluster.node;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.receptionist.Receptionist;
import org.chainwalletd.cluster.Node;

/** Hands calls to the daemon that does the background work, each once, and waits for their answers. */
final class Asking {
    /** Time after which no answer is expected any more. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    /** Most calls that wait at a time; further ones are not handed over. */
    private static final int MOST = 256;

    private final ActorContext<Command> context;
    private final Map<Long, Open> open = new HashMap<>();
    private List<ActorRef<Answering.Ask>> keepers = List.of();
    private long last;

    private Asking(ActorContext<Command> context) {
        this.context = context;
    }

    interface Command {}

    /** Hands a call over; the answer never fails. */
    record Hand(Node.Call call, CompletableFuture<Node.Answer> answer) implements Command {}

    private record Found(List<ActorRef<Answering.Ask>> keepers) implements Command {}

    private record Late(long id) implements Command {}

    private record Open(ActorRef<Answering.Ask> keeper, CompletableFuture<Node.Answer> answer, Cancellable late) {}

    /** What became of a call that was handed over. */
    enum Outcome {
        GIVEN,
        NOT_BEGUN,
        UNAUTHORIZED,
        LOST
    }

    /**
     * Answer to a call.
     *
     * @param status HTTP status, with {@code GIVEN}
     * @param body see {@link Node.Answer.Given}
     */
    record Answered(long id, Outcome outcome, int status, byte[] body) implements Command, Carried {
        static Answered notBegun(long id) {
            return new Answered(id, Outcome.NOT_BEGUN, 0, new byte[0]);
        }

        static Answered of(long id, Node.Answer answer) {
            if (answer instanceof Node.Answer.NotBegun) {
                return notBegun(id);
            }
            if (answer instanceof Node.Answer.Unauthorized) {
                return new Answered(id, Outcome.UNAUTHORIZED, 0, new byte[0]);
            }
            // An answer that is too long would be dropped on its way.
            return answer instanceof Node.Answer.Given given && given.body().length <= Node.MAX_ANSWER_BYTES
                    ? new Answered(id, Outcome.GIVEN, given.status(), given.body())
                    : new Answered(id, Outcome.LOST, 0, new byte[0]);
        }

        Node.Answer answer() {
            return switch (outcome) {
                case GIVEN -> new Node.Answer.Given(status, body);
                case NOT_BEGUN -> new Node.Answer.NotBegun();
                case UNAUTHORIZED -> new Node.Answer.Unauthorized();
                case LOST -> new Node.Answer.Lost();
            };
        }
    }

    static Behavior<Command> create() {
        return Behaviors.setup(context -> {
            ActorRef<Receptionist.Listing> listings = context.messageAdapter(
                    Receptionist.Listing.class,
                    listing -> new Found(List.copyOf(listing.getServiceInstances(Answering.KEY))));
            context.getSystem().receptionist().tell(Receptionist.subscribe(Answering.KEY, listings));
            Asking asking = new Asking(context);
            return Behaviors.receive(Command.class)
                    .onMessage(Hand.class, asking::hand)
                    .onMessage(Found.class, asking::found)
                    .onMessage(Answered.class, answered -> asking.end(answered.id(), answered.answer()))
                    .onMessage(Late.class, late -> asking.end(late.id(), new Node.Answer.Lost()))
                    .onSignal(Terminated.class, asking::gone)
                    .build();
        });
    }

    private Behavior<Command> found(Found found) {
        keepers = found.keepers();
        return Behaviors.same();
    }

    private Behavior<Command> hand(Hand hand) {
        Optional<ActorRef<Answering.Ask>> keeper = keepers.stream()
                .filter(each -> !each.path().address().hasLocalScope())
                .findFirst();
        Node.Call call = hand.call();
        if (keeper.isEmpty() || open.size() >= MOST || call.request().length > Node.MAX_REQUEST_BYTES) {
            hand.answer().complete(new Node.Answer.NotBegun());
            return Behaviors.same();
        }
        long id = ++last;
        open.put(
                id,
                new Open(keeper.get(), hand.answer(), context.scheduleOnce(PATIENCE, context.getSelf(), new Late(id))));
        // Ends the wait when the other daemon ends or is lost: without an answer then the outcome is unknown.
        context.watch(keeper.get());
        keeper.get()
                .tell(new Answering.Ask(
                        id,
                        call.token(),
                        call.named(),
                        call.client(),
                        call.request(),
                        context.getSelf().narrow()));
        return Behaviors.same();
    }

    private Behavior<Command> end(long id, Node.Answer answer) {
        Open ended = open.remove(id);
        if (ended != null) {
            ended.late().cancel();
            ended.answer().complete(answer);
        }
        return Behaviors.same();
    }

    private Behavior<Command> gone(Terminated terminated) {
        List.copyOf(open.entrySet()).stream()
                .filter(each -> each.getValue().keeper().equals(terminated.getRef()))
                .forEach(each -> end(each.getKey(), new Node.Answer.Lost()));
        return Behaviors.same();
    }
}
