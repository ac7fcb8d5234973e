package org.chainwalletd.cluster.node;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.TimerScheduler;
import org.apache.pekko.actor.typed.pubsub.Topic;
import org.chainwalletd.cluster.Node;

/** Publishes this daemon's hints, at most the newest of each kind every few milliseconds, and receives those of the others. */
final class Hinting {
    private static final Duration PAUSE = Duration.ofMillis(5);

    private final ActorRef<Topic.Command<Hinted>> topic;
    private final TimerScheduler<Command> timers;
    private final String own;
    private final Node.Duties duties;
    private final Map<String, Long> newest = new HashMap<>();
    private boolean pausing;

    private Hinting(ActorContext<Command> context, TimerScheduler<Command> timers, String own, Node.Duties duties) {
        this.topic = context.spawn(Topic.create(Hinted.class, "hints"), "topic");
        this.timers = timers;
        this.own = own;
        this.duties = duties;
        topic.tell(Topic.subscribe(context.messageAdapter(Hinted.class, Heard::new)));
    }

    interface Command {}

    record Tell(Node.Hint hint) implements Command {}

    private record Heard(Hinted hinted) implements Command {}

    private enum Pause implements Command {
        OVER
    }

    /**
     * Hint sent by a daemon.
     *
     * @param from address of its node
     */
    record Hinted(String from, String of, long number) implements Carried {}

    /** @param own address of this node */
    static Behavior<Command> create(String own, Node.Duties duties) {
        return Behaviors.setup(context -> Behaviors.withTimers(timers -> {
            Hinting hinting = new Hinting(context, timers, own, duties);
            return Behaviors.receive(Command.class)
                    .onMessage(Tell.class, hinting::tell)
                    .onMessage(Heard.class, hinting::hear)
                    .onMessage(Pause.class, over -> hinting.publish())
                    .build();
        }));
    }

    private Behavior<Command> tell(Tell tell) {
        newest.merge(tell.hint().of(), tell.hint().number(), Math::max);
        return pausing ? Behaviors.same() : publish();
    }

    private Behavior<Command> publish() {
        pausing = !newest.isEmpty();
        newest.forEach((of, number) -> topic.tell(Topic.publish(new Hinted(own, of, number))));
        newest.clear();
        if (pausing) {
            timers.startSingleTimer(Pause.OVER, PAUSE);
        }
        return Behaviors.same();
    }

    private Behavior<Command> hear(Heard heard) {
        Hinted hinted = heard.hinted();
        if (!hinted.from().equals(own)) {
            duties.hears().accept(new Node.Hint(hinted.of(), hinted.number()));
        }
        return Behaviors.same();
    }
}
