package org.chainwalletd.crypto;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import org.chainwalletd.crypto.Mnemonic.MnemonicException.Reason;

/**
 * English BIP-39 phrase of 12, 15, 18, 21 or 24 words, stored as its entropy (16, 20, 24, 28 or 32 bytes). No part of it is ever converted to a
 * string. Closing it overwrites the entropy; values that it returned have to be closed separately.
 */
public final class Mnemonic implements AutoCloseable {
    /** Number of words of a wallet phrase: 32 bytes of entropy (chain protocol, appendix B). */
    public static final int KEY_WORDS = 24;

    private static final byte[] SALT = "mnemonic".getBytes(StandardCharsets.US_ASCII);
    private static final int ROUNDS = 2048;
    private static final int SEED_LENGTH = 64;

    private final SecretBytes entropy;

    private Mnemonic(SecretBytes entropy) {
        this.entropy = entropy;
    }

    /**
     * Returns the phrase of an entropy, which is copied.
     *
     * @throws IllegalArgumentException unless there are 16, 20, 24, 28 or 32 bytes
     */
    public static Mnemonic ofEntropy(byte[] entropy) {
        requireEntropyLength(entropy.length);
        return new Mnemonic(SecretBytes.copyOf(entropy));
    }

    /**
     * Returns a new phrase of {@code words} words: {@code words * 4 / 3} bytes from {@code random}.
     *
     * @throws IllegalArgumentException unless {@code words} is 12, 15, 18, 21 or 24
     */
    public static Mnemonic random(int words, SecureRandom random) {
        if (!isWordCount(words)) {
            throw new IllegalArgumentException("a phrase has 12, 15, 18, 21 or 24 words, not " + words);
        }
        return new Mnemonic(SecretBytes.random(words / 3 * 4, random));
    }

    /**
     * Parses a phrase of any valid number of words from UTF-8, which is only read. Words are lower case and separated by any white space.
     *
     * @throws MnemonicException for an invalid number of words, unknown words, or a wrong checksum, in this order
     */
    public static Mnemonic parse(byte[] utf8) {
        return new Mnemonic(PhraseReader.entropyOf(utf8, PhraseReader.ANY_COUNT));
    }

    /**
     * Parses as {@link #parse(byte[])}, a phrase of exactly {@code words} words.
     *
     * @throws MnemonicException for another number of words, unknown words, or a wrong checksum, in this order
     * @throws IllegalArgumentException unless {@code words} is a valid number of words
     */
    public static Mnemonic parse(byte[] utf8, int words) {
        return new Mnemonic(PhraseReader.entropyOf(utf8, words));
    }

    /** Returns 12, 15, 18, 21 or 24. */
    public int wordCount() {
        return entropy.length() / 4 * 3;
    }

    /** Returns a copy of the entropy. */
    public SecretBytes entropy() {
        return entropy.duplicate();
    }

    /** Returns the words in UTF-8, separated by single spaces. */
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

    /** Returns the 64-byte BIP-39 seed with the empty passphrase: PBKDF2-HMAC-SHA512 (RFC 8018) over the phrase, salt "mnemonic", 2048 rounds. */
    public SecretBytes seed() {
        try (SecretBytes phrase = phrase()) {
            return phrase.use(Mnemonic::stretch);
        }
    }

    @Override
    public void close() {
        entropy.close();
    }

    /** Returns the word indexes of entropy ‖ checksum, 11 bits each, most significant bit first; the caller overwrites them. */
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

