package org.chainwalletd.devnet.call;

import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/** Where a listing goes on: {@code <tip id>:<tx id>:<index>} (chain protocol, section 10.4). */
record Cursor(Hash256 tip, Outpoint after) {
    static Cursor parse(String text) {
        String[] parts = text.split(":", -1);
        if (parts.length != 3) {
            throw invalid("cursor must be '<tip_id_hex>:<tx_id_hex>:<output_index>'");
        }
        return new Cursor(hash(parts[0], "tip_id"), new Outpoint(hash(parts[1], "tx_id"), index(parts[2])));
    }

    private static Hash256 hash(String hex, String name) {
        byte[] bytes;
        try {
            bytes = Hex.parse(hex);
        } catch (IllegalArgumentException e) {
            throw invalid("invalid cursor " + name + " hex: " + e.getMessage());
        }
        if (bytes.length != Hash256.LENGTH) {
            throw invalid("cursor " + name + " must be 32 bytes, got " + bytes.length);
        }
        return Hash256.of(bytes);
    }

    private static long index(String digits) {
        String number = digits.startsWith("+") ? digits.substring(1) : digits;
        if (digits.isEmpty()) {
            throw invalid("invalid cursor output_index: cannot parse integer from empty string");
        }
        if (!number.matches("[0-9]+")) {
            throw invalid("invalid cursor output_index: invalid digit found in string");
        }
        String significant = number.replaceFirst("^0+(?=.)", "");
        long value = significant.length() > 10 ? Long.MAX_VALUE : Long.parseLong(significant);
        if (value > Outpoint.MAX_INDEX) {
            throw invalid("invalid cursor output_index: number too large to fit in target type");
        }
        return value;
    }

    private static CallException invalid(String detail) {
        return CallException.invalid("Invalid cursor: " + detail);
    }

    @Override
    public String toString() {
        return tip + ":" + after;
    }
}
