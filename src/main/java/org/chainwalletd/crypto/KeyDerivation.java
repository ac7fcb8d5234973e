package org.chainwalletd.crypto;

/**
 * From a phrase to the 32-byte Ed25519 secret (chain protocol, appendix B). The same phrase gives three different keys, one per method.
 */
public final class KeyDerivation {
    /** SLIP-0044 purpose level of the path. */
    private static final int ACCOUNT_CHAIN_COIN = 60;

    private static final int PURPOSE = 44;

    private KeyDerivation() {}

    /**
     * Standard: SHA-256 over the raw tag bytes and the 64 bytes of the BIP-39 seed; no length byte, no HMAC.
     *
     * @param tag the mnemonic tag of the chain's brand, {@code CHAIN-MNEMONIC-ED25519-V1} by default
     */
    public static SecretBytes standard(byte[] tag, Mnemonic phrase) {
        try (SecretBytes seed = phrase.seed()) {
            return seed.use(bytes -> SecretBytes.takeOver(Digests.sha256(tag, bytes)));
        }
    }

    /**
     * Independent: the entropy itself; the phrase merely spells the secret.
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

    /**
     * Account chain: BIP-32 over the BIP-39 seed, {@code m/44'/60'/0'/0/0}, a secp256k1 secret (chain protocol, appendix E.1).
     */
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
}
