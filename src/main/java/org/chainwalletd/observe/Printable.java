package org.chainwalletd.observe;

/**
 * Escaping of text from peers and callers for use in a line that people and programs read. Characters that end the line, move the cursor or change
 * the writing direction are escaped as in JSON and Java, such as {@code \n} or {@code \u2028}.
 */
public final class Printable {
    /** Maximum length of one text in the log, in characters: enough for every message of the daemon, and a peer's answer cannot fill the disk. */
    private static final int LONGEST = 8_192;

    private Printable() {}

    /** Returns {@code text} for the log: shortened and escaped. */
    static String logged(String text) {
        return text(shortened(text));
    }

    /** Returns {@code text}, or its beginning and the number of omitted characters. */
    static String shortened(String text) {
        return text == null || text.length() <= LONGEST
                ? text
                : text.substring(0, LONGEST) + "... (" + (text.length() - LONGEST) + " characters more)";
    }

    /** Escapes {@code text} for a context in which blanks are harmless. */
    public static String text(String text) {
        return escape(text, false);
    }

    /** Escapes {@code text} for a context that ends at a blank or an equals sign. */
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
