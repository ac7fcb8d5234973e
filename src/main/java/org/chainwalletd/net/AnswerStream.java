package org.chainwalletd.net;

import java.io.ByteArrayOutputStream;
import java.util.function.Function;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.SourceShape;
import org.apache.pekko.stream.stage.AbstractOutHandler;
import org.apache.pekko.stream.stage.AsyncCallback;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.util.ByteString;

/** The body of an answer as a source, piece by piece as they are asked for: see {@link HttpPeer#stream}. */
final class AnswerStream extends GraphStage<SourceShape<ByteString>> {
    private static final int OK = 200;

    private final Outlet<ByteString> out = Outlet.create("answer.out");
    private final SourceShape<ByteString> shape = SourceShape.of(out);
    private final Function<Exchange.Receiver, Exchange> connect;
    private final Runnable opened;

    /**
     * @param connect begins an exchange whose answer its argument receives
     * @param opened run when the head is there, before the first piece
     */
    AnswerStream(Function<Exchange.Receiver, Exchange> connect, Runnable opened) {
        this.connect = connect;
        this.opened = opened;
    }

    @Override
    public SourceShape<ByteString> shape() {
        return shape;
    }

    @Override
    public GraphStageLogic createLogic(Attributes attributes) {
        return new Logic();
    }

    /** Hears the exchange on the loop's thread, and hands everything over to the stream's. */
    private final class Logic extends GraphStageLogic implements Exchange.Receiver {
        private final AsyncCallback<Runnable> handOver = createAsyncCallback(Runnable::run);
        private final ByteArrayOutputStream piece = new ByteArrayOutputStream();
        private Exchange exchange;

        Logic() {
            super(shape);
            setHandler(out, new AbstractOutHandler() {
                @Override
                public void onPull() {
                    exchange.resume();
                }
            });
        }

        @Override
        public void preStart() {
            exchange = connect.apply(this);
        }

        @Override
        public void postStop() {
            exchange.abandon();
        }

        @Override
        public boolean isStream() {
            return true;
        }

        @Override
        public void begin(int status, long length) {
            handOver.invoke(() -> {
                if (status == OK) {
                    opened.run();
                } else {
                    failStage(new HttpAnswer.RefusedException(status));
                }
            });
        }

        @Override
        public void expect(long more) {
            // However long it is, it comes in pieces.
        }

        @Override
        public void append(byte[] bytes, int from, int count) {
            piece.write(bytes, from, count);
        }

        @Override
        public boolean goesOn() {
            if (piece.size() == 0) {
                return true;
            }
            ByteString bytes = ByteString.fromArrayUnsafe(piece.toByteArray());
            piece.reset();
            handOver.invoke(() -> emit(out, bytes));
            return false;
        }

        @Override
        public void complete() {
            handOver.invoke(() -> complete(out));
        }

        @Override
        public void failed(NoAnswerException failure) {
            handOver.invoke(() -> failStage(failure));
        }

        @Override
        public void closed() {
            // The stage has heard why.
        }
    }
}
