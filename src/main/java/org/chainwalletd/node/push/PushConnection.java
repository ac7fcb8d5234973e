package org.chainwalletd.node.push;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.ConnectionContext;
import org.apache.pekko.http.javadsl.Http;
import org.apache.pekko.http.javadsl.OutgoingConnection;
import org.apache.pekko.http.javadsl.OutgoingConnectionBuilder;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.sse.ServerSentEvent;
import org.apache.pekko.http.javadsl.settings.ClientConnectionSettings;
import org.apache.pekko.http.scaladsl.unmarshalling.sse.EventStreamParser;
import org.apache.pekko.japi.Pair;
import org.apache.pekko.stream.KillSwitch;
import org.apache.pekko.stream.KillSwitches;
import org.apache.pekko.stream.ThrottleMode;
import org.apache.pekko.stream.UniqueKillSwitch;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.javadsl.Keep;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.chain.Address;

/**
 * Opens push streams to one node. A stream holds at most a line, an event and the names of its addresses, whatever the node sends: long
 * lines and events end it, more than the rate below waits in the node's socket, and nudges that nobody has taken yet are merged.
 */
final class PushConnection {
    /** A node's own events have less than 100 bytes. */
    private static final int MAX_LINE = 1_024;

    private static final int MAX_EVENT = 4_096;
    private static final int BYTES_PER_SECOND = 256 * 1024;
    private static final int TOLD_PER_SECOND = 20;

    /** The stream was not opened, or has ended. */
    static final class RefusedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final int status;

        RefusedException(int status) {
            super("HTTP " + status, null, false, false);
            this.status = status;
        }

        int status() {
            return status;
        }
    }

    /** Who listens to a stream. */
    interface Listener {
        /** The node has accepted: changes from now on are told. */
        void opened();

        /** The stage completes when more may be told. */
        CompletionStage<Done> told(Nudges nudges);

        /**
         * @param failure null when the node has closed the stream, or it was closed by its switch
         */
        void ended(Throwable failure);
    }

    private final ActorSystem<?> system;
    private final URI url;
    private final Supplier<SSLContext> trust;
    private final Duration answerWithin;
    private final Duration heartbeatWithin;

    /**
     * @param trust what an https node is checked with; asked for only then
     * @param answerWithin the node accepts or refuses
     * @param heartbeatWithin a stream without a heartbeat for so long is given up
     */
    PushConnection(
            ActorSystem<?> system,
            URI url,
            Supplier<SSLContext> trust,
            Duration answerWithin,
            Duration heartbeatWithin) {
        this.system = system;
        this.url = url;
        this.trust = trust;
        this.answerWithin = answerWithin;
        this.heartbeatWithin = heartbeatWithin;
    }

    /** Never fails: what goes wrong is told to the listener, which hears {@code ended} exactly once. */
    KillSwitch open(Set<Address> addresses, Listener listener) {
        Pair<UniqueKillSwitch, CompletionStage<Done>> running = Source.single(request(addresses))
                .concat(Source.maybe())
                .via(connection())
                .initialTimeout(answerWithin)
                .flatMapConcat(response -> events(response, listener))
                .viaMat(KillSwitches.single(), Keep.right())
                .map(event -> PushEvents.read(event, addresses))
                .filterNot(Nudges::isNothing)
                .conflate(Nudges::and)
                .throttle(TOLD_PER_SECOND, Duration.ofSeconds(1))
                .mapAsync(1, listener::told)
                .toMat(Sink.ignore(), Keep.both())
                .run(system);
        running.second().whenCompleteAsync((done, failure) -> listener.ended(failure), system.executionContext());
        return running.first();
    }

    private Source<ServerSentEvent, NotUsed> events(HttpResponse response, Listener listener) {
        if (response.status().intValue() != 200) {
            response.discardEntityBytes(system);
            return Source.failed(new RefusedException(response.status().intValue()));
        }
        listener.opened();
        return response.entity()
                .withoutSizeLimit()
                .getDataBytes()
                .mapMaterializedValue(ignored -> NotUsed.getInstance())
                .throttle(
                        BYTES_PER_SECOND,
                        Duration.ofSeconds(1),
                        4 * BYTES_PER_SECOND,
                        ByteString::size,
                        ThrottleMode.shaping())
                .via(new LineWatch(MAX_LINE, heartbeatWithin))
                .via(EventStreamParser.apply(MAX_LINE, MAX_EVENT).asJava())
                .map(event -> event);
    }

    /** Literal commas, no other headers than needed: a node reads 8,192 bytes of them. */
    private HttpRequest request(Set<Address> addresses) {
        String path = url.getRawPath() == null ? "" : url.getRawPath().replaceAll("/+$", "");
        String list = addresses.stream().map(Address::hex).collect(Collectors.joining(","));
        return HttpRequest.GET(path + "/sse?addresses=" + list + "&tips=1");
    }

    private Flow<HttpRequest, HttpResponse, CompletionStage<OutgoingConnection>> connection() {
        boolean secure = url.getScheme().equalsIgnoreCase("https");
        int port = url.getPort() >= 0 ? url.getPort() : secure ? 443 : 80;
        ClientConnectionSettings settings = ClientConnectionSettings.create(system.classicSystem())
                .withConnectingTimeout(answerWithin)
                .withIdleTimeout(scala.concurrent.duration.Duration.Inf())
                .withUserAgentHeader(Optional.empty());
        OutgoingConnectionBuilder to =
                Http.get(system).connectionTo(url.getHost()).toPort(port).withClientConnectionSettings(settings);
        return secure
                ? to.withCustomHttpsConnectionContext(ConnectionContext.httpsClient(trust.get()))
                        .https()
                : to.http();
    }
}
