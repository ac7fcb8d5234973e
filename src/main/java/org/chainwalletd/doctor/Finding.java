package org.chainwalletd.doctor;

import java.util.List;

/**
 * Line of the doctor's report.
 *
 * @param subject part that was checked
 * @param text result and, unless it is OK, the remedy
 */
public record Finding(Level level, String subject, String text) {
    private static final int NAMED = 3;

    /** Severity; only {@link #FAIL} makes the examination fail. */
    public enum Level {
        OK("ok  "),
        WARN("warn"),
        FAIL("FAIL");

        private final String label;

        Level(String label) {
            this.label = label;
        }
    }

    public static Finding ok(String subject, String text) {
        return new Finding(Level.OK, subject, text);
    }

    public static Finding warn(String subject, String text) {
        return new Finding(Level.WARN, subject, text);
    }

    public static Finding fail(String subject, String text) {
        return new Finding(Level.FAIL, subject, text);
    }

    /** Returns the first few elements of {@code all}, and the number of the others. */
    static String named(List<String> all) {
        String first = String.join(", ", all.subList(0, Math.min(NAMED, all.size())));
        return all.size() > NAMED ? first + " and " + (all.size() - NAMED) + " more" : first;
    }

    /** Returns the printed line. */
    public String line() {
        return level.label + "  " + subject + ": " + text;
    }
}
