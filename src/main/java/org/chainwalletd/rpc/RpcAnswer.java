package org.chainwalletd.rpc;

import java.io.ByteArrayOutputStream;
import java.util.List;

/**
 * Answer to a request body.
 *
 * @param status HTTP status (interface.md, section 7.1)
 * @param pieces UTF-8 JSON, a long answer in several pieces; none for status 204. Must not be modified
 */
public record RpcAnswer(int status, List<byte[]> pieces) {
    public static final RpcAnswer NO_CONTENT = new RpcAnswer(204, List.of());

    /** Creates an answer of one piece, or of none if {@code body} is empty. */
    public RpcAnswer(int status, byte[] body) {
        this(status, body.length == 0 ? List.of() : List.of(body));
    }

    public long length() {
        long length = 0;
        for (byte[] piece : pieces) {
            length += piece.length;
        }
        return length;
    }

    /** Joins all pieces. */
    public byte[] body() {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        pieces.forEach(body::writeBytes);
        return body.toByteArray();
    }
}
