package org.chainwalletd.net;

import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.StreamTcpException;
import org.apache.pekko.stream.stage.AbstractInHandler;
import org.apache.pekko.stream.stage.AbstractOutHandler;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.TimerGraphStageLogic;
import org.apache.pekko.util.ByteString;

/**
 * The client's end of one TLS connection that carries one request and its answer: to be joined with a TLS flow, materialised once.
 *
 * <p>The request side is kept open until the answer is there, because a peer may take a half-closed connection for a lost caller. After the
 * answer the stage waits a moment for the peer to close, so that it has surely counted the connection out before the next one comes.
 */
final class TlsExchange extends GraphStage<FlowShape<ByteString, ByteString>> {
    private enum Timer {
        ANSWER,
        LINGER
    }

    private final Inlet<ByteString> in = Inlet.create("peer-answer");
    private final Outlet<ByteString> out = Outlet.create("peer-request");
    private final FlowShape<ByteString, ByteString> shape = FlowShape.of(in, out);
    private final ByteString request;
    private final ExchangeLimits limits;
    private final ExchangeListener listener;
    /** Of the stage, or of whoever could not start it: they may be on different threads. */
    private final AtomicBoolean begun = new AtomicBoolean();

    TlsExchange(ByteString request, ExchangeLimits limits, ExchangeListener listener) {
        this.request = request;
        this.limits = limits;
        this.listener = listener;
    }

    @Override
    public FlowShape<ByteString, ByteString> shape() {
        return shape;
    }

    @Override
    public TimerGraphStageLogic createLogic(Attributes inheritedAttributes) {
        return new Logic();
    }

    /** There will be no connection: told once, and not when the stage has begun and tells the outcome itself. */
    void notBegun(String why) {
        if (begun.compareAndSet(false, true)) {
            listener.failed(new NoAnswerException(why, false));
            listener.closed();
        }
    }

    private final class Logic extends TimerGraphStageLogic {
        private final HttpAnswerReader reader = new HttpAnswerReader(limits);
        /** Whether the outcome is this stage's to tell. */
        private boolean mine;

        private boolean sent;
        private boolean answered;
        private boolean failed;

        Logic() {
            super(shape);
            setHandler(in, new AbstractInHandler() {
                @Override
                public void onPush() {
                    received(grab(in));
                }

                @Override
                public void onUpstreamFinish() {
                    ended();
                }

                @Override
                public void onUpstreamFailure(Throwable failure) {
                    fail(
                            (isConnectFailure(failure) ? "cannot connect: " : "the connection failed: ")
                                    + inPlainWords(failure),
                            !isConnectFailure(failure));
                }
            });
            setHandler(out, new AbstractOutHandler() {
                @Override
                public void onPull() {
                    send();
                }

                @Override
                public void onDownstreamFinish(Throwable cause) {
                    // The peer reads no more, but its answer may still come.
                }
            });
        }

        @Override
        public void preStart() {
            mine = begun.compareAndSet(false, true);
            if (!mine) {
                completeStage();
                return;
            }
            scheduleOnce(Timer.ANSWER, limits.deadline());
            pull(in);
        }

        @Override
        public void postStop() {
            if (!mine) {
                return;
            }
            tellFailure(new NoAnswerException("the connection was given up", sent));
            listener.closed();
        }

        @Override
        public void onTimer(Object key) {
            if (key == Timer.LINGER) {
                completeStage();
            } else {
                fail("no answer within " + limits.deadline().toMillis() + " ms");
            }
        }

        private void send() {
            if (!sent) {
                sent = true;
                push(out, request);
            }
        }

        private void received(ByteString piece) {
            if (answered) {
                pull(in);
                return;
            }
            try {
                if (reader.accept(piece.toArrayUnsafe(), piece.length())) {
                    complete();
                }
                pull(in);
            } catch (HttpAnswerReader.MalformedException e) {
                fail(new NoAnswerException(e.getMessage(), sent, true));
            }
        }

        private void complete() {
            HttpAnswer whole = reader.answer();
            answered = true;
            cancelTimer(Timer.ANSWER);
            listener.answered(whole);
            scheduleOnce(Timer.LINGER, HttpPeer.LINGER);
        }

        private void ended() {
            try {
                if (!answered && reader.end()) {
                    complete();
                }
            } catch (HttpAnswerReader.MalformedException e) {
                fail(new NoAnswerException(e.getMessage(), sent, true));
                return;
            }
            if (answered) {
                completeStage();
            } else {
                fail(
                        reader.isEmpty()
                                ? "the connection was closed without an answer"
                                : "the connection was closed within the answer");
            }
        }

        private void fail(String why) {
            fail(why, sent);
        }

        private void fail(String why, boolean mayHaveArrived) {
            fail(new NoAnswerException(why, mayHaveArrived));
        }

        private void fail(NoAnswerException failure) {
            tellFailure(failure);
            failStage(failure);
        }

        private void tellFailure(NoAnswerException failure) {
            if (!answered && !failed) {
                failed = true;
                reader.drop();
                listener.failed(failure);
            }
        }
    }

    /** Whether there never was a connection: Pekko names the command that failed only in the text. */
    private static boolean isConnectFailure(Throwable failure) {
        return failure instanceof StreamTcpException
                && String.valueOf(failure.getMessage()).contains("[Connect(");
    }

    /** Pekko wraps the reason, such as "Connection refused", into the text of its command. */
    private static String inPlainWords(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String text = String.valueOf(cause.getMessage());
        int reason = text.lastIndexOf("Exception: ");
        return reason < 0 ? text : text.substring(reason + "Exception: ".length());
    }
}
