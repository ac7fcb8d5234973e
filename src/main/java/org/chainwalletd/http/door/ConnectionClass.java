package org.chainwalletd.http.door;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.Attributes;

/** Class of a connection, by the number of connections of its address. Each class has its own threads, so the system divides the processor fairly. */
public enum ConnectionClass {
    /** Connections of addresses with few connections, served by the same threads as everything else in the daemon. */
    NORMAL(ActorAttributes.syncProcessingLimit(ConnectionClass.SHORT_TURN), DispatcherSelector.defaultDispatcher()),
    /** Connections of addresses with very many connections, or that connect too often. */
    HEAVY(
            ActorAttributes.syncProcessingLimit(ConnectionClass.SHORT_TURN)
                    .and(ActorAttributes.dispatcher(ConnectionClass.HEAVY_DISPATCHER)),
            DispatcherSelector.fromConfig(ConnectionClass.HEAVY_DISPATCHER));

    /** About three calls: a client that pipelines requests gets its turn as often as others, and no longer turns. */
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
     * Threads on which the streams of one connection class run. Each step of a request waits there for its turn, behind one step of every other
     * connection that has work.
     *
     * <p>The JDK's fork-join pool prefers tasks submitted by its own threads: a thread takes external tasks only once its own queue is empty. So
     * connections that always have work, such as pipelined requests, could delay newly arrived requests indefinitely. Work that generates itself
     * therefore goes through {@code queue}.
     *
     * @param attributes runs a stream on these threads
     * @param executor executor of the same threads
     * @param queue executor outside these threads that only submits work to them, so that it counts as external like everyone else's
     */
    public record Threads(Attributes attributes, Executor executor, Executor queue) {
        /** Creates threads to which other threads submit work directly. */
        Threads(Attributes attributes, Executor executor) {
            this(attributes, executor, Runnable::run);
        }

        /** Returns these threads with {@code thread} as the queue for external work. Once that thread has ended, so have the connections. */
        Threads behind(Executor thread) {
            return new Threads(attributes, executor, bringing -> {
                try {
                    thread.execute(bringing);
                } catch (RejectedExecutionException e) {
                    // No client waits for this work any more.
                }
            });
        }

        /** Returns the executor for work that is followed by more work: it shares one queue with external work. */
        Executor inQueue() {
            return work -> queue.execute(() -> executor.execute(work));
        }
    }
}
