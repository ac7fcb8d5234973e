package org.chainwalletd.http;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.event.Logging;
import org.apache.pekko.event.LoggingAdapter;
import org.apache.pekko.http.impl.engine.http2.Http2;
import org.apache.pekko.http.impl.engine.http2.Http2Blueprint;
import org.apache.pekko.http.impl.engine.http2.Http2Compliance;
import org.apache.pekko.http.impl.engine.http2.Http2Protocol;
import org.apache.pekko.http.impl.engine.http2.TelemetrySpi;
import org.apache.pekko.http.impl.engine.server.ServerTerminator;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.scaladsl.Http;
import org.apache.pekko.http.scaladsl.settings.ServerSettings;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.util.ByteString;
import scala.Function1;
import scala.collection.immutable.Nil$;
import scala.concurrent.Future;
import scala.concurrent.duration.FiniteDuration;
import scala.jdk.javaapi.FutureConverters;

/**
 * HTTP/2 over bare bytes, with or without TLS beneath.
 *
 * <p>Pekko HTTP has no public way to put a stage beneath its HTTP/2 server, which {@link ConnectionGuard} needs, so this class, and only
 * it, takes the HTTP/2 layer from Pekko's internals. Both versions are pinned in the build; {@code TlsServerTest} notices a change.
 */
final class Http2Layer {
    /** RFC 9113, section 7: the client does what costs too much. */
    private static final int ENHANCE_YOUR_CALM = 11;

    private static final FiniteDuration LONGER_THAN_ANY_DRAIN = FiniteDuration.create(1, TimeUnit.HOURS);
    private static final Duration ANSWERS_FIRST = Duration.ofMillis(200);

    /** Only hands the answer over to the connection's stage. */
    private static final Executor ON_COMPLETING_THREAD = Runnable::run;

    private final ActorSystem<?> system;
    private final HttpHandler handler;
    private final ServerSettings settings;
    private final LoggingAdapter log;

    Http2Layer(ActorSystem<?> system, HttpHandler handler, ServerSettings settings) {
        this.system = system;
        this.handler = handler;
        this.settings = settings;
        this.log = Logging.getLogger(system.classicSystem(), Http2Layer.class);
    }

    Flow<ByteString, ByteString, NotUsed> on(Connection connection) {
        Http2Streams streams = new Http2Streams();
        connection.speaksHttp2();
        connection.whenGivenUp(streams::giveUp);
        connection.presence().whenLeft(streams::close);
        Function1<
                        org.apache.pekko.http.scaladsl.model.HttpRequest,
                        Future<org.apache.pekko.http.scaladsl.model.HttpResponse>>
                answers = request -> FutureConverters.asScala(answer(request, connection, streams));
        var requests = Http2Blueprint.handleWithStreamIdHeader(
                settings.http2Settings().maxConcurrentStreams(), answers, system.executionContext());
        var stack = Http2Blueprint.serverStack(
                settings,
                log,
                none(),
                false,
                TelemetrySpi.create(system.classicSystem()),
                Http.apply(system.classicSystem()).dateHeaderRendering());
        Flow<ByteString, ByteString, NotUsed> http = stack.mapMaterializedValue(
                        terminator -> drainable(terminator, connection))
                .reversed()
                .join(requests)
                .asJava();
        Http2FrameWatch watch = new Http2FrameWatch(streams::reset);
        return Flow.<ByteString>create().map(bytes -> read(watch, bytes)).via(http);
    }

    /** The client's settings are those that it sends itself. */
    @SuppressWarnings("unchecked")
    private static <T> scala.collection.immutable.Seq<T> none() {
        return (scala.collection.immutable.Seq<T>) (Object) Nil$.MODULE$;
    }

    private static ByteString read(Http2FrameWatch watch, ByteString bytes) {
        if (!watch.read(bytes)) {
            throw new Http2Compliance.Http2ProtocolException(
                    Http2Protocol.ErrorCode$.MODULE$.byId(ENHANCE_YOUR_CALM), "a header block is too costly");
        }
        return bytes;
    }

    /**
     * The polite end is GOAWAY, sent a moment after the last answer: it overtakes answers that are on their way, and a client of the JDK
     * then takes them for lost.
     */
    private NotUsed drainable(ServerTerminator terminator, Connection connection) {
        Runnable goAway = () -> terminator.terminate(LONGER_THAN_ANY_DRAIN, system.executionContext());
        connection.drainsBy(() -> system.scheduler().scheduleOnce(ANSWERS_FIRST, goAway, system.executionContext()));
        return NotUsed.getInstance();
    }

    private CompletionStage<org.apache.pekko.http.scaladsl.model.HttpResponse> answer(
            org.apache.pekko.http.scaladsl.model.HttpRequest request, Connection connection, Http2Streams streams) {
        Http2Streams.Exchange exchange = streams.begin(streamOf(request));
        CompletableFuture<HttpResponse> answer = exchange.answer();
        RequestStage.answer(handler, request, connection, exchange.presence())
                .whenCompleteAsync(
                        (response, failure) -> answer.complete(RequestStage.orFailure(response, failure)),
                        ON_COMPLETING_THREAD);
        return answer.thenApplyAsync(
                response -> {
                    streams.end(exchange);
                    connection.answered();
                    return (org.apache.pekko.http.scaladsl.model.HttpResponse) response;
                },
                ON_COMPLETING_THREAD);
    }

    private static int streamOf(org.apache.pekko.http.scaladsl.model.HttpRequest request) {
        return (Integer) request.attributes().apply(Http2.streamId());
    }
}
