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

        private static final Comparator<Position> ORDER = Comparator.comparingLong(Position::height)
                .thenComparing(Position::txId)
                .thenComparing(Position::input);

        @Override
        public int compareTo(Position other) {
            return ORDER.compare(this, other);
        }
    }
}
