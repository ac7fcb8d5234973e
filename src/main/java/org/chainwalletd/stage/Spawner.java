package org.chainwalletd.stage;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;

/** How a package has its actors put under the guardian, which it does not know. */
@FunctionalInterface
public interface Spawner {
    <T> ActorRef<T> spawn(Behavior<T> behavior, String name);
}
