package org.chainwalletd.keyring.store;

import java.util.Arrays;
import org.chainwalletd.chain.Address;

/**
 * Hash table from addresses to rows of records of address and public key, {@link KeyColumns#RECORD} bytes each. Open addressing by the
 * leading bytes of the addresses, which are hashes. About 10 bytes per row. Not thread-safe.
 */
public final class AddressIndex {
    private static final int SMALLEST = 16;

    /** Row + 1, or 0 for a free slot; at most half of the slots are used. */
    private int[] places;

    private int size;

    private AddressIndex(int rows) {
        places = new int[Math.max(SMALLEST, Integer.highestOneBit(Math.max(1, rows)) << 2)];
    }

    /** Creates the index of the first {@code rows} records. */
    public static AddressIndex of(byte[] records, int rows) {
        AddressIndex index = new AddressIndex(rows);
        for (int row = 0; row < rows; row++) {
            index.add(records, row);
        }
        return index;
    }

    /** Number of distinct addresses. */
    public int size() {
        return size;
    }

    /** Returns the row of {@code address} in {@code records}, or -1. */
    public int find(byte[] records, byte[] address) {
        return find(records, address, 0);
    }

    /** Returns the row of the address at offset {@code at} of {@code bytes}, or -1. */
    public int find(byte[] records, byte[] bytes, int at) {
        return places[place(records, bytes, at)] - 1;
    }

    /** Adds {@code row}; the last row of an address wins. */
    public void add(byte[] records, int row) {
        int place = place(records, records, row * KeyColumns.RECORD);
        if (places[place] == 0) {
            size++;
        }
        places[place] = row + 1;
        if (2 * size > places.length) {
            places = of(records, row + 1).places;
        }
    }

    /** Returns the slot of the address at offset {@code at} of {@code bytes}, or the free slot where it belongs. */
    private int place(byte[] records, byte[] bytes, int at) {
        int mask = places.length - 1;
        int place = leading(bytes, at) & mask;
        while (places[place] != 0 && !isAt(records, (places[place] - 1) * KeyColumns.RECORD, bytes, at)) {
            place = (place + 1) & mask;
        }
        return place;
    }

    private static int leading(byte[] bytes, int at) {
        return bytes[at] & 0xff
                | (bytes[at + 1] & 0xff) << 8
                | (bytes[at + 2] & 0xff) << 16
                | (bytes[at + 3] & 0xff) << 24;
    }

    private static boolean isAt(byte[] records, int from, byte[] bytes, int at) {
        return Arrays.equals(records, from, from + Address.LENGTH, bytes, at, at + Address.LENGTH);
    }
}
