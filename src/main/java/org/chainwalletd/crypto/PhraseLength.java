package org.chainwalletd.crypto;

/** How long the phrases of BIP-39 are. */
final class PhraseLength {
    private PhraseLength() {}

    static boolean isWordCount(int words) {
        return words >= 12 && words <= 24 && words % 3 == 0;
    }

    /** Bits of checksum behind {@code entropyLength} bytes of entropy: one per 32 bits. */
    static int checksumBits(int entropyLength) {
        return entropyLength / 4;
    }
}
