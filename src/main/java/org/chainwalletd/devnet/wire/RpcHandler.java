package org.chainwalletd.devnet.wire;

import java.net.InetAddress;

/** Handler behind the transport: turns the body of a POST into the body of the answer. Called by many threads at once. */
@FunctionalInterface
public interface RpcHandler {
    Reply answer(InetAddress peer, byte[] body);

    /**
     * @param body JSON text, or null: the connection is closed without an answer
     * @param delayMillis how long after the call's arrival the answer is sent at the earliest
     * @param status 200 or 400
     */
    record Reply(byte[] body, long delayMillis, int status) {
        public Reply(byte[] body, long delayMillis) {
            this(body, delayMillis, 200);
        }
    }
}
