package org.chainwalletd.chain;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 of the JDK, without its checked exception. */
final class Sha256 {
    private Sha256() {}

    static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
