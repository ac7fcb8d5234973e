package org.chainwalletd.devnet.wire;

import java.net.InetAddress;

/** Handler behind the transport: turns the body of a POST into the body of the answer. */
@FunctionalInterface
public interface RpcHandler {
    /** Reads the envelope; must be quick, it runs on the selector thread unless the body is large. */
    Call prepare(InetAddress peer, byte[] body);

    /** Call that has been read but not yet executed. */
    interface Call {
        /** Whether {@link #run} may take longer than a look-up, so that it must not hold up the selector thread. */
        boolean isHeavy();

        Reply run();
    }

    /**
     * @param body JSON text, or null: the connection is closed without an answer
     * @param delayMillis how long the answer is held back
     * @param status 200 or 400
     */
    record Reply(byte[] body, long delayMillis, int status) {
        public Reply(byte[] body, long delayMillis) {
            this(body, delayMillis, 200);
        }
    }
}
