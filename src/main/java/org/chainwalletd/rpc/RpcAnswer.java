package org.chainwalletd.rpc;

import java.io.ByteArrayOutputStream;
import java.util.List;

/**
 * Answer to a request body.
 *
 * @param status HTTP status (interface.md, section 7.1)
 * @param pieces JSON in UTF-8, a long one in several pieces; none for status 204. Not to be changed
 */
public record RpcAnswer(int status, List<byte[]> pieces) {
    public static final RpcAnswer NO_CONTENT = new RpcAnswer(204, List.of());

    /** Creates an answer in one piece, or in none when it is empty. */
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
