package org.chainwalletd.cli;

import java.util.Collection;
import java.util.Comparator;

/** Suggests the word that a mistyped one was probably meant to be. */
final class Nearest {
    private Nearest() {}

    /** A clause such as {@code : did you mean transfer?}, or nothing when no word is near. */
    static String to(String typed, Collection<String> words) {
        int bound = Math.max(2, typed.length() / 3);
        return words.stream()
                .filter(word -> distance(typed, word) <= bound)
                .min(Comparator.comparingInt(word -> distance(typed, word)))
                .map(word -> ": did you mean " + word + "?")
                .orElse("");
    }

    /** Levenshtein distance: letters to insert, delete or replace. */
    static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[other.length()];
    }
}
