package org.chainwalletd.http.door;

import java.time.Duration;
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
import org.apache.pekko.stream.stage.TimerGraphStageLogic;
import org.apache.pekko.util.ByteString;

/**
 * Byte level of one connection, between the socket and TLS or HTTP: reports to {@link Connection} and closes on its request. Reads one piece
 * ahead, because a disconnect of the peer is seen only while the socket is being read.
 *
 * <p>A client that has closed its connection and one that has closed only its sending side and waits for the answer look the same: the daemon
 * has received a FIN. They differ in their reaction to bytes: a closed socket answers with a reset. So the daemon probes a half-closed HTTP/1.1
 * client that waits for an answer with interim answers (100 Continue), which the client must skip.
 */
public final class ConnectionGuard extends GraphStage<BidiShape<ByteString, ByteString, ByteString, ByteString>> {
    private static final String LAST_WORD = "last word";
    /** Time for sending GOAWAY and then the close_notify of TLS. */
    private static final Duration BEFORE_LAST_WORD = Duration.ofMillis(400);

    private static final String PROBE = "probe";
    /** Delay before the first probe; most answers are ready earlier and need none. */
    private static final Duration BEFORE_PROBE = Duration.ofMillis(250);

    private static final ByteString INTERIM = ByteString.fromString("HTTP/1.1 100 Continue\r\n\r\n");

    private final Inlet<ByteString> socketIn = Inlet.create("guard.socketIn");
    private final Outlet<ByteString> appIn = Outlet.create("guard.appIn");
    private final Inlet<ByteString> appOut = Inlet.create("guard.appOut");
    private final Outlet<ByteString> socketOut = Outlet.create("guard.socketOut");
    private final BidiShape<ByteString, ByteString, ByteString, ByteString> shape =
            BidiShape.of(socketIn, appIn, appOut, socketOut);
    private final Connection connection;

    ConnectionGuard(Connection connection) {
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

    private final class Logic extends TimerGraphStageLogic {
        private final AsyncCallback<NotUsed> itsTurn = createAsyncCallback(none -> handOver());
        private ByteString ahead;
        private boolean socketEnded;
        /** Further input is dropped: a piece has been dropped, so that later bytes would be out of sequence, or the layer above no longer reads. */
        private boolean dropping;
        /** Answer to be written after the interim answer in progress. */
        private ByteString answer;

        Logic() {
            super(shape);
            setHandler(socketIn, new FromSocket());
            setHandler(appIn, new ToApp());
            setHandler(appOut, new FromApp());
            setHandler(socketOut, new ToSocket());
        }

        @Override
        public void preStart() {
            AsyncCallback<NotUsed> ending = createAsyncCallback(none -> end());
            connection.ending().finishesBy(() -> ending.invoke(NotUsed.getInstance()));
            AsyncCallback<NotUsed> lastWord = createAsyncCallback(none -> lastWord());
            connection.ending().saysLastWordBy(() -> lastWord.invoke(NotUsed.getInstance()));
            pull(socketIn);
        }

        /**
         * Pekko's HTTP/2 server sends GOAWAY to a client that violates the protocol, and leaves closing the connection to the layer below. TLS in
         * between would continue to read for as long as the client sends.
         */
        private void lastWord() {
            if (isTimerActive(LAST_WORD)) {
                return;
            }
            dropping = true;
            forget();
            scheduleOnce(LAST_WORD, BEFORE_LAST_WORD);
            if (!isClosed(socketIn) && !hasBeenPulled(socketIn)) {
                pull(socketIn);
            }
        }

        private void forget() {
            if (ahead != null) {
                connection.handedOver(ahead.length());
                ahead = null;
            }
        }

        @Override
        public void onTimer(Object key) {
            if (key.equals(PROBE)) {
                probe();
            } else {
                connection.outputEnded();
                completeStage();
            }
        }

        private void probe() {
            if (!isClosed(socketOut) && isAvailable(socketOut) && connection.mayBeProbed()) {
                push(socketOut, INTERIM);
            }
            scheduleOnce(PROBE, BEFORE_PROBE);
        }

        private void handOver() {
            if (ahead == null || !isAvailable(appIn)) {
                return;
            }
            connection.handedOver(ahead.length());
            push(appIn, ahead);
            ahead = null;
            if (socketEnded) {
                complete(appIn);
            } else {
                pull(socketIn);
            }
        }

        private void end() {
            cancel(socketIn);
            complete(appIn);
        }

        /** Ends the output, of which every byte has been written: until then the client cannot be late with closing. */
        private void endOutput() {
            connection.outputEnded();
            complete(socketOut);
        }

        private final class FromSocket extends AbstractInHandler {
            @Override
            public void onPush() {
                ByteString bytes = grab(socketIn);
                connection.bytesArrived();
                if (isClosed(appIn) || dropping) {
                    // The application has sent its last bytes. Further input is read and dropped, so that the peer can
                    // read them: unread input would reset the connection.
                    pull(socketIn);
                } else if (isAvailable(appIn)) {
                    push(appIn, bytes);
                    pull(socketIn);
                } else if (connection.readAhead(bytes.length())) {
                    ahead = bytes;
                } else if (connection.toldOverfull()) {
                    dropping = true;
                    pull(socketIn);
                } else {
                    connection.refused("memory");
                    failStage(new IllegalStateException("a client exceeds its memory budget"));
                }
            }

            @Override
            public void onUpstreamFinish() {
                connection.peerClosed();
                socketEnded = true;
                scheduleOnce(PROBE, BEFORE_PROBE);
                if (ahead == null) {
                    complete(appIn);
                }
            }
        }

        private final class ToApp extends AbstractOutHandler {
            @Override
            public void onPull() {
                if (ahead != null) {
                    // The client may send without pause, so other connections get their turn first.
                    connection.threads().queue().execute(() -> itsTurn.invoke(NotUsed.getInstance()));
                }
            }

            @Override
            public void onDownstreamFinish(Throwable cause) {
                if (connection.isHttp2()) {
                    lastWord();
                    return;
                }
                forget();
                if (!isClosed(socketIn) && !hasBeenPulled(socketIn)) {
                    pull(socketIn);
                }
            }
        }

        private final class FromApp extends AbstractInHandler {
            @Override
            public void onPush() {
                connection.writeStarted();
                if (isAvailable(socketOut)) {
                    push(socketOut, grab(appOut));
                } else {
                    answer = grab(appOut);
                }
            }

            @Override
            public void onUpstreamFinish() {
                if (isAvailable(socketOut)) {
                    endOutput();
                }
            }
        }

        private final class ToSocket extends AbstractOutHandler {
            @Override
            public void onPull() {
                if (answer != null) {
                    push(socketOut, answer);
                    answer = null;
                    return;
                }
                connection.writeDone();
                if (isClosed(appOut)) {
                    endOutput();
                } else if (!hasBeenPulled(appOut)) {
                    pull(appOut);
                }
            }

            @Override
            public void onDownstreamFinish(Throwable cause) {
                cancel(appOut, cause);
            }
        }
    }
}
