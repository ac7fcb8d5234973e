package org.chainwalletd.stage;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;

/** Spawns actors of a package under the guardian actor, so that the package does not depend on it. */
@FunctionalInterface
public interface Spawner {
    <T> ActorRef<T> spawn(Behavior<T> behavior, String name);
}
