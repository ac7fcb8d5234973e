package org.chainwalletd.devnet.wire;

import org.chainwalletd.chain.Address;

/** Addresses as callers write them, validated with a node's error texts (chain protocol, section 10.2). */
public final class AddressText {
    private AddressText() {}

    /**
     * Reads 64 hexadecimal characters of either case.
     *
     * @throws IllegalArgumentException whose message is a node's address error
     */
    public static Address parse(String text) {
        if (!isHex(text)) {
            throw new IllegalArgumentException("Unrecognized address format (expected bech32m or 64 hex chars)");
        }
        if (text.length() != 2 * Address.LENGTH) {
            throw new IllegalArgumentException(
                    "Address must be 32 bytes (64 hex chars), got " + text.length() + " hex chars");
        }
        return Address.parse(text);
    }

    private static boolean isHex(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c < 128 && Character.digit(c, 16) >= 0);
    }
}
