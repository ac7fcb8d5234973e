package org.chainwalletd.devnet.call;

import java.util.HexFormat;
import org.chainwalletd.chain.DecodeException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;

/** Hexadecimal input in either case, with a node's error texts. */
public final class Hex {
    private Hex() {}

    /**
     * @throws IllegalArgumentException whose message is a node's hex error
     */
    public static byte[] parse(String text) {
        if (text.length() % 2 != 0) {
            throw new IllegalArgumentException("Odd number of digits");
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 128 || Character.digit(c, 16) < 0) {
                throw new IllegalArgumentException("Invalid character '" + c + "' at position " + i);
            }
        }
        return HexFormat.of().parseHex(text);
    }

    /** A parameter in hexadecimal. */
    static byte[] param(String text) {
        try {
            return parse(text);
        } catch (IllegalArgumentException e) {
            throw CallException.invalid("Invalid hex: " + e.getMessage());
        }
    }

    /**
     * A parameter of 32 bytes.
     *
     * @param what its name in the refusal, for example {@code Hash}
     */
    static Hash256 hash(String text, String what) {
        byte[] bytes = param(text);
        if (bytes.length != Hash256.LENGTH) {
            throw CallException.invalid(what + " must be 32 bytes");
        }
        return Hash256.of(bytes);
    }

    /** A parameter that is a serialised transaction. */
    public static Transaction transaction(String text) {
        try {
            return TransactionCodec.decode(param(text));
        } catch (DecodeException e) {
            throw CallException.invalid(
                    switch (e.kind()) {
                        case UNEXPECTED_EOF -> "Failed to deserialize transaction: UnexpectedEof";
                        case INVALID_DATA -> "Failed to deserialize transaction: InvalidData(\"" + e.detail() + "\")";
                        case TRAILING_BYTES ->
                            "Trailing bytes after transaction: consumed " + e.position() + " of " + e.total();
                    });
        }
    }
}
