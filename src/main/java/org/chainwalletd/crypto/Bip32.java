package org.chainwalletd.crypto;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Hierarchical keys for secp256k1 (BIP-32), private derivation only. */
public final class Bip32 {
    /** Added to an index to harden it; in text, an apostrophe behind it. */
    public static final int HARDENED = 0x8000_0000;

    private static final byte[] MASTER_KEY = "Bitcoin seed".getBytes(StandardCharsets.US_ASCII);
    private static final int KEY_LENGTH = 32;

    private Bip32() {}

    /**
     * The 32-byte secret at the path {@code m/i0/i1/…}; without indexes, the master key.
     *
     * @param seed any bytes, as a rule the 64 of a BIP-39 seed; only read
     * @param indexes each with its hardening bit
     * @throws IllegalArgumentException for a seed or an index without a key, which is as likely as guessing one (1 in 2^127)
     */
    public static SecretBytes derive(byte[] seed, int... indexes) {
        byte[] node = Digests.hmacSha512(MASTER_KEY, seed);
        try {
            requireUsable(node);
            for (int index : indexes) {
                byte[] parent = node;
                node = child(parent, index);
                Arrays.fill(parent, (byte) 0);
            }
            return SecretBytes.takeOver(Arrays.copyOf(node, KEY_LENGTH));
        } finally {
            Arrays.fill(node, (byte) 0);
        }
    }

    /** Of a node (key ‖ chain code): HMAC(chain code, 00 ‖ key or public key ‖ big-endian index), whose left half is added to the key. */
    private static byte[] child(byte[] node, int index) {
        byte[] key = Arrays.copyOf(node, KEY_LENGTH);
        byte[] chainCode = Arrays.copyOfRange(node, KEY_LENGTH, 2 * KEY_LENGTH);
        byte[] data = new byte[1 + KEY_LENGTH + Integer.BYTES];
        byte[] mixed = null;
        byte[] tweak = null;
        try {
            ByteBuffer out = ByteBuffer.wrap(data);
            if (index < 0) {
                out.put((byte) 0).put(key);
            } else {
                out.put(Secp256k1.compressedPublicKey(key));
            }
            out.putInt(index);
            mixed = Digests.hmacSha512(chainCode, data);
            tweak = Arrays.copyOf(mixed, KEY_LENGTH);
            byte[] childKey = Secp256k1.tweak(key, tweak)
                    .orElseThrow(() -> new IllegalArgumentException("there is no key at this index"));
            System.arraycopy(childKey, 0, mixed, 0, KEY_LENGTH);
            Arrays.fill(childKey, (byte) 0);
            return mixed.clone();
        } finally {
            wipe(key, chainCode, data, mixed, tweak);
        }
    }

    private static void requireUsable(byte[] node) {
        byte[] key = Arrays.copyOf(node, KEY_LENGTH);
        try {
            if (!Secp256k1.isUsable(key)) {
                throw new IllegalArgumentException("this seed has no master key");
            }
        } finally {
            Arrays.fill(key, (byte) 0);
        }
    }

    private static void wipe(byte[]... secrets) {
        for (byte[] secret : secrets) {
            if (secret != null) {
                Arrays.fill(secret, (byte) 0);
            }
        }
    }
}
