package org.chainwalletd.doctor;

/**
 * One line of the doctor's report.
 *
 * @param subject what was looked at
 * @param text what was found and, unless all is well, what to do
 */
public record Finding(Level level, String subject, String text) {
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

    /** As printed. */
    public String line() {
        return level.label + "  " + subject + ": " + text;
    }
}
