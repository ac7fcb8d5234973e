package org.chainwalletd.evm;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.util.List;
import org.bouncycastle.util.BigIntegers;

/** Recursive length prefix: the account chain's encoding of byte strings and lists of them. Encodes only. */
final class Rlp {
    private static final int SHORT = 55;
    private static final int STRING = 0x80;
    private static final int LIST = 0xc0;

    private Rlp() {}

    /** A byte string: itself when it is one byte below 0x80, otherwise behind its length. */
    static byte[] bytes(byte[] content) {
        if (content.length == 1 && content[0] >= 0) {
            return content.clone();
        }
        return prefixed(STRING, content);
    }

    /**
     * A number without leading zeros; zero is the empty string.
     *
     * @throws IllegalArgumentException for a negative one
     */
    static byte[] number(BigInteger number) {
        if (number.signum() < 0) {
            throw new IllegalArgumentException("numbers are not negative: " + number);
        }
        return bytes(number.signum() == 0 ? new byte[0] : BigIntegers.asUnsignedByteArray(number));
    }

    /** A list of items that are encoded already. */
    static byte[] list(List<byte[]> items) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        items.forEach(content::writeBytes);
        return prefixed(LIST, content.toByteArray());
    }

    private static byte[] prefixed(int kind, byte[] content) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(content.length + 5);
        if (content.length <= SHORT) {
            out.write(kind + content.length);
        } else {
            byte[] length = BigIntegers.asUnsignedByteArray(BigInteger.valueOf(content.length));
            out.write(kind + SHORT + length.length);
            out.writeBytes(length);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }
}
