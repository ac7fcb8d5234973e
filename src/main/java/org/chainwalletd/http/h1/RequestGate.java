package org.chainwalletd.http.h1;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.BidiShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.stage.AbstractInHandler;
import org.apache.pekko.stream.stage.AbstractOutHandler;
import org.apache.pekko.stream.stage.AsyncCallback;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.http.door.Connection;

/**
 * Passes the requests of an HTTP/1 connection to Pekko's parser one at a time, as rewritten by {@link RequestFraming}, scheduled fairly with
 * other clients. Each byte counts against the budget from its arrival until its request is answered. Malformed framing, and a client whose
 * buffered bytes exceed the budget, are refused here, before Pekko parses anything.
 */
public final class RequestGate extends GraphStage<BidiShape<ByteString, ByteString, ByteString, ByteString>> {
    /** @param reason under which it is counted */
    private record Refusal(String reason, ByteString words) {
        static final Refusal MALFORMED = of(
                "malformed",
                "400 Bad Request",
                "the request is not as RFC 9112 has it, or a field of its head is not UTF-8");
        static final Refusal VERSION =
                of("malformed", "505 HTTP Version Not Supported", "the version of HTTP is not supported");
        static final Refusal HEAD =
                of("head", "431 Request Header Fields Too Large", "the head of the request is too long");
        static final Refusal TARGET = of("target", "414 URI Too Long", "the target of the request is too long");
        static final Refusal EXPECTATION = of("malformed", "417 Expectation Failed", "the expectation is unknown");
        static final Refusal MEMORY =
                of("memory", "503 Service Unavailable", "the daemon holds too much for its clients at the moment");

        /** Creates the refusal of a request of which nothing has been passed on. */
        static Refusal of(RequestFraming.Fault fault) {
            return switch (fault) {
                case MALFORMED, BODY -> MALFORMED;
                case VERSION -> VERSION;
                case HEAD_TOO_LONG -> HEAD;
                case TARGET_TOO_LONG -> TARGET;
                case EXPECTATION -> EXPECTATION;
            };
        }

        private static Refusal of(String reason, String status, String message) {
            String body = "{\"message\":\"" + message + "\"}";
            return new Refusal(
                    reason,
                    ByteString.fromString("HTTP/1.1 " + status
                            + "\r\nContent-Type: application/json\r\nConnection: close\r\n" + "Content-Length: "
                            + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body));
        }
    }

    private final Inlet<ByteString> netIn = Inlet.create("gate.netIn");
    private final Outlet<ByteString> httpIn = Outlet.create("gate.httpIn");
    private final Inlet<ByteString> httpOut = Inlet.create("gate.httpOut");
    private final Outlet<ByteString> netOut = Outlet.create("gate.netOut");
    private final BidiShape<ByteString, ByteString, ByteString, ByteString> shape =
            BidiShape.of(netIn, httpIn, httpOut, netOut);
    private final Connection connection;

    public RequestGate(Connection connection) {
        this.connection = connection;
    }

    @Override
    public BidiShape<ByteString, ByteString, ByteString, ByteString> shape() {
        return shape;
    }

    @Override
    public GraphStageLogic createLogic(Attributes attributes) {
        return new Logic();
    }

    private final class Logic extends GraphStageLogic {
        private final RequestFraming framing =
                new RequestFraming(connection.limits().maxHeadBytes());
        private final AsyncCallback<NotUsed> itsTurn = createAsyncCallback(none -> letNextThrough());

        Logic() {
            super(shape);
            setHandler(netIn, new FromNet());
            setHandler(httpIn, new ToHttp());
            setHandler(httpOut, new FromHttp());
            setHandler(netOut, new ToNet());
        }

        @Override
        public void preStart() {
            AsyncCallback<NotUsed> overfull = createAsyncCallback(none -> refuseForMemory());
            connection.whenOverfull(() -> overfull.invoke(NotUsed.getInstance()));
        }

