package org.chainwalletd.crypto;

import java.util.List;

/**
 * Words that are no BIP-39 phrase. The message says why and may be shown to the caller: it tells the places of
 * unknown words and never a word, because one in capitals, or with a typing error, is as good as the right one.
 */
public final class MnemonicException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Fault of a mnemonic. When there are several, the first of this order. */
    public enum Reason {
        WORD_COUNT,
        UNKNOWN_WORD,
        CHECKSUM
    }

    private final Reason reason;
    private final transient List<Integer> unknownWords;

    MnemonicException(Reason reason, String message, List<Integer> unknownWords) {
        super(message);
        this.reason = reason;
        this.unknownWords = List.copyOf(unknownWords);
    }

    public Reason reason() {
        return reason;
    }

    /** Places of the first unknown words, at most three, 1 for the first word of the phrase; empty for other reasons. */
    public List<Integer> unknownWords() {
        return unknownWords;
    }
}
