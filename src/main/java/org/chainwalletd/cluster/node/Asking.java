package org.chainwalletd.cluster.node;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.actor.Cancellable;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Terminated;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.receptionist.Receptionist;
import org.chainwalletd.cluster.Node;

/**
 * Forwards calls to the daemon that does the background work, and waits for their answers. A call whose daemon replies that it does not do that work
 * is forwarded again unchanged: the reply may be forged, and that daemon may be executing the call.
 */
final class Asking {
    /** Time after which a call counts as lost. */
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    /** Delay between two attempts to find the daemon that does the background work. */
    private static final Duration RETRY_DELAY = Duration.ofMillis(200);
    /** Maximum number of attempts; no daemon begins a call that is older than they take. */
    private static final int MAX_ATTEMPTS = 45;
    /** Maximum number of waiting calls; further ones are not forwarded. */
    private static final int MAX_OPEN = 256;
    /** Maximum total length of their requests, in bytes. */
    private static final long MAX_OPEN_BYTES = 16L << 20;

    private final ActorContext<Handed.ToAsking> context;
    private final Map<Long, Open> open = new HashMap<>();
    private List<ActorRef<Handed.Ask>> keepers = List.of();
    private long last;
    private long openBytes;

    private Asking(ActorContext<Handed.ToAsking> context) {
        this.context = context;
    }

    /** Forwards a call; the future never fails. */
    record Hand(Node.Call call, CompletableFuture<Node.Answer> answer) implements Handed.ToAsking {}

    private record Found(List<ActorRef<Handed.Ask>> keepers) implements Handed.ToAsking {}

    private record TimedOut(long id) implements Handed.ToAsking {}

    private record Retry(long id) implements Handed.ToAsking {}

    private static final class Open {
        final Hand hand;
        final Cancellable timeout;
        /** Daemon whose answer is awaited; null between two attempts. */
        ActorRef<Handed.Ask> keeper;
        /** Daemon that replied last that it does not do the work. */
        ActorRef<Handed.Ask> refused;

        int attempts;

        Open(Hand hand, Cancellable timeout) {
            this.hand = hand;
            this.timeout = timeout;
        }
    }

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
                    .onMessage(Handed.Answered.class, asking::answered)
                    .onMessage(Retry.class, retry -> asking.ask(retry.id()))
                    .onMessage(TimedOut.class, timedOut -> asking.end(timedOut.id(), new Node.Answer.Lost()))
                    .onSignal(Terminated.class, asking::terminated)
                    .build();
        });
    }

    private Behavior<Handed.ToAsking> found(Found found) {
        keepers = found.keepers();
        return Behaviors.same();
    }

    private Behavior<Handed.ToAsking> hand(Hand hand) {
        if (keepers.isEmpty()
                || open.size() >= MAX_OPEN
                || hand.call().request().length > Node.MAX_REQUEST_BYTES
                || openBytes + hand.call().request().length > MAX_OPEN_BYTES) {
            hand.answer().complete(new Node.Answer.NotBegun());
            return Behaviors.same();
        }
        openBytes += hand.call().request().length;
        long id = ++last;
        open.put(id, new Open(hand, context.scheduleOnce(TIMEOUT, context.getSelf(), new TimedOut(id))));
        return ask(id);
    }

    private Behavior<Handed.ToAsking> ask(long id) {
        Open asked = open.get(id);
        if (asked == null) {
            return Behaviors.same();
        }
        if (keepers.isEmpty()) {
            return retry(id, asked);
        }
        asked.keeper = keepers.stream()
                .filter(each -> !each.equals(asked.refused))
                .findFirst()
                .orElse(keepers.get(0));
        // Ends the wait when the other daemon ends or is lost; the outcome of a call without an answer is unknown.
        context.watch(asked.keeper);
        Node.Call call = asked.hand.call();
        asked.keeper.tell(new Handed.Ask(
                id,
                call.token(),
                call.named(),
                call.client(),
                call.millis(),
                call.request(),
                context.getSelf().narrow()));
        return Behaviors.same();
    }

    private Behavior<Handed.ToAsking> retry(long id, Open asked) {
        asked.refused = asked.keeper;
        asked.keeper = null;
        if (++asked.attempts >= MAX_ATTEMPTS) {
            return end(id, new Node.Answer.Lost());
        }
        context.scheduleOnce(RETRY_DELAY, context.getSelf(), new Retry(id));
        return Behaviors.same();
    }

    private Behavior<Handed.ToAsking> answered(Handed.Answered answered) {
        Open asked = open.get(answered.id());
        if (asked == null) {
            return Behaviors.same();
        }
        return switch (answered.outcome()) {
            case GIVEN -> end(answered.id(), new Node.Answer.Given(answered.status(), answered.body()));
            case LOST -> end(answered.id(), new Node.Answer.Lost());
            case NOT_HERE -> retry(answered.id(), asked);
        };
    }

    private Behavior<Handed.ToAsking> end(long id, Node.Answer answer) {
        Open ended = open.remove(id);
        if (ended != null) {
            openBytes -= ended.hand.call().request().length;
            ended.timeout.cancel();
            ended.hand.answer().complete(answer);
        }
        return Behaviors.same();
    }

    private Behavior<Handed.ToAsking> terminated(Terminated terminated) {
        List.copyOf(open.entrySet()).stream()
                .filter(each -> terminated.getRef().equals(each.getValue().keeper))
                .forEach(each -> end(each.getKey(), new Node.Answer.Lost()));
        return Behaviors.same();
    }
}
