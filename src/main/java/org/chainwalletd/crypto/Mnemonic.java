package org.chainwalletd.crypto;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.Mac;

/**
 * An English BIP-39 phrase of 12, 15, 18, 21 or 24 words, kept as its entropy (16, 20, 24, 28 or 32 bytes). No part of it ever becomes a
 * string. Closing it overwrites the entropy; whatever it handed out has a life of its own.
 */
public final class Mnemonic implements AutoCloseable {
    /** Words of a phrase of the wallet: 32 bytes of entropy (chain protocol, appendix B). */
    public static final int KEY_WORDS = 24;

    private static final byte[] SALT = "mnemonic".getBytes(StandardCharsets.US_ASCII);
    private static final int ROUNDS = 2048;
    private static final int SEED_LENGTH = 64;

    private final SecretBytes entropy;

    private Mnemonic(SecretBytes entropy) {
        this.entropy = entropy;
    }

    /**
     * The phrase of an entropy, which is copied.
     *
     * @throws IllegalArgumentException unless there are 16, 20, 24, 28 or 32 bytes
     */
    public static Mnemonic ofEntropy(byte[] entropy) {
        requireEntropyLength(entropy.length);
        return new Mnemonic(SecretBytes.copyOf(entropy));
    }

    /**
     * A new phrase of {@code words} words: {@code words * 4 / 3} bytes from {@code random}.
     *
     * @throws IllegalArgumentException unless 12, 15, 18, 21 or 24 words are wanted
     */
    public static Mnemonic random(int words, SecureRandom random) {
        if (!PhraseLength.isWordCount(words)) {
            throw new IllegalArgumentException("a phrase has 12, 15, 18, 21 or 24 words, not " + words);
        }
        return new Mnemonic(SecretBytes.random(words / 3 * 4, random));
    }

    /**
     * Reads a phrase of any legal number of words from UTF-8, which is only read. Words are lower case and separated by any white space.
     *
     * @throws MnemonicException for another number of words, unknown words, or a wrong checksum, in this order
     */
    public static Mnemonic parse(byte[] utf8) {
        return new Mnemonic(PhraseReader.entropyOf(utf8, PhraseReader.ANY_COUNT));
    }

    /**
     * As {@link #parse(byte[])}, for a phrase of exactly {@code words} words.
     *
     * @throws MnemonicException for another number of words, unknown words, or a wrong checksum, in this order
     * @throws IllegalArgumentException when no phrase has {@code words} words
     */
    public static Mnemonic parse(byte[] utf8, int words) {
        return new Mnemonic(PhraseReader.entropyOf(utf8, words));
    }

    /** 12, 15, 18, 21 or 24. */
    public int wordCount() {
        return entropy.length() / 4 * 3;
    }

    /** A copy of the entropy. */
    public SecretBytes entropy() {
        return entropy.duplicate();
    }

    /** The words in UTF-8 with single spaces between them. */
    public SecretBytes phrase() {
        int[] indexes = entropy.use(Mnemonic::indexes);
        try {
            int length = indexes.length - 1;
            for (int index : indexes) {
                length += WordList.word(index).length;
            }
            byte[] phrase = new byte[length];
            int at = 0;
            for (int i = 0; i < indexes.length; i++) {
                if (i > 0) {
                    phrase[at++] = ' ';
                }
                byte[] word = WordList.word(indexes[i]);
                System.arraycopy(word, 0, phrase, at, word.length);
                at += word.length;
            }
            return SecretBytes.takeOver(phrase);
        } finally {
            Arrays.fill(indexes, 0);
        }
    }

    /** The 64-byte BIP-39 seed with the empty passphrase: PBKDF2-HMAC-SHA512 (RFC 8018) over the phrase, salt "mnemonic", 2048 rounds. */
    public SecretBytes seed() {
        try (SecretBytes phrase = phrase()) {
            return phrase.use(Mnemonic::stretch);
        }
    }

    @Override
    public void close() {
        entropy.close();
    }

    /** The word indexes of entropy ‖ checksum, 11 bits each, most significant bit first; the caller overwrites them. */
    private static int[] indexes(byte[] entropy) {
        byte[] digest = Digests.sha256(entropy);
        byte[] bits = Arrays.copyOf(entropy, entropy.length + 1);
        try {
            bits[entropy.length] = digest[0];
            int[] indexes = new int[entropy.length / 4 * 3];
            for (int i = 0; i < indexes.length * WordList.BITS_PER_WORD; i++) {
                int bit = bits[i / 8] >> (7 - i % 8) & 1;
                indexes[i / WordList.BITS_PER_WORD] = indexes[i / WordList.BITS_PER_WORD] << 1 | bit;
            }
            return indexes;
        } finally {
            Arrays.fill(bits, (byte) 0);
            Arrays.fill(digest, (byte) 0);
        }
    }

    /** PBKDF2 with one block, since the output is as long as the HMAC. The JDK's own takes characters and keeps copies of them. */
    private static SecretBytes stretch(byte[] phrase) {
        Mac mac = Digests.hmacSha512(phrase);
        try {
            mac.update(SALT);
            byte[] round = mac.doFinal(new byte[] {0, 0, 0, 1});
            byte[] seed = round.clone();
            for (int i = 1; i < ROUNDS; i++) {
                byte[] next = mac.doFinal(round);
                Arrays.fill(round, (byte) 0);
                for (int j = 0; j < SEED_LENGTH; j++) {
                    seed[j] ^= next[j];
                }
                round = next;
            }
            Arrays.fill(round, (byte) 0);
            return SecretBytes.takeOver(seed);
        } finally {
            Digests.forget(mac);
        }
    }

    private static void requireEntropyLength(int length) {
        if (length % 4 != 0 || !PhraseLength.isWordCount(length / 4 * 3)) {
            throw new IllegalArgumentException("entropy must have 16, 20, 24, 28 or 32 bytes, not " + length);
        }
    }
}
