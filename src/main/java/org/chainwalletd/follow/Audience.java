package org.chainwalletd.follow;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.stream.javadsl.SourceQueueWithComplete;

/**
 * Who hears of the chain. Owned by the walker, and the one thing that outlives its restarts; only the newest tip is read by others.
 */
final class Audience {
    private final AtomicReference<FollowedTip> tip = new AtomicReference<>();
    private final Set<ActorRef<? super FollowEvent>> subscribers = new LinkedHashSet<>();
    private final List<SourceQueueWithComplete<FollowedTip>> queues = new ArrayList<>();

    /** The newest that was told; safe for threads. */
    Optional<FollowedTip> tip() {
        return Optional.ofNullable(tip.get());
    }

    Set<ActorRef<? super FollowEvent>> subscribers() {
        return Set.copyOf(subscribers);
    }

    void subscribe(ActorRef<? super FollowEvent> subscriber) {
        subscribers.add(subscriber);
        tip().ifPresent(now -> subscriber.tell(new FollowEvent.Standing(now)));
    }

    void leave(ActorRef<? super FollowEvent> subscriber) {
        subscribers.remove(subscriber);
    }

    void watch(SourceQueueWithComplete<FollowedTip> queue) {
        queues.add(queue);
        tip().ifPresent(queue::offer);
    }

    void leave(SourceQueueWithComplete<FollowedTip> queue) {
        queues.remove(queue);
    }

    void hear(FollowEvent event) {
        subscribers.forEach(subscriber -> subscriber.tell(event));
    }

    /** After the events that led there. */
    void stand(FollowedTip now) {
        tip.set(now);
        queues.forEach(queue -> queue.offer(now));
    }
}
