package org.chainwalletd.http.h2;

/**
 * Protocol violation or excessive use by an HTTP/2 client; its connection ends with GOAWAY. The message repeats nothing that the client sent.
 */
final class Http2Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Error codes of RFC 9113, section 7. */
    enum Code {
        PROTOCOL_ERROR(1),
        FLOW_CONTROL_ERROR(3),
        STREAM_CLOSED(5),
        FRAME_SIZE_ERROR(6),
        COMPRESSION_ERROR(9),
        ENHANCE_YOUR_CALM(11);

        private final int number;

        Code(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }
    }

    private final Code code;
    private final String refusal;

    private Http2Violation(Code code, String refusal, String message) {
        super(message, null, false, false);
        this.code = code;
        this.refusal = refusal;
    }

    /** Violation of the protocol. */
    static Http2Violation of(Code code, String message) {
        return new Http2Violation(code, "http2", message);
    }

    static Http2Violation protocol(String message) {
        return of(Code.PROTOCOL_ERROR, message);
    }

    /** @throws Http2Violation unless the client has kept a rule of the protocol */
    static void require(boolean kept, String otherwise) {
        if (!kept) {
            throw protocol(otherwise);
        }
    }

    /** Excessive use within the protocol, beyond what any client needs. */
    static Http2Violation excess(String message) {
        return new Http2Violation(Code.ENHANCE_YOUR_CALM, "http2-excess", message);
    }

    /** Refusal because no memory is left for the connection. */
    static Http2Violation memory() {
        return new Http2Violation(Code.ENHANCE_YOUR_CALM, "memory", "clients make the daemon hold too much");
    }

    Code code() {
        return code;
    }

    /** Reason under which the violation is counted. */
    String refusal() {
        return refusal;
    }
}
