package org.chainwalletd.http;

import java.util.Optional;
import org.apache.pekko.util.ByteString;

/** The first line of an HTTP/1 answer (RFC 9112, section 4). */
final class StatusLine {
    private static final ByteString VERSION = ByteString.fromString("HTTP/1.");
    /** With the minor version's digit and a blank. */
    private static final int STATUS = VERSION.length() + 2;

    private StatusLine() {}

    /** The status that an answer begins with; empty for any other bytes. */
    static Optional<Integer> of(ByteString bytes) {
        if (bytes.length() < STATUS + 3 || !bytes.take(VERSION.length()).equals(VERSION)) {
            return Optional.empty();
        }
        int status = 0;
        for (int i = STATUS; i < STATUS + 3; i++) {
            int digit = bytes.apply(i) - '0';
            if (digit < 0 || digit > 9) {
                return Optional.empty();
            }
            status = 10 * status + digit;
        }
        return Optional.of(status);
    }
}
