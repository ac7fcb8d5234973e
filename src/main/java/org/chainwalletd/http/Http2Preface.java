package org.chainwalletd.http;

import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.stage.AbstractInOutHandler;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.util.ByteString;

/**
 * Holds the first bytes of a connection back until they tell whether its client speaks HTTP/2, then hands them over as one piece: at most
 * two bytes are ever held. {@code PRI} begins the preface of HTTP/2 (RFC 9113, section 3.4) and is no method of HTTP/1.
 */
final class Http2Preface extends GraphStage<FlowShape<ByteString, ByteString>> {
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
