package org.chainwalletd.devnet.indexer;

import java.util.Comparator;
import org.chainwalletd.chain.Hash256;

/**
 * Position of a row in lists that ascend by height, transaction id and a number that distinguishes the rows of one transaction.
 *
 * @param number output index, or 0 and 1 for what an address paid and was paid
 */
record Place(long height, Hash256 txId, long number) implements Comparable<Place> {
    private static final Comparator<Place> ORDER =
            Comparator.comparingLong(Place::height).thenComparing(Place::txId).thenComparingLong(Place::number);

    @Override
    public int compareTo(Place other) {
        return ORDER.compare(this, other);
    }
}
