package org.chainwalletd.doctor;

import java.util.List;

/**
 * Line of the doctor's report.
 *
 * @param subject what was looked at
 * @param text what was found and, unless all is well, what to do
 */
public record Finding(Level level, String subject, String text) {
    private static final int NAMED = 3;

    /** Only {@link #FAIL} makes the examination fail. */
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

    /** The first few of {@code all}, and how many more there are. */
    static String named(List<String> all) {
        String first = String.join(", ", all.subList(0, Math.min(NAMED, all.size())));
        return all.size() > NAMED ? first + " and " + (all.size() - NAMED) + " more" : first;
    }

    /** Line that is printed. */
    public String line() {
        return level.label + "  " + subject + ": " + text;
    }
}
