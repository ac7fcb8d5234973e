package org.chainwalletd.http;

import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.stage.AbstractInOutHandler;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.util.ByteString;

/** Passes on what {@link Http2Guard} lets through; fails, after what came before, when it lets nothing through any more. */
final class Http2GuardStage extends GraphStage<FlowShape<ByteString, ByteString>> {
    private final Inlet<ByteString> in = Inlet.create("bytes");
    private final Outlet<ByteString> out = Outlet.create("guarded");
    private final FlowShape<ByteString, ByteString> shape = FlowShape.of(in, out);
    private final Http2Guard guard;
    private final Function<Http2Violation, RuntimeException> failure;
    private final Consumer<String> refused;

    /**
     * @param failure as the layer above wants to be told
     * @param refused told why the connection is cut off
     */
    Http2GuardStage(Http2Guard guard, Function<Http2Violation, RuntimeException> failure, Consumer<String> refused) {
        this.guard = guard;
        this.failure = failure;
        this.refused = refused;
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
        Logic() {
            super(shape);
            setHandlers(in, out, new AbstractInOutHandler() {
                @Override
                public void onPush() {
                    Http2Guard.Read read = guard.read(grab(in));
                    if (read.passed().nonEmpty()) {
                        push(out, read.passed());
                    }
                    read.violation().ifPresent(Logic.this::fail);
                    if (read.passed().isEmpty() && read.violation().isEmpty()) {
                        pull(in);
                    }
                }

                @Override
                public void onPull() {
                    pull(in);
                }
            });
        }

        private void fail(Http2Violation violation) {
            refused.accept(violation.refusal());
            failStage(failure.apply(violation));
        }
    }
}
