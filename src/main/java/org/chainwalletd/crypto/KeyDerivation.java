package org.chainwalletd.crypto;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Derivation of 32-byte secrets from a phrase (chain protocol, appendix B). The same phrase gives a different key with each method. */
public final class KeyDerivation {
    /** SLIP-0044 coin type of the account chain. */
    private static final int ACCOUNT_CHAIN_COIN = 60;

    private static final int PURPOSE = 44;

    private static final int KEY_LENGTH = 32;

    private KeyDerivation() {}

    /**
     * Standard: SHA-256 over the raw tag bytes and the 64 bytes of the BIP-39 seed; no length byte, no HMAC.
     *
     * @param tag mnemonic tag of the chain's brand, {@code CHAIN-MNEMONIC-ED25519-V1} by default
     */
    public static SecretBytes standard(byte[] tag, Mnemonic phrase) {
        try (SecretBytes seed = phrase.seed()) {
            return seed.use(bytes -> SecretBytes.takeOver(Digests.sha256(tag, bytes)));
        }
    }

    /**
     * Independent: returns the entropy itself, which the phrase merely encodes.
     *
     * @throws IllegalArgumentException unless the phrase has 24 words
     */
    public static SecretBytes independent(Mnemonic phrase) {
        if (phrase.wordCount() != Mnemonic.KEY_WORDS) {
            throw new IllegalArgumentException(
                    "a secret is spelt by " + Mnemonic.KEY_WORDS + " words, not " + phrase.wordCount());
        }
        return phrase.entropy();
    }

    /** Account chain: BIP-32 over the BIP-39 seed, {@code m/44'/60'/0'/0/0}, a secp256k1 secret (chain protocol, appendix E.1). */
    public static SecretBytes accountChain(Mnemonic phrase) {
        int h = Bip32.HARDENED;
        try (SecretBytes seed = phrase.seed()) {
            return seed.use(bytes -> Bip32.derive(bytes, PURPOSE | h, ACCOUNT_CHAIN_COIN | h, h, 0, 0));
        }
    }

    /**
     * Hierarchical (legacy): SLIP-0010 over the BIP-39 seed, {@code m/44'/coinType'/0'/0'/index'}.
     *
     * @param index 0 … 2^31-1
     * @throws IllegalArgumentException for a negative index
     */
    public static SecretBytes hierarchical(Mnemonic phrase, int coinType, int index) {
        try (SecretBytes seed = phrase.seed()) {
            return seed.use(bytes -> Slip10.derive(bytes, PURPOSE, coinType, 0, 0, index));
        }
    }

    /** Derives a child node (key ‖ chain code) from a parent, into a new array. */
    private interface Child {
        byte[] of(byte[] node, int index);
    }

    /** Returns the key of the node at {@code indexes} below {@code master}; overwrites the master and every intermediate node. */
    private static SecretBytes keyAt(byte[] master, int[] indexes, Child child) {
        byte[] node = master;
        try {
            for (int index : indexes) {
                byte[] parent = node;
                node = child.of(parent, index);
                Arrays.fill(parent, (byte) 0);
            }
            return SecretBytes.takeOver(Arrays.copyOf(node, KEY_LENGTH));
        } finally {
            Arrays.fill(node, (byte) 0);
        }
    }

    /** Hierarchical keys for Ed25519 (SLIP-0010), where every level is hardened. */
    public static final class Slip10 {
        private static final byte[] MASTER_KEY = "ed25519 seed".getBytes(StandardCharsets.US_ASCII);
        private static final int HARDENED = 0x8000_0000;

        private Slip10() {}

        /**
         * Returns the 32-byte Ed25519 seed at the path {@code m/i0'/i1'/…}; without indexes, the master key.
         *
         * @param seed any bytes, usually the 64 of a BIP-39 seed; only read
         * @param hardenedIndexes indexes without their hardening bit, 0 … 2^31-1
         * @throws IllegalArgumentException for a negative index
         */
        public static SecretBytes derive(byte[] seed, int... hardenedIndexes) {
            return keyAt(Digests.hmacSha512(MASTER_KEY, seed), hardenedIndexes, Slip10::child);
        }

        /** Derives the hardened child of a node (key ‖ chain code): HMAC(chain code, 00 ‖ key ‖ big-endian index). */
        private static byte[] child(byte[] node, int index) {
            if (index < 0) {
                throw new IllegalArgumentException(
                        "index must be in 0 … 2^31-1, not " + Integer.toUnsignedString(index));
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

    /** Hierarchical keys for secp256k1 (BIP-32), private derivation only. */
    public static final class Bip32 {
        /** Bit that hardens an index; written as an apostrophe after the index. */
        public static final int HARDENED = 0x8000_0000;

        private static final byte[] MASTER_KEY = "Bitcoin seed".getBytes(StandardCharsets.US_ASCII);

        private Bip32() {}

        /**
         * Returns the 32-byte secret at the path {@code m/i0/i1/…}; without indexes, the master key.
         *
         * @param seed any bytes, usually the 64 of a BIP-39 seed; only read
         * @param indexes each with its hardening bit
         * @throws IllegalArgumentException for a seed or an index without a valid key, with a probability of 1 in 2^127
         */
        public static SecretBytes derive(byte[] seed, int... indexes) {
            byte[] master = Digests.hmacSha512(MASTER_KEY, seed);
            try {
                requireUsable(master);
                return keyAt(master, indexes, Bip32::child);
            } finally {
                Arrays.fill(master, (byte) 0);
            }
        }

        /**
         * Derives the child of a node (key ‖ chain code): HMAC(chain code, 00 ‖ key or public key ‖ big-endian index), whose left half is added to
         * the key.
         */
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
}
