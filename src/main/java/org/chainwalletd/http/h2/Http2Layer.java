package org.chainwalletd.http.h2;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.event.NoLogging;
import org.apache.pekko.http.impl.engine.http2.Http2;
import org.apache.pekko.http.impl.engine.http2.Http2Blueprint;
import org.apache.pekko.http.impl.engine.http2.Http2Compliance;
import org.apache.pekko.http.impl.engine.http2.Http2Protocol;
import org.apache.pekko.http.impl.engine.http2.TelemetrySpi;
import org.apache.pekko.http.impl.engine.server.ServerTerminator;
import org.apache.pekko.http.javadsl.model.HttpEntities;
import org.apache.pekko.http.javadsl.model.HttpEntity;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.http.javadsl.model.ResponseEntity;
import org.apache.pekko.http.scaladsl.Http;
import org.apache.pekko.http.scaladsl.settings.ServerSettings;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.stage.AbstractInOutHandler;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.TimerGraphStageLogic;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.config.Settings;
import org.chainwalletd.http.door.Connection;
import org.chainwalletd.http.door.ConnectionGuard;
import org.chainwalletd.http.door.HttpHandler;
import org.chainwalletd.http.door.MemoryReservation;
import org.chainwalletd.http.door.Responses;
import org.chainwalletd.http.h1.PekkoHttp;
import org.chainwalletd.http.h1.RequestStage;
import scala.Function1;
import scala.collection.immutable.Nil$;
import scala.concurrent.Future;
import scala.concurrent.duration.FiniteDuration;
import scala.jdk.javaapi.FutureConverters;

/**
 * HTTP/2 over plain bytes, with or without TLS beneath.
 *
 * <p>Pekko HTTP has no public way to place a stage beneath its HTTP/2 server, which {@link ConnectionGuard} and {@link Http2Guard} need. So this
 * class uses the HTTP/2 layer, and {@link Http2Head} the path parser, from Pekko's internals; no other class does. Both versions are pinned in the
 * build; {@code TlsServerTest} detects a change.
 */
public final class Http2Layer {
    /** Number of bytes of a response that Pekko takes ahead of its client: two frames, and the piece that exceeds them. */
    private static final int AHEAD = 48 << 10;

    /** Keeps Pekko's log lines out, whose text the client controls. {@link Http2GuardStage} counts refusals. */
    private static final Attributes SILENT =
            Attributes.createLogLevels(Attributes.logLevelOff(), Attributes.logLevelOff(), Attributes.logLevelOff());

    private static final FiniteDuration LONGER_THAN_ANY_DRAIN = FiniteDuration.create(1, TimeUnit.HOURS);
    private static final Duration ANSWERS_FIRST = Duration.ofMillis(200);

    /** Executor that runs on the completing thread, which only passes the response to the connection's stage. */
    private static final Executor ON_COMPLETING_THREAD = Runnable::run;

    private final ActorSystem<?> system;
    private final HttpHandler handler;
    private final Settings.Http2 limits;
    private final Consumer<String> refused;
    private final ServerSettings settings;

    /** @param refused called with the reason when a connection is cut off */
    public Http2Layer(ActorSystem<?> system, HttpHandler handler, Settings.Http2 limits, Consumer<String> refused) {
        this.system = system;
        this.handler = handler;
        this.limits = limits;
        this.refused = refused;
        this.settings = (ServerSettings) PekkoHttp.settings(system, limits.maxStreams());
    }

    public Flow<ByteString, ByteString, NotUsed> on(Connection connection) {
        MemoryReservation held = connection.holder();
        Http2Streams streams = new Http2Streams(held);
        Http2Guard guard = new Http2Guard(limits, streams, held, System::nanoTime);
        connection.speaksHttp2();
        connection.isBelow(guard.within(connection.limits()));
        connection.ending().givesUpBy(streams::giveUp);
        connection.presence().whenLeft(streams::close);
        Function1<
                        org.apache.pekko.http.scaladsl.model.HttpRequest,
                        Future<org.apache.pekko.http.scaladsl.model.HttpResponse>>
                answers = request -> FutureConverters.asScala(answer(request, connection, streams));
        var requests = Http2Blueprint.handleWithStreamIdHeader(
                settings.http2Settings().maxConcurrentStreams(), answers, system.executionContext());
        var stack = Http2Blueprint.serverStack(
                settings,
                NoLogging.getInstance(),
                none(),
                false,
                TelemetrySpi.create(system.classicSystem()),
                Http.apply(system.classicSystem()).dateHeaderRendering());
        Flow<ByteString, ByteString, NotUsed> http = stack.mapMaterializedValue(
                        terminator -> drainable(terminator, connection))
                .reversed()
                .join(requests)
                .asJava();
        return Flow.fromGraph(new Http2GuardStage(
                        guard, refused, () -> connection.ending().lastWord().run()))
                .via(http)
                .map(frame -> {
                    guard.written(frame);
                    return frame;
                })
                .addAttributes(SILENT);
    }

