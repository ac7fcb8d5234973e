package org.chainwalletd.http;

import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.Attributes;

/**
 * The threads on which the streams of some connections run. Each step of a request waits for its turn on them, behind one step of every other
 * connection that has something to do; so the connections of an address that has very many have threads of their own, and the system
 * shares the processor between both kinds.
 *
 * <p>These threads prefer what one of them has brought to what comes from elsewhere: JDK's fork-join pool looks at the work of others when a
 * thread's own has ended. So connections that always have something to do, such as requests that were sent ahead, would keep out for as long
 * as they like whoever has just said something. What goes on by itself therefore goes through {@code row}.
 *
 * @param attributes put a stream there
 * @param executor of the same threads
 * @param row runs what only brings work to these threads, and is not one of them: so the work comes from elsewhere as everybody's does
 */
record Lane(Attributes attributes, Executor executor, Executor row) {
    /** About three calls: a client that sends requests ahead has its turn as often as others, and no longer. */
    private static final Attributes SHORT_TURNS = ActorAttributes.syncProcessingLimit(200);

    /** In {@code application.conf}. */
    private static final String CROWD = "pekko.actor.crowd-dispatcher";

    /** Where nothing goes on by itself. */
    Lane(Attributes attributes, Executor executor) {
        this(attributes, executor, Runnable::run);
    }

    /** The same with the thread that hears what comes from elsewhere. When that has ended, so have the connections. */
    Lane behind(Executor thread) {
        return new Lane(attributes, executor, bringing -> {
            try {
                thread.execute(bringing);
            } catch (RejectedExecutionException e) {
                // Nobody waits for it any more.
            }
        });
    }

    /** The executor for work that is followed by more of it: in one row with what comes from elsewhere. */
    Executor inRow() {
        return work -> row.execute(() -> executor.execute(work));
    }

    /** Of those who have few connections, and of everything else in the daemon. */
    static Lane calm(ActorSystem<?> system) {
        return new Lane(SHORT_TURNS, system.dispatchers().lookup(DispatcherSelector.defaultDispatcher()));
    }

    /** Of those who have very many. */
    static Lane crowd(ActorSystem<?> system) {
        return new Lane(
                SHORT_TURNS.and(ActorAttributes.dispatcher(CROWD)),
                system.dispatchers().lookup(DispatcherSelector.fromConfig(CROWD)));
    }
}
