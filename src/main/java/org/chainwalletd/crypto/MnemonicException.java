package org.chainwalletd.crypto;

import java.util.List;

/**
 * Words that are no BIP-39 phrase. The message says why and may be shown to the caller: it names a few unknown words, which are typing
 * errors, and never a known one.
 */
public final class MnemonicException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What is wrong. When several things are, the first of this order. */
    public enum Reason {
        WORD_COUNT,
        UNKNOWN_WORD,
        CHECKSUM
    }

    /**
     * A word that is not in the English list.
     *
     * @param position 1 for the first word of the phrase
     * @param word the word, cut after 16 characters, anything but printable ASCII shown as {@code ?}
     */
    public record UnknownWord(int position, String word) {}

    private final Reason reason;
    private final transient List<UnknownWord> unknownWords;

    MnemonicException(Reason reason, String message, List<UnknownWord> unknownWords) {
        super(message);
        this.reason = reason;
        this.unknownWords = List.copyOf(unknownWords);
    }

    public Reason reason() {
        return reason;
    }

    /** The first unknown words, at most three, so that a phrase of another language is not repeated whole; empty for other reasons. */
    public List<UnknownWord> unknownWords() {
        return unknownWords;
    }
}
