package org.chainwalletd.stage;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;

/** Spawns a package's actors under the guardian, which the package does not know. */
@FunctionalInterface
public interface Spawner {
    <T> ActorRef<T> spawn(Behavior<T> behavior, String name);
}
