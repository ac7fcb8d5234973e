package org.chainwalletd.testkit;

import java.util.function.Consumer;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.chainwalletd.keeper.Background;
import org.chainwalletd.stage.Spawner;

/** Spawners that start the actors of a package in the test kit. */
public final class Spawners {
    private Spawners() {}

    /** Returns background work that runs as soon as it is begun. */
    public static Background background(ActorTestKit kit) {
        return new Background() {
            @Override
            public <T> ActorRef<T> begin(String name, Behavior<T> work, Consumer<? super T> whileStopped) {
                return kit.spawn(work);
            }
        };
    }

    /** Returns a spawner that generates the names, so that a package can be started several times. */
    public static Spawner of(ActorTestKit kit) {
        return new Spawner() {
            @Override
            public <T> ActorRef<T> spawn(Behavior<T> behavior, String name) {
                return kit.spawn(behavior);
            }
        };
    }
}
