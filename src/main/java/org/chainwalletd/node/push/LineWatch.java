package org.chainwalletd.node.push;

import java.time.Duration;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.FlowShape;
import org.apache.pekko.stream.Inlet;
import org.apache.pekko.stream.Outlet;
import org.apache.pekko.stream.stage.AbstractInHandler;
import org.apache.pekko.stream.stage.AbstractOutHandler;
import org.apache.pekko.stream.stage.GraphStage;
import org.apache.pekko.stream.stage.GraphStageLogic;
import org.apache.pekko.stream.stage.TimerGraphStageLogic;
import org.apache.pekko.util.ByteString;

/**
 * Lets bytes pass and fails the stream when a line is too long (the parser behind it looks only at whole lines), or when no comment line
 * has come for a while: a node sends one every 25 s whatever else it sends (chain protocol, section 12), so neither single bytes nor a flood
 * of events keep a stream alive.
 */
final class LineWatch extends GraphStage<FlowShape<ByteString, ByteString>> {
    private final Inlet<ByteString> in = Inlet.create("LineWatch.in");
    private final Outlet<ByteString> out = Outlet.create("LineWatch.out");
    private final int maxLine;
    private final Duration patience;

    /**
     * @param maxLine bytes of a line
     * @param patience longest time between two comment lines
     */
    LineWatch(int maxLine, Duration patience) {
        this.maxLine = maxLine;
        this.patience = patience;
    }

    @Override
    public FlowShape<ByteString, ByteString> shape() {
        return FlowShape.of(in, out);
    }

    @Override
    public GraphStageLogic createLogic(Attributes attributes) {
        return new Logic();
    }

    private final class Logic extends TimerGraphStageLogic {
        private static final String SILENCE = "silence";

        private int length;
        private boolean comment;

        Logic() {
            super(LineWatch.this.shape());
            setHandler(in, new AbstractInHandler() {
                @Override
                public void onPush() {
                    passOn(grab(in));
                }
            });
            setHandler(out, new AbstractOutHandler() {
                @Override
                public void onPull() {
                    pull(in);
                }
            });
        }

        @Override
        public void preStart() {
            scheduleOnce(SILENCE, patience);
        }

        @Override
        public void onTimer(Object key) {
            failStage(new IllegalStateException("no heartbeat for " + patience.toMillis() + " ms"));
        }

        private void passOn(ByteString bytes) {
            boolean heartbeat = endsComment(bytes);
            if (length > maxLine) {
                failStage(new IllegalStateException("a line of more than " + maxLine + " bytes"));
                return;
            }
            if (heartbeat) {
                scheduleOnce(SILENCE, patience);
            }
            push(out, bytes);
        }

        /** Whether a whole line that begins with a colon ends in {@code bytes}. Stops at a line that is too long. */
        private boolean endsComment(ByteString bytes) {
            boolean ended = false;
            for (int i = 0; i < bytes.length() && length <= maxLine; i++) {
                byte next = bytes.apply(i);
                if (next == '\n') {
                    ended |= comment;
                    comment = false;
                    length = 0;
                } else {
                    comment |= length == 0 && next == ':';
                    length++;
                }
            }
            return ended;
        }
    }
}
