package org.chainwalletd.http;

import java.util.Optional;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.http.javadsl.model.HttpRequest;
import org.apache.pekko.http.javadsl.model.HttpResponse;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.javadsl.BidiFlow;
import org.apache.pekko.stream.javadsl.Flow;
import org.apache.pekko.stream.stage.AbstractInOutHandler;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.http.door.Connection;
import org.chainwalletd.http.door.HttpHandler;
import org.chainwalletd.http.door.Listener;
import org.chainwalletd.http.h1.HttpLayers;
import org.chainwalletd.http.h1.RequestFraming;
import org.chainwalletd.http.h1.RequestGate;
import org.chainwalletd.http.h1.RequestStage;
import org.chainwalletd.http.h2.Http2Layer;

/**
 * HTTP/1.1 without TLS, and HTTP/2 where it is offered, told apart by the first bytes: a client that speaks HTTP/2 knows beforehand that
 * the daemon does (RFC 9113, section 3.3). The upgrade from HTTP/1.1, which that document has withdrawn, is ignored.
 */
final class PlainLayers implements Listener.Protocol {
    private final HttpHandler handler;
    private final BidiFlow<HttpResponse, ByteString, ByteString, HttpRequest, NotUsed> http1;
    private final Optional<Http2Layer> http2;

    /** @param http2 empty: not offered */
    PlainLayers(ActorSystem<?> system, HttpHandler handler, Optional<Http2Layer> http2) {
        this.handler = handler;
        this.http1 = HttpLayers.plain(system);
        this.http2 = http2;
    }

    /** A whole head, or something that is none, such as the preface of HTTP/2. */
    @Override
    public boolean isEnough(ByteString said) {
        RequestFraming framing = new RequestFraming(Integer.MAX_VALUE);
        framing.add(said);
        return framing.read().nonEmpty() || framing.fault().isPresent();
    }

    @Override
    public Flow<ByteString, ByteString, NotUsed> on(Connection connection) {
        return http2.map(offered -> either(offered, connection)).orElseGet(() -> http1(connection));
    }

    private Flow<ByteString, ByteString, NotUsed> either(Http2Layer http2, Connection connection) {
        return Flow.fromGraph(new Http2Preface())
                .flatMapPrefix(
                        1,
                        first -> Flow.<ByteString>create()
                                .prepend(HttpLayers.handingOver(first))
                                .via(
                                        !first.isEmpty() && Http2Preface.begins(first.get(0))
                                                ? http2.on(connection)
                                                : http1(connection)))
                .mapMaterializedValue(chosen -> NotUsed.getInstance());
    }

    private Flow<ByteString, ByteString, NotUsed> http1(Connection connection) {
        connection.speaksHttp1();
        return BidiFlow.fromGraph(new RequestGate(connection))
                .join(http1.reversed().join(Flow.fromGraph(new RequestStage(connection, handler))));
    }

    /**
     * Holds the first bytes of a connection back until they tell whether its client speaks HTTP/2, then hands them over as one piece: at most
     * two bytes are ever held. {@code PRI} begins the preface of HTTP/2 (RFC 9113, section 3.4) and is no method of HTTP/1.
     */
    private static final class Http2Preface extends GraphStage<FlowShape<ByteString, ByteString>> {
        private static final ByteString TELLING = ByteString.fromString("PRI");

        private final Inlet<ByteString> in = Inlet.create("bytes");
        private final Outlet<ByteString> out = Outlet.create("told");
        private final FlowShape<ByteString, ByteString> shape = FlowShape.of(in, out);

        /** Whether a connection that begins with these bytes speaks HTTP/2; they must be enough to tell. */
        static boolean begins(ByteString first) {
            return first.startsWith(TELLING, 0);
        }

        @Override
        public FlowShape<ByteString, ByteString> shape() {
            return shape;
        }

        @Override
        public GraphStageLogic createLogic(Attributes attributes) {
            return new Logic();
        }

        private final class Logic extends GraphStageLogic {
            private ByteString held = ByteString.emptyByteString();
            private boolean told;

            Logic() {
                super(shape);
                setHandlers(in, out, new AbstractInOutHandler() {
                    @Override
                    public void onPush() {
                        if (told) {
                            push(out, grab(in));
                            return;
                        }
                        held = held.concat(grab(in));
                        if (held.length() < TELLING.length() && TELLING.startsWith(held, 0)) {
                            pull(in);
                        } else {
                            tell();
                        }
                    }

                    @Override
                    public void onPull() {
                        pull(in);
                    }

                    @Override
                    public void onUpstreamFinish() {
                        if (!told && held.nonEmpty() && isAvailable(out)) {
                            tell();
                        }
                        completeStage();
                    }
                });
            }

            private void tell() {
                told = true;
                push(out, held.compact());
                held = ByteString.emptyByteString();
            }
        }
    }
}
