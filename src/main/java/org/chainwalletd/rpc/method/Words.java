package org.chainwalletd.rpc.method;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.chainwalletd.crypto.SecretBytes;

/** Splits a phrase into its words without a string in between. */
public final class Words {
    private Words() {}

    /** Closes {@code phrase}, whose words have single spaces between them. */
    public static List<SecretBytes> of(SecretBytes phrase) {
        try (phrase) {
            return phrase.use(Words::split);
        }
    }

    private static List<SecretBytes> split(byte[] text) {
        List<SecretBytes> words = new ArrayList<>();
        int from = 0;
        for (int at = 0; at <= text.length; at++) {
            if (at == text.length || text[at] == ' ') {
                words.add(SecretBytes.takeOver(Arrays.copyOfRange(text, from, at)));
                from = at + 1;
            }
        }
        return words;
    }
}
