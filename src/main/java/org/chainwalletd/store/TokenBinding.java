package org.chainwalletd.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.chainwalletd.chain.Hash256;

/**
 * Binding of an idempotency token to the parameters of a payment.
 *
 * @param token as the caller wrote it
 * @param digest of the canonical parameters; the same token with another digest is a conflict
 */
public record TokenBinding(String token, Hash256 digest) {
    /** Prefix of the daemon's own tokens; not ASCII, so it cannot occur in callers' tokens, which are printable ASCII. */
    private static final String OF_DAEMON = "\u00a7";

    /** Returns a token for the daemon's own use, which no caller can submit. */
    public static String ofDaemon(String name) {
        return OF_DAEMON + name;
    }

    /** Returns whether a caller may have submitted the token. The daemon's own tokens, including those of swaps, must not be reported to clients. */
    public static boolean isOfCaller(String token) {
        return token.chars().allMatch(c -> c >= 0x20 && c <= 0x7e);
    }

    /** Returns the first eight bytes of the token's SHA-256, big-endian. Collisions between different tokens are possible. */
    public static long fingerprint(String token) {
        return ByteBuffer.wrap(
                        Hash256.sha256(token.getBytes(StandardCharsets.UTF_8)).toArray())
                .getLong();
    }
}
