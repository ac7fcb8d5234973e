package org.chainwalletd.keyring;

import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;

/** How boot puts the keyring's actors under its guardian. */
@FunctionalInterface
public interface Spawner {
    <T> ActorRef<T> spawn(Behavior<T> behavior, String name);
}
