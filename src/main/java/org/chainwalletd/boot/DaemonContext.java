package org.chainwalletd.boot;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.chainwalletd.config.Settings;
import org.chainwalletd.keeper.Keeper;
import org.chainwalletd.net.ByteBudget;
import org.chainwalletd.observe.Metrics;
import org.chainwalletd.stage.Spawner;

/**
 * Dependencies that all parts of the daemon share.
 *
 * @param heldForPeers budget of bytes buffered on behalf of nodes and clients together
 * @param clock of this machine
 * @param keeper starts background work; it runs once all of it is there
 */
record DaemonContext(
        Settings settings,
        ActorSystem<Guardian.Command> system,
        Workers workers,
        Metrics metrics,
        ByteBudget heldForPeers,
        Clock clock,
        Keeper keeper) {
    MeterRegistry meters() {
        return metrics.registry();
    }

    UnderGuardian guardian() {
        return new UnderGuardian(system);
    }

    /** Reports that an indispensable thread has ended: the daemon gives up. */
    void threadEnded(String name) {
        system.tell(new Guardian.ThreadEnded(name));
    }

    /** Spawns the actors of other packages as children of the guardian. */
    record UnderGuardian(ActorSystem<Guardian.Command> system) implements Spawner {
        @Override
        public <T> ActorRef<T> spawn(Behavior<T> behavior, String name) {
            return Guardian.spawn(system, behavior, name);
        }
    }
}
