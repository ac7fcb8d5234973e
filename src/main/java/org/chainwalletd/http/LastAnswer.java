package org.chainwalletd.http;

import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.BidiShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.stage.AbstractInHandler;
import org.apache.pekko.stream.stage.AbstractOutHandler;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.util.ByteString;

/**
 * Between TLS and HTTP/1.1: says that nothing more is wanted when the last answer is said. Pekko's TLS layer, as it has to be for HTTP/2,
 * keeps a connection whose answers have ended for as long as somebody reads from it, so that a client which waits for the end (RFC 9112,
 * section 9.6) would wait until it is taken for an idle one.
 */
final class LastAnswer extends GraphStage<BidiShape<ByteString, ByteString, ByteString, ByteString>> {
    private final Inlet<ByteString> tlsIn = Inlet.create("lastAnswer.tlsIn");
    private final Outlet<ByteString> httpIn = Outlet.create("lastAnswer.httpIn");
    private final Inlet<ByteString> httpOut = Inlet.create("lastAnswer.httpOut");
    private final Outlet<ByteString> tlsOut = Outlet.create("lastAnswer.tlsOut");
    private final BidiShape<ByteString, ByteString, ByteString, ByteString> shape =
            BidiShape.of(tlsIn, httpIn, httpOut, tlsOut);

    @Override
    public BidiShape<ByteString, ByteString, ByteString, ByteString> shape() {
        return shape;
    }

    @Override
    public GraphStageLogic createLogic(Attributes attributes) {
        return new Logic();
    }

    private final class Logic extends GraphStageLogic {
        Logic() {
            super(shape);
            setHandler(tlsIn, new FromTls());
            setHandler(httpIn, new ToHttp());
            setHandler(httpOut, new FromHttp());
            setHandler(tlsOut, new ToTls());
        }

        private final class FromTls extends AbstractInHandler {
            @Override
            public void onPush() {
                push(httpIn, grab(tlsIn));
            }

            /** The client's last request still wants its answer. */
            @Override
            public void onUpstreamFinish() {
                complete(httpIn);
            }
        }

        private final class ToHttp extends AbstractOutHandler {
            @Override
            public void onPull() {
                pull(tlsIn);
            }

            /** HTTP reads no more and may still have answers to give: TLS would end with a cancellation, so the rest is read and dropped. */
            @Override
            public void onDownstreamFinish(Throwable cause) {
                setHandler(tlsIn, new Dropped());
                if (!isClosed(tlsIn) && !hasBeenPulled(tlsIn)) {
                    pull(tlsIn);
                }
            }
        }

        /** What a client says after its last request. */
        private final class Dropped extends AbstractInHandler {
            @Override
            public void onPush() {
                grab(tlsIn);
                pull(tlsIn);
            }

            @Override
            public void onUpstreamFinish() {
                // The answers go on.
            }
        }

        private final class FromHttp extends AbstractInHandler {
            @Override
            public void onPush() {
                push(tlsOut, grab(httpOut));
            }

            /** In this order: TLS does not look at the end of what is said before it knows that nobody listens. */
            @Override
            public void onUpstreamFinish() {
                cancel(tlsIn);
                complete(tlsOut);
                complete(httpIn);
            }
        }

        private final class ToTls extends AbstractOutHandler {
            @Override
            public void onPull() {
                pull(httpOut);
            }
        }
    }
}
