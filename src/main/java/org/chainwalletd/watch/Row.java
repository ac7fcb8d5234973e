package org.chainwalletd.watch;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Line of the board: pieces of text with a tone each. */
final class Row {
    /** Appearance of a piece where colours are available. */
    enum Tone {
        PLAIN,
        TITLE,
        SOFT,
        GOOD,
        BAD
    }

    /**
     * @param rank 0 for mandatory pieces; of the others, the highest rank is left out first
     * @param elastic whether the piece is a column that may be cut
     */
    record Piece(String text, Tone tone, int rank, boolean elastic) {}

    private static final int SHORTEST = 6;

    private final List<Piece> pieces = new ArrayList<>();
    private int rank;

    private Row() {}

    static Row empty() {
        return new Row();
    }

    Row and(String text) {
        return and(text, Tone.PLAIN);
    }

    Row and(String text, Tone tone) {
        pieces.add(new Piece(sanitise(text), tone, rank, false));
        return this;
    }

    /** Makes the following pieces optional: they are left out when there is little room; pieces of the same rank are left out together. */
    Row optional(int newRank) {
        rank = newRank;
        return this;
    }

    /** Makes the following pieces mandatory. */
    Row needed() {
        return optional(0);
    }

    /** Adds a column: the text, cut or padded to {@code width}, and two spaces. */
    Row column(String text, int width) {
        return column(text, width, Tone.PLAIN);
    }

    Row column(String text, int width, Tone tone) {
        String cut = text.length() <= width ? text : text.substring(0, Math.max(0, width - 1)) + "…";
        return and(cut + " ".repeat(width - cut.length() + 2), tone);
    }

    /** Adds a column like {@link #column} that may be cut further when there is little room. */
    Row elastic(String text, int width) {
        column(text, width);
        Piece last = pieces.remove(pieces.size() - 1);
        pieces.add(new Piece(last.text(), last.tone(), rank, true));
        return this;
    }

    /** Fits this row into {@code width} columns: first drops optional pieces, then cuts elastic columns, then drops padding. */
    Row fit(int width) {
        Row fitting = new Row();
        fitting.pieces.addAll(pieces);
        while (fitting.length() > width) {
            int highest = fitting.pieces.stream().mapToInt(Piece::rank).max().orElse(0);
            if (highest == 0) {
                break;
            }
            fitting.pieces.removeIf(piece -> piece.rank() == highest);
        }
        fitting.shorten(fitting.length() - width);
        if (fitting.length() > width) {
            fitting.pieces.replaceAll(piece -> new Piece(
                    piece.text().strip() + (piece.text().endsWith(" ") ? " " : ""),
                    piece.tone(),
                    piece.rank(),
                    piece.elastic()));
        }
        return fitting;
    }

    private void shorten(int tooMuch) {
        for (int i = 0; i < pieces.size() && tooMuch > 0; i++) {
            Piece piece = pieces.get(i);
            int left = Math.max(SHORTEST, piece.text().length() - tooMuch);
            if (piece.elastic() && left < piece.text().length()) {
                String text = piece.text().stripTrailing();
                String cut = text.length() <= left - 2 ? text : text.substring(0, left - 3) + "…";
                pieces.set(i, new Piece(cut + " ".repeat(left - cut.length()), piece.tone(), piece.rank(), true));
                return;
            }
        }
    }

    private int length() {
        return text().length();
    }

    /** Adds a right-aligned column. */
    Row right(String text, int width) {
        return and(" ".repeat(Math.max(0, width - text.length())) + text + "  ");
    }

    List<Piece> pieces() {
        return pieces;
    }

    /** Returns the text without tones. */
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

    /** Abbreviates a hash or address to its two ends. */
    static String brief(String hex) {
        return hex.length() <= 16 ? hex : hex.substring(0, 10) + "…" + hex.substring(hex.length() - 4);
    }

    /** Replaces control characters by dots. Labels and messages come from third parties, and a terminal would interpret such characters. */
    static String sanitise(String text) {
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
