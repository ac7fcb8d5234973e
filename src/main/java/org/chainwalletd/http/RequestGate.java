package org.chainwalletd.http;

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

/**
 * Lets one request of an HTTP/1 connection after the other through to Pekko's parser, which would otherwise make objects, and recursive
 * calls, of all that a client has sent ahead; and each of those in its turn with what others have to do. Each byte is counted from when it
 * arrives until its request is answered; a head that is too long and a client that makes the daemon hold too much are refused here, before
 * anything is made of them.
 */
final class RequestGate extends GraphStage<BidiShape<ByteString, ByteString, ByteString, ByteString>> {
    private static final ByteString HEAD_TOO_LONG =
            refusal("431 Request Header Fields Too Large", "the head of the request is too long");
    private static final ByteString FAULTY = refusal("400 Bad Request", "HTTP/1.0 knows no transfer coding");
    private static final ByteString TOO_MUCH =
            refusal("503 Service Unavailable", "the daemon holds too much for its clients at the moment");

    private final Inlet<ByteString> netIn = Inlet.create("gate.netIn");
    private final Outlet<ByteString> httpIn = Outlet.create("gate.httpIn");
    private final Inlet<ByteString> httpOut = Inlet.create("gate.httpOut");
    private final Outlet<ByteString> netOut = Outlet.create("gate.netOut");
    private final BidiShape<ByteString, ByteString, ByteString, ByteString> shape =
            BidiShape.of(netIn, httpIn, httpOut, netOut);
    private final Connection connection;

    RequestGate(Connection connection) {
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

    private static ByteString inWords(Connection.Cut cut) {
        return switch (cut) {
            case HEAD -> HEAD_TOO_LONG;
            case FAULTY -> FAULTY;
            case MEMORY -> TOO_MUCH;
        };
    }

    private static ByteString refusal(String status, String message) {
        String body = "{\"message\":\"" + message + "\"}";
        return ByteString.fromString(
                "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\nConnection: close\r\n"
                        + "Content-Length: " + body.getBytes(StandardCharsets.UTF_8).length + "\r\n\r\n" + body);
    }

    private final class Logic extends GraphStageLogic {
        private final RequestFraming framing = new RequestFraming();
        private final AsyncCallback<NotUsed> itsTurn = createAsyncCallback(none -> letNextThrough());
        private ByteString rest = ByteString.emptyByteString();

        Logic() {
            super(shape);
            setHandler(netIn, new FromNet());
            setHandler(httpIn, new ToHttp());
            setHandler(httpOut, new FromHttp());
            setHandler(netOut, new ToNet());
        }

        @Override
        public void preStart() {
            AsyncCallback<Connection.Cut> refusal = createAsyncCallback(this::refuse);
            connection.whenOverfull(() -> refusal.invoke(Connection.Cut.MEMORY));
        }

        private void letNextThrough() {
            if (!rest.isEmpty() && isAvailable(httpIn)) {
                letThrough();
            }
        }

        private void letThrough() {
            int read = framing.read(rest);
            ByteString next = rest.take(read);
            rest = rest.drop(read);
            Optional<Connection.Cut> cut = framing.faulty()
                    ? Optional.of(Connection.Cut.FAULTY)
                    : connection.letThrough(read, framing.headLength());
            if (cut.isPresent()) {
                refuse(cut.get());
                return;
            }
            push(httpIn, next);
            endWithNet();
        }

        private void endWithNet() {
            if (isClosed(netIn) && rest.isEmpty()) {
                complete(httpIn);
            }
        }

        /** Said in HTTP only where no answer is being written; else the connection just ends. */
        private void refuse(Connection.Cut cut) {
            rest = ByteString.emptyByteString();
            if (connection.refused(cut)) {
                emit(netOut, inWords(cut), () -> complete(netOut));
                cancel(netIn);
                cancel(httpOut);
                complete(httpIn);
            } else {
                failStage(new IllegalStateException("a client makes the daemon hold too much"));
            }
        }

        private final class FromNet extends AbstractInHandler {
            @Override
            public void onPush() {
                ByteString bytes = grab(netIn);
                if (isClosed(httpIn)) {
                    pull(netIn);
                    return;
                }
                Optional<Connection.Cut> cut = connection.arrived(bytes.length());
                if (cut.isPresent()) {
                    refuse(cut.get());
                } else {
                    rest = bytes;
                    letThrough();
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
                if (!rest.isEmpty()) {
                    // A next request: what was read of the one before it was let through.
                    connection.lane().row().execute(() -> itsTurn.invoke(NotUsed.getInstance()));
                } else if (!isClosed(netIn) && !hasBeenPulled(netIn)) {
                    pull(netIn);
                }
            }

            /** HTTP reads no more, and may have answers to give yet: TLS would end with a cancellation, so what still comes is dropped. */
            @Override
            public void onDownstreamFinish(Throwable cause) {
                rest = ByteString.emptyByteString();
                if (!isClosed(netIn) && !hasBeenPulled(netIn)) {
                    pull(netIn);
                }
            }
        }

        private final class FromHttp extends AbstractInHandler {
            @Override
            public void onPush() {
                ByteString bytes = grab(httpOut);
                connection.answerGoesOut(bytes);
                push(netOut, bytes);
            }

            /** In this order: Pekko's TLS does not look at the end of what is said, as HTTP/2 needs it, before it knows that nobody listens. */
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
