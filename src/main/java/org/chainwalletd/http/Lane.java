package org.chainwalletd.http;

import java.util.concurrent.Executor;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.DispatcherSelector;
import org.apache.pekko.stream.ActorAttributes;
import org.apache.pekko.stream.Attributes;

/**
 * The threads on which the streams of some connections run. Each step of a request waits for its turn on them, behind one step of every other
 * connection that has something to do; so the connections of an address that has very many have threads of their own, and the system
 * shares the processor between both kinds.
 *
 * @param attributes put a stream there
 * @param executor of the same threads
 */
record Lane(Attributes attributes, Executor executor) {
    /** About three calls: a client that sends requests ahead has its turn as often as others, and no longer. */
    private static final Attributes SHORT_TURNS = ActorAttributes.syncProcessingLimit(200);

    /** In {@code application.conf}. */
    private static final String CROWD = "pekko.actor.crowd-dispatcher";

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
