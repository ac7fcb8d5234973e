package org.chainwalletd.store;

import java.nio.charset.StandardCharsets;
import org.chainwalletd.chain.Hash256;

/**
 * What an idempotency token stands for.
 *
 * @param token as the caller wrote it
 * @param digest of the canonical parameters; the same token with another digest is a conflict
 */
public record TokenBinding(String token, Hash256 digest) {
    /** Begins every token of the daemon's own; callers' tokens are printable ASCII. */
    private static final String OF_DAEMON = "\u00a7";

    /** A token that no caller can name. */
    public static String ofDaemon(String name) {
        return OF_DAEMON + name;
    }

    /** Eight bytes of the token's SHA-256: two tokens may share them, equal ones always do. */
    public static long fingerprint(String token) {
        return SpendRow.shortId(
                Hash256.sha256(token.getBytes(StandardCharsets.UTF_8)).toArray());
    }
}
