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
 * Dependencies shared by all parts of the daemon.
 *
 * @param heldForPeers combined budget for bytes buffered on behalf of nodes and clients
 * @param clock clock of this machine
 * @param keeper starts and stops background work; parts register theirs before it starts
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

    /** Reports that an essential thread has ended, so that the daemon gives up. */
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
