package org.chainwalletd.keyring;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.chainwalletd.chain.Address;

/**
 * Which addresses a view of the keyring has: their first eight bytes, sorted. An address is a hash, so that nearly always decides; on a hit
 * the whole address is compared. Eight bytes for each key, made when first asked.
 */
final class OwnedAddresses {
    private final KeyringView view;
    private final long[] prefixes;

    OwnedAddresses(KeyringView view) {
        this.view = view;
        this.prefixes = new long[view.size()];
        for (int row = 0; row < prefixes.length; row++) {
            prefixes[row] = prefix(view.columns().address(row));
        }
        Arrays.sort(prefixes);
    }

    boolean isOf(KeyringView other) {
        return view == other;
    }

    boolean contains(Address address) {
        return Arrays.binarySearch(prefixes, prefix(address)) >= 0 && isThere(address.toArray());
    }

    private boolean isThere(byte[] address) {
        for (int row = 0; row < view.size(); row++) {
            if (view.columns().isAt(row, address)) {
                return true;
            }
        }
        return false;
    }

    private static long prefix(Address address) {
        return ByteBuffer.wrap(address.toArray()).getLong();
    }
}
