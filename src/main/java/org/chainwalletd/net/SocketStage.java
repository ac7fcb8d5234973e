package org.chainwalletd.net;

import java.io.IOException;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.SubscriptionWithCancelException;
import org.apache.pekko.stream.stage.AbstractInHandler;
import org.apache.pekko.stream.stage.AbstractOutHandler;
import org.apache.pekko.stream.stage.AsyncCallback;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.util.ByteString;

/**
 * A {@link ClientSocket} as a part of a stream: what comes in is written, what is read goes out. The end of what is to be written closes the
 * sending side only; the peer's end ends what goes out, and answers can still be written. Whoever wants no more bytes has them read and
 * dropped, so that the peer can read the last answer instead of finding its connection reset. A failure on either side is a reset.
 *
 * <p>Pekko's own TCP layer passes each accepted connection, each piece and each write through several actors on threads that all connections
 * share. Measured beside 2,000 connections that send all they may, a new client waited for seconds there.
 */
public final class SocketStage extends GraphStage<FlowShape<ByteString, ByteString>> {
    private final Inlet<ByteString> in = Inlet.create("socket.in");
    private final Outlet<ByteString> out = Outlet.create("socket.out");
    private final FlowShape<ByteString, ByteString> shape = FlowShape.of(in, out);
    private final ClientSocket socket;
    private final Runnable firstTaken;
    /** Bytes read before the stage began; dropped once emitted, since they may hold a secret and a stage lives as long as its connection. */
    private ByteString first;

    /**
     * Creates a stage that is materialised once.
     *
     * @param socket open; nothing is asked of it that has not come yet
     * @param first what was read from it before
     * @param firstTaken run when that goes out
     */
    public SocketStage(ClientSocket socket, ByteString first, Runnable firstTaken) {
        this.socket = socket;
        this.first = first;
        this.firstTaken = firstTaken;
    }

    @Override
    public FlowShape<ByteString, ByteString> shape() {
        return shape;
    }

    @Override
    public GraphStageLogic createLogic(Attributes attributes) {
        return new Logic();
    }

    private final class Logic extends GraphStageLogic implements ClientSocket.Reader {
        private final AsyncCallback<Runnable> handOver = createAsyncCallback(Runnable::run);
        private ByteString unwritten = ByteString.emptyByteString();

        Logic() {
            super(shape);
            setHandler(in, new ToWrite());
            setHandler(out, new Read());
        }

        @Override
        public void preStart() {
            // It ends when the last byte is written, which may be later than both of its sides.
            setKeepGoing(true);
            socket.readBy(this);
            pull(in);
        }

        @Override
        public void postStop() {
            socket.close();
        }

        @Override
        public void received(ByteString bytes) {
            handOver.invoke(() -> {
                if (isClosed(out)) {
                    socket.want();
                } else {
                    push(out, bytes);
                }
            });
        }

        @Override
        public void ended() {
            handOver.invoke(() -> {
                if (!isClosed(out)) {
                    complete(out);
                }
                endIfDone();
            });
        }

        @Override
        public void failed(IOException why) {
            handOver.invoke(() -> lose(why));
        }

        @Override
        public void writable() {
            handOver.invoke(this::write);
        }

        private void write() {
            try {
                unwritten = socket.write(unwritten);
            } catch (IOException e) {
                lose(e);
                return;
            }
            if (!unwritten.isEmpty()) {
                socket.awaitWritable();
            } else if (!isClosed(in)) {
                pull(in);
            } else {
                outputEnded();
            }
        }

        private void outputEnded() {
            if (isClosed(out)) {
                completeStage();
                return;
            }
            try {
                socket.endOutput();
            } catch (IOException e) {
                lose(e);
            }
        }

        private void endIfDone() {
            if (isClosed(in) && isClosed(out) && unwritten.isEmpty()) {
                completeStage();
            }
        }

        private void lose(Throwable why) {
            socket.abort();
            failStage(why);
        }

        private final class ToWrite extends AbstractInHandler {
            @Override
            public void onPush() {
                unwritten = grab(in);
                write();
            }

            @Override
            public void onUpstreamFinish() {
                if (unwritten.isEmpty()) {
                    outputEnded();
                }
            }

            @Override
            public void onUpstreamFailure(Throwable failure) {
                lose(failure);
            }
        }

        private final class Read extends AbstractOutHandler {
            @Override
            public void onPull() {
                if (first == null) {
                    socket.want();
                    return;
                }
                push(out, first);
                first = null;
                firstTaken.run();
            }

            @Override
            public void onDownstreamFinish(Throwable cause) {
                if (!(cause instanceof SubscriptionWithCancelException.NonFailureCancellation)) {
                    lose(cause);
                    return;
                }
                first = null;
                socket.want();
                endIfDone();
            }
        }
    }
}
