package org.chainwalletd.chain;

import java.util.Objects;

/**
 * Reference to one output of a transaction (chain protocol, section 4.4).
 *
 * @param index 0 … 2^32-1
 */
public record Outpoint(Hash256 txId, long index) implements Comparable<Outpoint> {
    public static final long MAX_INDEX = 0xffff_ffffL;

    public Outpoint {
        Objects.requireNonNull(txId, "txId");
        if (index < 0 || index > MAX_INDEX) {
            throw new IllegalArgumentException("output index " + index + " is not an unsigned 32-bit number");
        }
    }

    /** Compares by transaction id, then by index, as nodes order outputs. */
    @Override
    public int compareTo(Outpoint other) {
        int byId = txId.compareTo(other.txId);
        return byId != 0 ? byId : Long.compare(index, other.index);
    }

    /** Returns {@code <tx id>:<index>}. */
    @Override
    public String toString() {
        return txId + ":" + index;
    }
}