        private void letNextThrough() {
            if (framing.unread() > 0 && isAvailable(httpIn)) {
                letThrough();
            }
        }

        /** Called when the HTTP layer demands input: the previous answer is complete by then. */
        private void letThrough() {
            int before = framing.unread();
            ByteString next = framing.read();
            connection.letThrough(before - framing.unread());
            if (next.nonEmpty()) {
                push(httpIn, next);
            }
            Optional<RequestFraming.Fault> fault = framing.fault();
            if (fault.isEmpty()) {
                if (next.isEmpty() && !isClosed(netIn)) {
                    pull(netIn);
                }
                endWithNet();
            } else if (fault.get() == RequestFraming.Fault.BODY) {
                // The handler of the request sees a truncated body and refuses it.
                complete(httpIn);
                readAndDrop();
            } else {
                refuse(Refusal.of(fault.get()));
            }
        }

        private void endWithNet() {
            if (!isClosed(netIn) || framing.unread() > 0 || isClosed(httpIn)) {
                return;
            }
            if (framing.withinHead()) {
                refuse(Refusal.MALFORMED);
            } else {
                complete(httpIn);
            }
        }

        private void readAndDrop() {
            framing.drop();
            if (!isClosed(netIn) && !hasBeenPulled(netIn)) {
                pull(netIn);
            }
        }

        private void refuseForMemory() {
            if (connection.isClients()) {
                refuse(Refusal.MEMORY);
            } else {
                // An answer is being written, so no refusal can be sent.
                connection.refused(Refusal.MEMORY.reason());
                failStage(new IllegalStateException("a client exceeds its memory budget"));
            }
        }

        private void refuse(Refusal refusal) {
            connection.refused(refusal.reason());
            framing.drop();
            emit(netOut, refusal.words(), () -> complete(netOut));
            cancel(netIn);
            cancel(httpOut);
            complete(httpIn);
        }

        private final class FromNet extends AbstractInHandler {
            @Override
            public void onPush() {
                ByteString bytes = grab(netIn);
                if (isClosed(httpIn)) {
                    pull(netIn);
                    return;
                }
                if (connection.arrived(bytes.length())) {
                    framing.add(bytes);
                    letThrough();
                } else {
                    refuseForMemory();
                }
            }

            @Override
            public void onUpstreamFinish() {
                endWithNet();
            }
        }

        private final class ToHttp extends AbstractOutHandler {
            @Override
            public void onPull() {
                if (framing.ended()) {
                    framing.overwriteHead();
                }
                if (framing.unread() > 0) {
                    // The next request: the previous one has been passed on completely.
                    connection.threads().queue().execute(() -> itsTurn.invoke(NotUsed.getInstance()));
                } else if (!isClosed(netIn) && !hasBeenPulled(netIn)) {
                    pull(netIn);
                }
            }

            /** The HTTP layer reads no more but may still write answers. Drops further input instead of cancelling, which would end TLS. */
            @Override
            public void onDownstreamFinish(Throwable cause) {
                readAndDrop();
            }
        }

        private final class FromHttp extends AbstractInHandler {
            @Override
            public void onPush() {
                ByteString bytes = grab(httpOut);
                connection.answerGoesOut(bytes);
                push(netOut, bytes);
            }

            /** Cancels before it completes: Pekko's TLS detects the end of input, which HTTP/2 needs, only after its reader has cancelled. */
            @Override
            public void onUpstreamFinish() {
                cancel(netIn);
                complete(netOut);
                complete(httpIn);
            }
        }

        private final class ToNet extends AbstractOutHandler {
            @Override
            public void onPull() {
                if (!isClosed(httpOut) && !hasBeenPulled(httpOut)) {
                    pull(httpOut);
                }
            }

            @Override
            public void onDownstreamFinish(Throwable cause) {
                cancel(httpOut, cause);
            }
        }
    }
}
