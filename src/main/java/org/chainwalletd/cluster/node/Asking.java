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

    private final ActorContext<Handed.ToAsking> context;
    private final Map<Long, Open> open = new HashMap<>();
    private List<ActorRef<Handed.Ask>> keepers = List.of();
    private long last;

    private Asking(ActorContext<Handed.ToAsking> context) {
        this.context = context;
    }

    /** Hands a call over; the answer never fails. */
    record Hand(Node.Call call, CompletableFuture<Node.Answer> answer) implements Handed.ToAsking {}

    private record Found(List<ActorRef<Handed.Ask>> keepers) implements Handed.ToAsking {}

    private record Late(long id) implements Handed.ToAsking {}

    private record Open(ActorRef<Handed.Ask> keeper, CompletableFuture<Node.Answer> answer, Cancellable late) {}

    static Behavior<Handed.ToAsking> create() {
        return Behaviors.setup(context -> {
            ActorRef<Receptionist.Listing> listings = context.messageAdapter(
                    Receptionist.Listing.class,
                    listing -> new Found(List.copyOf(listing.getServiceInstances(Handed.KEY))));
            context.getSystem().receptionist().tell(Receptionist.subscribe(Handed.KEY, listings));
            Asking asking = new Asking(context);
            return Behaviors.receive(Handed.ToAsking.class)
                    .onMessage(Hand.class, asking::hand)
                    .onMessage(Found.class, asking::found)
                    .onMessage(Handed.Answered.class, answered -> asking.end(answered.id(), answered.answer()))
                    .onMessage(Late.class, late -> asking.end(late.id(), new Node.Answer.Lost()))
                    .onSignal(Terminated.class, asking::gone)
                    .build();
        });
    }

    private Behavior<Handed.ToAsking> found(Found found) {
        keepers = found.keepers();
        return Behaviors.same();
    }

    private Behavior<Handed.ToAsking> hand(Hand hand) {
        Optional<ActorRef<Handed.Ask>> keeper = keepers.stream()
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
                .tell(new Handed.Ask(
                        id,
                        call.token(),
                        call.named(),
                        call.client(),
                        call.millis(),
                        call.request(),
                        context.getSelf().narrow()));
        return Behaviors.same();
    }

    private Behavior<Handed.ToAsking> end(long id, Node.Answer answer) {
        Open ended = open.remove(id);
        if (ended != null) {
            ended.late().cancel();
            ended.answer().complete(answer);
        }
        return Behaviors.same();
    }

    private Behavior<Handed.ToAsking> gone(Terminated terminated) {
        List.copyOf(open.entrySet()).stream()
                .filter(each -> each.getValue().keeper().equals(terminated.getRef()))
                .forEach(each -> end(each.getKey(), new Node.Answer.Lost()));
        return Behaviors.same();
    }
}
