package org.chainwalletd.keyring;

import java.util.Arrays;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.KeyringException.Reason;

/** Secrets as hexadecimal text in bytes, never in strings. */
final class SecretHex {
    private SecretHex() {}

    /** Lower-case hexadecimal; {@code secret} stays open. */
    static SecretBytes of(SecretBytes secret) {
        try (SecretBuffer buffer = new SecretBuffer()) {
            return buffer.addHex(secret).toSecret();
        }
    }

    /**
     * The 32 bytes of 64 hexadecimal characters of either case; {@code hex} stays open.
     *
     * @param name of the parameter, for the message
     * @throws KeyringException with {@link Reason#INVALID}; the message never quotes the text
     */
    static SecretBytes parse(String name, SecretBytes hex) {
        return hex.use(text -> parse(name, text));
    }

    static SecretBytes parse(String name, byte[] text) {
        if (text.length != 2 * Ed25519.SEED_LENGTH) {
            throw wrong(name);
        }
        byte[] secret = new byte[Ed25519.SEED_LENGTH];
        for (int i = 0; i < secret.length; i++) {
            int high = Character.digit((char) (text[2 * i] & 0xff), 16);
            int low = Character.digit((char) (text[2 * i + 1] & 0xff), 16);
            if (high < 0 || low < 0) {
                Arrays.fill(secret, (byte) 0);
                throw wrong(name);
            }
            secret[i] = (byte) (high << 4 | low);
        }
        return SecretBytes.takeOver(secret);
    }

    private static KeyringException wrong(String name) {
        return new KeyringException(Reason.INVALID, name + " must be 64 hex characters (a 32-byte secret)");
    }
}
