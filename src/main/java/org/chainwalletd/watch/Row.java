package org.chainwalletd.watch;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One line of the board: pieces of text, each with what it means to the reader. */
final class Row {
    /** How a piece is shown where there are colours. */
    enum Tone {
        PLAIN,
        TITLE,
        SOFT,
        GOOD,
        BAD
    }

    record Piece(String text, Tone tone) {}

    private final List<Piece> pieces = new ArrayList<>();

    private Row() {}

    static Row empty() {
        return new Row();
    }

    static Row of(String text) {
        return new Row().and(text);
    }

    Row and(String text) {
        return and(text, Tone.PLAIN);
    }

    Row and(String text, Tone tone) {
        pieces.add(new Piece(harmless(text), tone));
        return this;
    }

    /** The text in a column of its own, cut or filled up to {@code width} and followed by two spaces. */
    Row column(String text, int width) {
        return column(text, width, Tone.PLAIN);
    }

    Row column(String text, int width, Tone tone) {
        String cut = text.length() <= width ? text : text.substring(0, Math.max(0, width - 1)) + "…";
        return and(cut + " ".repeat(width - cut.length() + 2), tone);
    }

    /** Likewise, at the right of its column. */
    Row right(String text, int width) {
        return and(" ".repeat(Math.max(0, width - text.length())) + text + "  ");
    }

    List<Piece> pieces() {
        return pieces;
    }

    /** Without tones. */
    String text() {
        StringBuilder text = new StringBuilder();
        pieces.forEach(piece -> text.append(piece.text()));
        return text.toString().stripTrailing();
    }

    static String number(BigInteger number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    static String number(long number) {
        return number(BigInteger.valueOf(number));
    }

    static String number(double number) {
        return number(BigInteger.valueOf(Math.round(number)));
    }

    /** The ends of a hash or address. */
    static String brief(String hex) {
        return hex.length() <= 16 ? hex : hex.substring(0, 10) + "…" + hex.substring(hex.length() - 4);
    }

    /** Labels and messages come from others: what a terminal would obey instead of showing it is shown as a dot. */
    static String harmless(String text) {
        StringBuilder shown = new StringBuilder(text.length());
        text.codePoints().forEach(letter -> {
            int type = Character.getType(letter);
            boolean obeyed = type == Character.CONTROL
                    || type == Character.FORMAT
                    || type == Character.SURROGATE
                    || type == Character.LINE_SEPARATOR
                    || type == Character.PARAGRAPH_SEPARATOR;
            shown.appendCodePoint(obeyed ? '·' : letter);
        });
        return shown.toString();
    }
}
