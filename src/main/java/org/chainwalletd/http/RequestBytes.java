package org.chainwalletd.http;

import org.chainwalletd.net.ByteBudget;

/**
 * What the request in work on an HTTP/1 connection has of its share, until its body is read ({@link RpcHandler} counts that); what is dropped
 * unread does not count. Guarded by {@link Connection}.
 */
final class RequestBytes {
    private final ByteBudget.Share share;
    private long request;
    private long body;
    private boolean inBody;
    private boolean dropping;

    RequestBytes(ByteBudget.Share share) {
        this.share = share;
    }

    /** Bytes that the share has already are being read. */
    void read(int bytes) {
        if (dropping) {
            share.shrink(bytes);
        } else {
            request += bytes;
            body += inBody ? bytes : 0;
        }
    }

    /** What comes is the body. */
    void headEnded() {
        inBody = true;
    }

    /** Somebody else counts these bytes of the body from now on. */
    void takenOver(int bytes) {
        share.shrink(bytes);
        request -= bytes;
        body = Math.max(0, body - bytes);
    }

    /** Nobody wants the body. */
    void dropBody() {
        dropping = true;
        share.shrink(body);
        request -= body;
        body = 0;
    }

    /** The request is answered. */
    void release() {
        share.shrink(request);
        request = 0;
        body = 0;
        inBody = false;
        dropping = false;
    }
}
