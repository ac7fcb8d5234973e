package org.chainwalletd.crypto;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Hierarchical keys for Ed25519 (SLIP-0010), where every level is hardened. */
public final class Slip10 {
    private static final byte[] MASTER_KEY = "ed25519 seed".getBytes(StandardCharsets.US_ASCII);
    private static final int HARDENED = 0x8000_0000;
    private static final int KEY_LENGTH = 32;

    private Slip10() {}

    /**
     * The 32-byte Ed25519 seed at the path {@code m/i0'/i1'/…}; without indexes, the master key.
     *
     * @param seed any bytes, as a rule the 64 of a BIP-39 seed; only read
     * @param hardenedIndexes the indexes without their hardening bit, 0 … 2^31-1
     * @throws IllegalArgumentException for a negative index
     */
    public static SecretBytes derive(byte[] seed, int... hardenedIndexes) {
        byte[] node = Digests.hmacSha512(MASTER_KEY, seed);
        try {
            for (int index : hardenedIndexes) {
                byte[] parent = node;
                node = child(parent, index);
                Arrays.fill(parent, (byte) 0);
            }
            return SecretBytes.takeOver(Arrays.copyOf(node, KEY_LENGTH));
        } finally {
            Arrays.fill(node, (byte) 0);
        }
    }

    /** The hardened child of a node (key ‖ chain code): HMAC(chain code, 00 ‖ key ‖ big-endian index). */
    private static byte[] child(byte[] node, int index) {
        if (index < 0) {
            throw new IllegalArgumentException("index must be in 0 … 2^31-1, not " + Integer.toUnsignedString(index));
        }
        byte[] chainCode = Arrays.copyOfRange(node, KEY_LENGTH, 2 * KEY_LENGTH);
        byte[] data = new byte[1 + KEY_LENGTH + Integer.BYTES];
        try {
            ByteBuffer.wrap(data).put((byte) 0).put(node, 0, KEY_LENGTH).putInt(index | HARDENED);
            return Digests.hmacSha512(chainCode, data);
        } finally {
            Arrays.fill(chainCode, (byte) 0);
            Arrays.fill(data, (byte) 0);
        }
    }
}
