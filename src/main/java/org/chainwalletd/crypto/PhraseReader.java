package org.chainwalletd.crypto;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.chainwalletd.crypto.MnemonicException.Reason;

/** Turns words into entropy and checks them: their number, each word, the checksum (BIP-39). */
final class PhraseReader {
    /** Any legal number of words. */
    static final int ANY_COUNT = 0;

    private static final int MOST_WORDS = 24;
    private static final int NAMED_WORDS = 3;

    private final int[] indexes = new int[MOST_WORDS];
    private final List<Integer> unknown = new ArrayList<>();
    private int words;
    private int unknownCount;

    private final int wanted;

    private PhraseReader(int wanted) {
        if (wanted != ANY_COUNT && !PhraseLength.isWordCount(wanted)) {
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
        if (wanted == ANY_COUNT ? !PhraseLength.isWordCount(words) : words != wanted) {
            String expected = wanted == ANY_COUNT ? "12, 15, 18, 21 or 24" : Integer.toString(wanted);
            throw new MnemonicException(
                    Reason.WORD_COUNT, "a phrase has " + expected + " words, this one has " + words, List.of());
        }
        if (unknownCount > 0) {
            throw new MnemonicException(Reason.UNKNOWN_WORD, unknownMessage(), unknown);
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
            int mask = 0xff00 >> PhraseLength.checksumBits(entropy.length) & 0xff;
            byte[] digest = Digests.sha256(entropy);
            boolean matches = ((digest[0] ^ bits[entropy.length]) & mask) == 0;
            Arrays.fill(digest, (byte) 0);
            if (!matches) {
                Arrays.fill(entropy, (byte) 0);
                throw new MnemonicException(
                        Reason.CHECKSUM,
                        "the phrase has a wrong checksum: a word is wrong or in the wrong place",
                        List.of());
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
     * Number of bytes of the white space character that starts at {@code at}, 0 when there is none: all of Unicode's White_Space, and the
     * byte order mark that some editors put before a text file.
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
