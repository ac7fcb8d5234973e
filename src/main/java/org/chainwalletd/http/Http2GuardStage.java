package org.chainwalletd.http;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.stage.AbstractInOutHandler;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.TimerGraphStageLogic;
import org.apache.pekko.util.ByteString;

/**
 * Passes on what {@link Http2Guard} lets through; fails, after what came before, when it lets nothing through any more. What is beneath is
 * cancelled a moment later: TLS ends with the cancellation, and GOAWAY would be lost in it.
 */
final class Http2GuardStage extends GraphStage<FlowShape<ByteString, ByteString>> {
    private static final Duration GO_AWAY_FIRST = Duration.ofMillis(200);

    private final Inlet<ByteString> in = Inlet.create("bytes");
    private final Outlet<ByteString> out = Outlet.create("guarded");
    private final FlowShape<ByteString, ByteString> shape = FlowShape.of(in, out);
    private final Http2Guard guard;
    private final Function<Http2Violation, RuntimeException> failure;
    private final Consumer<String> refused;
    private final Runnable lastWord;

    /**
     * @param failure as the layer above wants to be told
     * @param refused told why the connection is cut off
     * @param lastWord run when nothing more is read, for whatever reason
     */
    Http2GuardStage(
            Http2Guard guard,
            Function<Http2Violation, RuntimeException> failure,
            Consumer<String> refused,
            Runnable lastWord) {
        this.guard = guard;
        this.failure = failure;
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
            fail(out, failure.apply(violation));
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
