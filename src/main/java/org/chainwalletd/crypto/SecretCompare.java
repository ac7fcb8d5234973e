package org.chainwalletd.crypto;

import java.security.MessageDigest;

/** Comparison of secrets in a time that does not depend on where they differ. */
public final class SecretCompare {
    private SecretCompare() {}

    /**
     * Whether both arrays have the same content. The time depends on the length of {@code presented} only, so pass what came from
     * outside as the second argument; neither position nor number of differing bytes shows, nor the length of {@code expected}.
     */
    public static boolean equal(byte[] expected, byte[] presented) {
        return MessageDigest.isEqual(expected, presented);
    }
}
