package org.chainwalletd.crypto;

import org.bouncycastle.crypto.digests.KeccakDigest;

/** Keccak-256 with the original padding, as the account chain uses it; differs from SHA3-256 of FIPS 202, which pads differently. */
public final class Keccak256 {
    public static final int LENGTH = 32;

    private static final int BITS = 256;

    private Keccak256() {}

    /** Returns the 32-byte hash of {@code data}. */
    public static byte[] of(byte[] data) {
        KeccakDigest digest = new KeccakDigest(BITS);
        digest.update(data, 0, data.length);
        byte[] hash = new byte[LENGTH];
        digest.doFinal(hash, 0);
        return hash;
    }
}
