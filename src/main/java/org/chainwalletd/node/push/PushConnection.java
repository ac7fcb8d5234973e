package org.chainwalletd.node.push;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import org.apache.pekko.Done;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.stream.KillSwitch;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.ThrottleMode;
import org.apache.pekko.stream.UniqueKillSwitch;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.chain.Address;
import org.chainwalletd.net.HttpAnswer;
import org.chainwalletd.net.HttpPeer;
import org.chainwalletd.net.HttpRequest;

/**
 * Opens push streams to one node. A stream holds at most a piece of bytes, a line, an event and the names of its addresses, whatever the
 * node sends: long lines and events end it, more than the rate below waits in the node's socket, and nudges that nobody has taken yet are
 * merged.
 */
final class PushConnection {
    private static final int BYTES_PER_SECOND = 256 * 1024;
    private static final int TOLD_PER_SECOND = 20;

    /** Who listens to a stream. */
    interface Listener {
        /** The node has accepted: changes from now on are told. */
        void opened();

        /** The stage completes when more may be told. */
        CompletionStage<Done> told(Nudges nudges);

        /**
         * @param failure null when the node has closed the stream, or it was closed by its switch; {@link HttpAnswer.RefusedException} for an
         *     answer that is no stream
         */
        void ended(Throwable failure);
    }

    private final ActorSystem<?> system;
    private final HttpPeer node;
    private final Duration answerWithin;
    private final Duration heartbeatWithin;

    /**
     * @param answerWithin the node accepts or refuses
     * @param heartbeatWithin a stream without a heartbeat for so long is given up
     */
    PushConnection(ActorSystem<?> system, HttpPeer node, Duration answerWithin, Duration heartbeatWithin) {
        this.system = system;
        this.node = node;
        this.answerWithin = answerWithin;
        this.heartbeatWithin = heartbeatWithin;
    }

    /** Never fails: what goes wrong is told to the listener, which hears {@code ended} exactly once. */
    KillSwitch open(Set<Address> addresses, Listener listener) {
        Pair<UniqueKillSwitch, CompletionStage<Done>> running = node.stream(
                        request(addresses), answerWithin, listener::opened)
                .throttle(
                        BYTES_PER_SECOND,
                        Duration.ofSeconds(1),
                        4 * BYTES_PER_SECOND,
                        ByteString::size,
                        ThrottleMode.shaping())
                .via(new PushEvents(addresses, answerWithin, heartbeatWithin))
                .viaMat(KillSwitches.single(), Keep.right())
                .conflate(Nudges::and)
                .throttle(TOLD_PER_SECOND, Duration.ofSeconds(1))
                .mapAsync(1, listener::told)
                .toMat(Sink.ignore(), Keep.both())
                .run(system);
        running.second().whenCompleteAsync((done, failure) -> listener.ended(failure), system.executionContext());
        return running.first();
    }

    /** Literal commas, no other headers than needed: a node reads 8,192 bytes of them. */
    private static HttpRequest request(Set<Address> addresses) {
        String list = addresses.stream().map(Address::hex).collect(Collectors.joining(","));
        return HttpRequest.get("/sse?addresses=" + list + "&tips=1");
    }
}
