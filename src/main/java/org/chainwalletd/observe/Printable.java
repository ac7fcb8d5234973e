package org.chainwalletd.observe;

/**
 * Text of peers and callers as it may stand in a line for people and programs: nothing in it ends the line, moves the cursor, or turns the
 * direction of writing. What would is written as in JSON and Java, such as {@code \n} or {@code \u2028}.
 */
public final class Printable {
    /** Maximum characters of one text in the log: enough for every message of the daemon; keeps one peer's answer from filling the disk. */
    private static final int LONGEST = 8_192;

    private Printable() {}

    /** {@code text}, its beginning when it is very long, for the log. */
    static String logged(String text) {
        return text(shortened(text));
    }

    /** {@code text}, or its beginning and how much is left out. */
    static String shortened(String text) {
        return text == null || text.length() <= LONGEST
                ? text
                : text.substring(0, LONGEST) + "... (" + (text.length() - LONGEST) + " characters more)";
    }

    /** {@code text} for a place where blanks are harmless. */
    public static String text(String text) {
        return escape(text, false);
    }

    /** {@code text} for a place that ends at a blank or an equals sign. */
    public static String word(String text) {
        return escape(text, true);
    }

    private static String escape(String text, boolean word) {
        if (text == null) {
            return null;
        }
        StringBuilder written = null;
        for (int at = 0; at < text.length(); ) {
            int point = text.codePointAt(at);
            int length = Character.charCount(point);
            boolean harmful = isHarmful(point) || word && (point == '=' || Character.isSpaceChar(point));
            if (harmful && written == null) {
                written = new StringBuilder(text.length() + 16).append(text, 0, at);
            }
            if (harmful) {
                append(written, text, at, length);
            } else if (written != null) {
                written.appendCodePoint(point);
            }
            at += length;
        }
        return written == null ? text : written.toString();
    }

    private static boolean isHarmful(int point) {
        if (point >= ' ' && point < 0x7f) {
            return false;
        }
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> true;
            default -> false;
        };
    }

    private static void append(StringBuilder written, String text, int at, int length) {
        switch (text.charAt(at)) {
            case '\n' -> written.append("\\n");
            case '\r' -> written.append("\\r");
            case '\t' -> written.append("\\t");
            default -> {
                for (int i = at; i < at + length; i++) {
                    written.append(String.format("\\u%04x", (int) text.charAt(i)));
                }
            }
        }
    }
}
