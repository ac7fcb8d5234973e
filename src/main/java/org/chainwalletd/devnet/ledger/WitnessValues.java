package org.chainwalletd.devnet.ledger;

import java.util.Arrays;
import org.chainwalletd.chain.Bytes;

/** Reads the values that a witness supplies, in evaluation order (chain protocol, sections 6.2 and 6.3). */
final class WitnessValues {
    private static final int TAG_UNIT = 0x00;
    private static final int TAG_LEFT = 0x01;
    private static final int TAG_RIGHT = 0x02;
    private static final int TAG_BYTES = 0x05;
    private static final int TAG_BOOL = 0x08;
    private static final String[] TYPE_NAMES = {
        "Unit", "Left", "Right", "Pair", "List", "Bytes", "U64", "U256", "Bool", "Hash"
    };

    private final byte[] data;
    private int position;

    WitnessValues(Bytes data) {
        this.data = data.toArray();
    }

    /** A selector in either encoding: Left(Unit) or false give false, Right(Unit) or true give true. */
    boolean selector() throws ScriptFailure {
        int tag = u8();
        switch (tag) {
            case TAG_LEFT, TAG_RIGHT -> {
                int inner = u8();
                if (inner != TAG_UNIT) {
                    throw mismatch("Sum(Unit, Unit)", TYPE_NAMES[tag] + "(" + typeName(inner) + ")");
                }
                return tag == TAG_RIGHT;
            }
            case TAG_BOOL -> {
                int value = u8();
                if (value > 1) {
                    throw ScriptFailure.witness("invalid bool byte: " + value);
                }
                return value == 1;
            }
            default -> throw mismatch("Sum(Unit, Unit)", typeName(tag));
        }
    }

    byte[] bytes() throws ScriptFailure {
        int tag = u8();
        if (tag != TAG_BYTES) {
            throw mismatch("Bytes", typeName(tag));
        }
        long length = u8() | u8() << 8 | u8() << 16 | (long) u8() << 24;
        if (length > data.length - position) {
            throw unexpectedEnd();
        }
        int from = position;
        position += (int) length;
        return Arrays.copyOfRange(data, from, position);
    }

    /** Fails unless everything was consumed. */
    void end() throws ScriptFailure {
        if (position < data.length) {
            throw ScriptFailure.witness("unconsumed witness bytes: " + position + " of " + data.length + " consumed");
        }
    }

    private int u8() throws ScriptFailure {
        if (position == data.length) {
            throw unexpectedEnd();
        }
        return data[position++] & 0xff;
    }

    private static ScriptFailure unexpectedEnd() {
        return ScriptFailure.witness("unexpected end of witness data");
    }

    private static ScriptFailure mismatch(String expected, String got) {
        return ScriptFailure.witness("witness type mismatch: expected " + expected + ", got " + got);
    }

    private static String typeName(int tag) {
        return tag < TYPE_NAMES.length ? TYPE_NAMES[tag] : "unknown tag " + tag;
    }
}
