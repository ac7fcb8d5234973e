package org.chainwalletd.evm;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import org.chainwalletd.crypto.Keccak256;
import org.chainwalletd.crypto.Secp256k1;
import org.chainwalletd.crypto.SecretBytes;

/** Address of the account chain: 20 bytes, printed with the mixed-case checksum of EIP-55. */
public final class EvmAddress {
    public static final int LENGTH = 20;

    private static final HexFormat HEX = HexFormat.of();
    private static final String PREFIX = "0x";

    private final byte[] value;

    private EvmAddress(byte[] value) {
        this.value = value;
    }

    /**
     * Copies 20 bytes.
     *
     * @throws IllegalArgumentException for another length
     */
    public static EvmAddress of(byte[] bytes) {
        if (bytes.length != LENGTH) {
            throw new IllegalArgumentException("an account-chain address has 20 bytes, not " + bytes.length);
        }
        return new EvmAddress(bytes.clone());
    }

    /** Returns the address of a secp256k1 secret: the last 20 bytes of Keccak-256 over the uncompressed public key without its first byte. */
    public static EvmAddress ofSecret(SecretBytes secret) {
        byte[] hash = Keccak256.of(secret.use(Secp256k1::publicKey));
        return new EvmAddress(Arrays.copyOfRange(hash, hash.length - LENGTH, hash.length));
    }

    /**
     * Parses {@code 0x} and 40 hexadecimal digits. Letters that are all of one case have no checksum; otherwise the case of each letter must match
     * the checksum.
     *
     * @throws IllegalArgumentException for anything else
     */
    public static EvmAddress parse(String text) {
        if (!text.startsWith(PREFIX) || text.length() != PREFIX.length() + 2 * LENGTH) {
            throw new IllegalArgumentException("an account-chain address is 0x and 40 hexadecimal digits");
        }
        String digits = text.substring(PREFIX.length());
        EvmAddress address = new EvmAddress(HEX.parseHex(digits));
        boolean oneCase =
                digits.equals(digits.toLowerCase(Locale.ROOT)) || digits.equals(digits.toUpperCase(Locale.ROOT));
        if (!oneCase && !address.toString().equals(text)) {
            throw new IllegalArgumentException("the checksum of the address (the case of its letters) is wrong");
        }
        return address;
    }

    /** Returns a copy of the 20 bytes. */
    public byte[] toArray() {
        return value.clone();
    }

    /** Returns 40 lower-case digits, without {@code 0x}. */
    public String hex() {
        return HEX.formatHex(value);
    }

    public boolean isZero() {
        return Arrays.equals(value, new byte[LENGTH]);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof EvmAddress that && Arrays.equals(value, that.value);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(value);
    }

    /** Returns the text with the checksum of EIP-55: a letter is upper case if the hash has a digit of 8 or more at the same position. */
    @Override
    public String toString() {
        String digits = HEX.formatHex(value);
        String hash = HEX.formatHex(Keccak256.of(digits.getBytes(StandardCharsets.US_ASCII)));
        StringBuilder text = new StringBuilder(PREFIX);
        for (int i = 0; i < digits.length(); i++) {
            char digit = digits.charAt(i);
            text.append(hash.charAt(i) >= '8' ? Character.toUpperCase(digit) : digit);
        }
        return text.toString();
    }
}