    /**
     * Computes PBKDF2 with a single block, because the output is as long as the HMAC. The JDK's implementation takes characters and keeps copies of
     * them.
     */
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
        if (length % 4 != 0 || !isWordCount(length / 4 * 3)) {
            throw new IllegalArgumentException("entropy must have 16, 20, 24, 28 or 32 bytes, not " + length);
        }
    }

    static boolean isWordCount(int words) {
        return words >= 12 && words <= 24 && words % 3 == 0;
    }

    /** Parser that converts words to entropy and checks their number, each word, and the checksum (BIP-39). */
    static final class PhraseReader {
        /** Any valid number of words. */
        static final int ANY_COUNT = 0;

        private static final int MOST_WORDS = 24;
        private static final int NAMED_WORDS = 3;

        private final int[] indexes = new int[MOST_WORDS];
        private final List<Integer> unknown = new ArrayList<>();
        private int words;
        private int unknownCount;

        private final int wanted;

        private PhraseReader(int wanted) {
            if (wanted != ANY_COUNT && !isWordCount(wanted)) {
                throw new IllegalArgumentException("a phrase has 12, 15, 18, 21 or 24 words, not " + wanted);
            }
            this.wanted = wanted;
        }

        /** Reads words separated by white space; {@code wanted} is their number, or {@link #ANY_COUNT}. */
        static SecretBytes entropyOf(byte[] utf8, int wanted) {
            PhraseReader reader = new PhraseReader(wanted);
            try {
                int at = 0;
                while (at < utf8.length) {
                    int gap = whiteSpaceAt(utf8, at);
                    if (gap > 0) {
                        at += gap;
                        continue;
                    }
                    int from = at;
                    while (at < utf8.length && whiteSpaceAt(utf8, at) == 0) {
                        at++;
                    }
                    reader.add(utf8, from, at);
                }
                return reader.finish();
            } finally {
                Arrays.fill(reader.indexes, 0);
            }
        }

        private void add(byte[] text, int from, int to) {
            int index = WordList.indexOf(text, from, to);
            if (words < MOST_WORDS) {
                indexes[words] = Math.max(index, 0);
            }
            words++;
            if (index < 0) {
                unknownCount++;
                if (unknown.size() < NAMED_WORDS) {
                    unknown.add(words);
                }
            }
        }

        private SecretBytes finish() {
            if (wanted == ANY_COUNT ? !isWordCount(words) : words != wanted) {
                String expected = wanted == ANY_COUNT ? "12, 15, 18, 21 or 24" : Integer.toString(wanted);
                throw new MnemonicException(
                        Reason.WORD_COUNT, "a phrase has " + expected + " words, this one has " + words);
            }
            if (unknownCount > 0) {
                throw new MnemonicException(Reason.UNKNOWN_WORD, unknownMessage());
            }
            return checkedEntropy();
        }

        private SecretBytes checkedEntropy() {
            byte[] entropy = new byte[words / 3 * 4];
            byte[] bits = new byte[entropy.length + 1];
            try {
                for (int i = 0; i < words * WordList.BITS_PER_WORD; i++) {
                    int shift = WordList.BITS_PER_WORD - 1 - i % WordList.BITS_PER_WORD;
                    int bit = indexes[i / WordList.BITS_PER_WORD] >> shift & 1;
                    bits[i / 8] |= (byte) (bit << (7 - i % 8));
                }
                System.arraycopy(bits, 0, entropy, 0, entropy.length);
                // The checksum has one bit per 32 bits of entropy.
                int mask = 0xff00 >> entropy.length / 4 & 0xff;
                byte[] digest = Digests.sha256(entropy);
                boolean matches = ((digest[0] ^ bits[entropy.length]) & mask) == 0;
                Arrays.fill(digest, (byte) 0);
                if (!matches) {
                    Arrays.fill(entropy, (byte) 0);
                    throw new MnemonicException(
                            Reason.CHECKSUM, "the phrase has a wrong checksum: a word is wrong or in the wrong place");
                }
                return SecretBytes.takeOver(entropy);
            } finally {
                Arrays.fill(bits, (byte) 0);
            }
        }

        private String unknownMessage() {
            StringBuilder message = new StringBuilder("not in the English word list: ");
            for (int i = 0; i < unknown.size(); i++) {
                message.append(i == 0 ? "" : ", ").append("word ").append(unknown.get(i));
            }
            if (unknownCount > unknown.size()) {
                message.append(" and ").append(unknownCount - unknown.size()).append(" more");
            }
            return message.toString();
        }

        /**
         * Returns the number of bytes of the white space character that starts at {@code at}, or 0 if there is none: all of Unicode's White_Space,
         * and the byte order mark that some editors write at the start of a text file.
         */
        private static int whiteSpaceAt(byte[] text, int at) {
            int first = text[at] & 0xff;
            if (first < 0x80) {
                return first == ' ' || first >= '\t' && first <= '\r' ? 1 : 0;
            }
            if (first == 0xc2) {
                int second = byteAt(text, at + 1);
                return second == 0x85 || second == 0xa0 ? 2 : 0;
            }
            int rest = byteAt(text, at + 1) << 8 | byteAt(text, at + 2);
            boolean space = switch (first) {
                case 0xe1 -> rest == 0x9a80;
                case 0xe2 ->
                    rest >= 0x8080 && rest <= 0x808a
                            || rest == 0x80a8
                            || rest == 0x80a9
                            || rest == 0x80af
                            || rest == 0x819f;
                case 0xe3 -> rest == 0x8080;
                case 0xef -> rest == 0xbbbf;
                default -> false;
            };
            return space ? 3 : 0;
        }

        private static int byteAt(byte[] text, int at) {
            return at < text.length ? text[at] & 0xff : 0;
        }
    }

    /**
     * English word list of BIP-39: 2048 words of 3 to 8 lower-case letters in ASCII order. Words are byte arrays, so that a lookup creates no
     * string.
     */
    static final class WordList {
        static final int SIZE = 2048;
        static final int BITS_PER_WORD = 11;

        private static final String RESOURCE = "bip39-english.txt";
        private static final String SHA256 = "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda";
        private static final byte[][] WORDS = load();

        private WordList() {}

        /** Returns the word's own array, for reading only. */
        static byte[] word(int index) {
            return WORDS[index];
        }

        /** Returns the index of the word in {@code text[from, to)}, or a negative number. */
        static int indexOf(byte[] text, int from, int to) {
            int low = 0;
            int high = SIZE - 1;
            while (low <= high) {
                int middle = (low + high) >>> 1;
                byte[] candidate = WORDS[middle];
                int order = Arrays.compareUnsigned(candidate, 0, candidate.length, text, from, to);
                if (order == 0) {
                    return middle;
                }
                if (order < 0) {
                    low = middle + 1;
                } else {
                    high = middle - 1;
                }
            }
            return -1;
        }

        /** Loads the list; refuses a damaged one, since with another list the same phrases would give other keys. */
        private static byte[][] load() {
            byte[] text = read();
            if (!HexFormat.of().formatHex(Digests.sha256(text)).equals(SHA256)) {
                throw new IllegalStateException("the BIP-39 word list " + RESOURCE + " is damaged");
            }
            byte[][] words = new byte[SIZE][];
            int from = 0;
            for (int i = 0; i < SIZE; i++) {
                int to = from;
                while (text[to] != '\n') {
                    to++;
                }
                words[i] = Arrays.copyOfRange(text, from, to);
                from = to + 1;
            }
            return words;
        }

        private static byte[] read() {
            try (InputStream in = WordList.class.getResourceAsStream(RESOURCE)) {
                if (in == null) {
                    throw new IllegalStateException("the BIP-39 word list " + RESOURCE + " is missing");
                }
                return in.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /**
     * The words are not a BIP-39 phrase. The message gives the reason and may be shown to the caller: it contains the positions of unknown words
     * but never a word, because a word in capitals or with a typing error reveals the right one.
     */
    public static final class MnemonicException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        /** Fault of a mnemonic; if there are several, the first in this order. */
        public enum Reason {
            WORD_COUNT,
            UNKNOWN_WORD,
            CHECKSUM
        }

        private final Reason reason;

        MnemonicException(Reason reason, String message) {
            super(message);
            this.reason = reason;
        }

        public Reason reason() {
            return reason;
        }
    }
}