    /** Uses the settings that the client itself sends. */
    @SuppressWarnings("unchecked")
    private static <T> scala.collection.immutable.Seq<T> none() {
        return (scala.collection.immutable.Seq<T>) (Object) Nil$.MODULE$;
    }

    /** Failure with which Pekko's HTTP/2 server ends a connection and sends the matching GOAWAY. */
    private static RuntimeException failure(Http2Violation violation) {
        return new Http2Compliance.Http2ProtocolException(
                Http2Protocol.ErrorCode$.MODULE$.byId(violation.code().number()), violation.getMessage());
    }

    /**
     * Sends GOAWAY a moment after the last response: it would overtake responses in transit, and the JDK's client would then treat these as lost.
     */
    private NotUsed drainable(ServerTerminator terminator, Connection connection) {
        Runnable goAway = () -> terminator.terminate(LONGER_THAN_ANY_DRAIN, system.executionContext());
        connection
                .ending()
                .saysGoodbyeBy(() -> system.scheduler().scheduleOnce(ANSWERS_FIRST, goAway, system.executionContext()));
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
                    HttpResponse held = held(response, exchange.stream(), streams);
                    streams.end(exchange);
                    connection.answered();
                    return (org.apache.pekko.http.scaladsl.model.HttpResponse) held;
                },
                ON_COMPLETING_THREAD);
    }

    /**
     * Returns the response with the bytes that Pekko may buffer counted until they are written. Pieces are copied as they are emitted; otherwise the
     * last ones would retain the whole response as long as the client does not read them.
     */
    private HttpResponse held(HttpResponse response, int stream, Http2Streams streams) {
        ResponseEntity entity = response.entity();
        long length = entity.getContentLengthOption().orElse(AHEAD);
        if (!streams.unread(stream, (int) Math.min(length, AHEAD))) {
            refused.accept("memory");
            response.discardEntityBytes(system);
            return Responses.refusal(503, "the daemon holds too much for its clients at the moment");
        }
        if (entity instanceof HttpEntity.Default) {
            return response.withEntity(HttpEntities.create(
                    entity.getContentType(), length, entity.getDataBytes().map(ByteString::compact)));
        }
        return response;
    }

    private static int streamOf(org.apache.pekko.http.scaladsl.model.HttpRequest request) {
        return (Integer) request.attributes().apply(Http2.streamId());
    }

    /**
     * Passes on what {@link Http2Guard} permits; on a violation it first passes on what came before, then fails. The stage beneath is cancelled a
     * moment later: TLS ends with the cancellation, and GOAWAY would be lost.
     */
    private static final class Http2GuardStage extends GraphStage<FlowShape<ByteString, ByteString>> {
        private static final Duration GO_AWAY_FIRST = Duration.ofMillis(200);

        private final Inlet<ByteString> in = Inlet.create("bytes");
        private final Outlet<ByteString> out = Outlet.create("guarded");
        private final FlowShape<ByteString, ByteString> shape = FlowShape.of(in, out);
        private final Http2Guard guard;
        private final Consumer<String> refused;
        private final Runnable lastWord;

        /**
         * @param refused called with the reason when the connection is cut off
         * @param lastWord run when no more is read, for any reason
         */
        Http2GuardStage(Http2Guard guard, Consumer<String> refused, Runnable lastWord) {
            this.guard = guard;
            this.refused = refused;
            this.lastWord = lastWord;
        }

        @Override
        public FlowShape<ByteString, ByteString> shape() {
            return shape;
        }

        @Override
        public GraphStageLogic createLogic(Attributes attributes) {
            return new Logic();
        }

        private final class Logic extends TimerGraphStageLogic {
            Logic() {
                super(shape);
                setHandlers(in, out, new AbstractInOutHandler() {
                    @Override
                    public void onPush() {
                        ByteString bytes = grab(in);
                        if (isClosed(out)) {
                            return;
                        }
                        Http2Guard.Read read = guard.read(bytes);
                        if (read.passed().nonEmpty()) {
                            push(out, read.passed());
                        }
                        read.violation().ifPresent(Logic.this::end);
                        if (read.passed().isEmpty() && read.violation().isEmpty()) {
                            pull(in);
                        }
                    }

                    @Override
                    public void onPull() {
                        pull(in);
                    }

                    @Override
                    public void onDownstreamFinish(Throwable cause) {
                        readNoMore();
                    }
                });
            }

            private void end(Http2Violation violation) {
                refused.accept(violation.refusal());
                fail(out, failure(violation));
                readNoMore();
            }

            private void readNoMore() {
                lastWord.run();
                scheduleOnce(GO_AWAY_FIRST, GO_AWAY_FIRST);
            }

            @Override
            public void onTimer(Object key) {
                completeStage();
            }
        }
    }
}
