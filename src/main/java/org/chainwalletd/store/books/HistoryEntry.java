package org.chainwalletd.store.books;

import java.util.Comparator;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;

/**
 * Effect of a transaction on an address in one direction.
 *
 * @param amount sum of all coins of the address that the transaction created or spent
 * @param input true when the coins were spent
 */
public record HistoryEntry(long height, Hash256 txId, boolean input, Amount amount, boolean coinbase) {
    public Position position() {
        return new Position(height, txId, input);
    }

    /** A position in a history, ordered by height, transaction id and direction, received before spent. */
    public record Position(long height, Hash256 txId, boolean input) implements Comparable<Position> {
        /** Position before all entries. */
        static final Position START = new Position(-1, Hash256.ZERO, false);

        private static final String INPUT = "i";
        private static final String OUTPUT = "o";

        private static final Comparator<Position> ORDER = Comparator.comparingLong(Position::height)
                .thenComparing(Position::txId)
                .thenComparing(Position::input);

        @Override
        public int compareTo(Position other) {
            return ORDER.compare(this, other);
        }

        public String text() {
            return height + ":" + txId.hex() + ":" + (input ? INPUT : OUTPUT);
        }

        /**
         * Parses the text form of a position.
         *
         * @throws IllegalArgumentException for a text that is not from {@link #text}
         */
        public static Position parse(String text) {
            String[] parts = text.split(":", -1);
            if (parts.length != 3 || !(parts[2].equals(INPUT) || parts[2].equals(OUTPUT))) {
                throw new IllegalArgumentException("not a cursor of this history");
            }
            return new Position(Long.parseLong(parts[0]), Hash256.parse(parts[1]), parts[2].equals(INPUT));
        }
    }
}
