package org.chainwalletd.config;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Suggestion of a known word for a mistyped one. */
public final class Nearest {
    private Nearest() {}

    /** Creates a clause for messages of the command line, such as {@code : did you mean transfer?}; empty if no word is similar. */
    public static String colon(String typed, Collection<String> known) {
        return to(typed, known, 3).map(word -> ": did you mean " + word + "?").orElse("");
    }

    /** Creates the same clause after a semicolon, for option names, which are longer and more alike. */
    static String semicolon(String typed, Collection<String> known) {
        return to(typed, known, 4).map(word -> "; did you mean " + word + "?").orElse("");
    }

    /**
     * Finds the first of the most similar words; empty if none is similar enough.
     *
     * @param lettersPerMistake number of typed letters that allow one more mistake; two mistakes are always allowed
     */
    private static Optional<String> to(String typed, Collection<String> known, int lettersPerMistake) {
        int bound = Math.max(2, typed.length() / lettersPerMistake);
        return known.stream()
                .filter(word -> distance(typed, word) <= bound)
                .min(Comparator.comparingInt(word -> distance(typed, word)));
    }

    /** Levenshtein distance: insertions, deletions and replacements of letters. */
    private static int distance(String one, String other) {
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
