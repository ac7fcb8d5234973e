package org.chainwalletd.chain;

/** A 32-byte address, which is also the script of a plain output (chain protocol, section 3). */
public final class Address extends Bytes32<Address> {
    private Address(byte[] value) {
        super(value);
    }

    /**
     * Copies {@code value}.
     *
     * @throws IllegalArgumentException unless there are exactly 32 bytes
     */
    public static Address of(byte[] value) {
        return new Address(copied(value));
    }

    /**
     * Reads 64 hexadecimal characters of either case.
     *
     * @throws IllegalArgumentException for any other text
     */
    public static Address parse(String hex) {
        return new Address(parsed(hex));
    }
}
