package org.chainwalletd.crypto;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The English word list of BIP-39: 2048 words of 3 to 8 lower-case letters in ASCII order. Words are byte arrays, so that looking one up
 * makes no string of it.
 */
final class WordList {
    static final int SIZE = 2048;
    static final int BITS_PER_WORD = 11;

    private static final String RESOURCE = "bip39-english.txt";
    private static final String SHA256 = "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda";
    private static final byte[][] WORDS = load();

    private WordList() {}

    /** The word's own array, for reading. */
    static byte[] word(int index) {
        return WORDS[index];
    }

    /** Index of the word in {@code text[from, to)}, or a negative number. */
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

    /** Refuses a damaged list: with another list, phrases would open other wallets. */
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
