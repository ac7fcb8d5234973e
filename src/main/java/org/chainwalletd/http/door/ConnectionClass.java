package org.chainwalletd.http.door;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.Attributes;

/** Kind of a connection, by how many its address has. Each kind is read and served by threads of its own, so the system shares the processor between both. */
public enum ConnectionClass {
    /** Connections of addresses that have few, served by the same threads as everything else in the daemon. */
    NORMAL(ActorAttributes.syncProcessingLimit(ConnectionClass.SHORT_TURN), DispatcherSelector.defaultDispatcher()),
    /** Connections of addresses that have very many, or that come too often. */
    HEAVY(
            ActorAttributes.syncProcessingLimit(ConnectionClass.SHORT_TURN)
                    .and(ActorAttributes.dispatcher(ConnectionClass.HEAVY_DISPATCHER)),
            DispatcherSelector.fromConfig(ConnectionClass.HEAVY_DISPATCHER));

    /** About three calls: a client that sends requests ahead has its turn as often as others, and no longer. */
    private static final int SHORT_TURN = 200;

    /** Path of the dispatcher in {@code application.conf}. */
    private static final String HEAVY_DISPATCHER = "pekko.actor.heavy-dispatcher";

    private final Attributes attributes;
    private final DispatcherSelector dispatcher;

    ConnectionClass(Attributes attributes, DispatcherSelector dispatcher) {
        this.attributes = attributes;
        this.dispatcher = dispatcher;
    }

    public Threads threads(ActorSystem<?> system) {
        return new Threads(attributes, system.dispatchers().lookup(dispatcher));
    }

    /**
     * Threads on which the streams of connections of one class run. Each step of a request waits for its turn on them, behind one step of every
     * other connection that has something to do.
     *
     * <p>These threads prefer what one of them has brought to what comes from elsewhere: JDK's fork-join pool looks at the work of others when a
     * thread's own has ended. So connections that always have something to do, such as requests that were sent ahead, would keep out for as long
     * as they like whoever has just said something. What goes on by itself therefore goes through {@code queue}.
     *
     * @param attributes put a stream there
     * @param executor of the same threads
     * @param queue runs what only brings work to these threads, and is not one of them: so the work comes from elsewhere as everybody's does
     */
    public record Threads(Attributes attributes, Executor executor, Executor queue) {
        /** Creates threads to which other threads hand work directly. */
        Threads(Attributes attributes, Executor executor) {
            this(attributes, executor, Runnable::run);
        }

        /** Returns these threads with {@code thread} as the queue for work from elsewhere. When that thread has ended, so have the connections. */
        Threads behind(Executor thread) {
            return new Threads(attributes, executor, bringing -> {
                try {
                    thread.execute(bringing);
                } catch (RejectedExecutionException e) {
                    // No client waits for it any more.
                }
            });
        }

        /** The executor for work that is followed by more of it: in one queue with what comes from elsewhere. */
        Executor inQueue() {
            return work -> queue.execute(() -> executor.execute(work));
        }
    }
}
