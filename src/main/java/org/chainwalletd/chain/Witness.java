package org.chainwalletd.chain;

import java.util.Objects;

/**
 * Proof of the right to spend one input (chain protocol, section 4.3).
 *
 * @param redeemer null when absent
 */
public record Witness(Bytes data, Bytes redeemer) {
    /** Length of the witness of a plain input: public key and signature. */
    public static final int PLAIN_LENGTH = 96;

    /** Witness of a coinbase input. */
    public static final Witness EMPTY = new Witness(Bytes.EMPTY, null);

    public Witness {
        Objects.requireNonNull(data, "data");
    }

    public static Witness plain(PublicKey key, byte[] signature) {
        if (signature.length != 64) {
            throw new IllegalArgumentException("a signature has 64 bytes, not " + signature.length);
        }
        byte[] data = new byte[PLAIN_LENGTH];
        System.arraycopy(key.unsafe(), 0, data, 0, 32);
        System.arraycopy(signature, 0, data, 32, 64);
        return new Witness(Bytes.wrap(data), null);
    }

    /** Returns the length of the serialised witness in bytes: 99 for a plain input. */
    public int encodedLength() {
        return 3 + data.length() + (redeemer == null ? 0 : 2 + redeemer.length());
    }
}
