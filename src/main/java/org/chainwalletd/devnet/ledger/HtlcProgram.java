package org.chainwalletd.devnet.ledger;

import java.util.Arrays;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;

/**
 * The two arms of the HTLC, evaluated in the order in which the program reads its witness, so that every failure has the reason a node
 * gives (chain protocol, sections 6.3 to 6.5).
 */
final class HtlcProgram {
    private HtlcProgram() {}

    /** Checks a signature over the signing message of the spending transaction. */
    @FunctionalInterface
    interface SignatureCheck {
        boolean verify(byte[] publicKey, byte[] signature);
    }

    /**
     * @param height of the block that would contain the spend
     * @throws ScriptFailure when the spend is not valid
     */
    static void run(HtlcParams params, TxOutput spent, Witness witness, long height, SignatureCheck signatures)
            throws ScriptFailure {
        resolveDatum(spent, witness);
        WitnessValues values = new WitnessValues(witness.data());
        boolean result =
                values.selector() ? reclaim(params, values, height, signatures) : claim(params, values, signatures);
        values.end();
        if (!result) {
            throw ScriptFailure.returnedFalse();
        }
    }

    private static boolean claim(HtlcParams params, WitnessValues values, SignatureCheck signatures)
            throws ScriptFailure {
        if (!Hash256.sha256(values.bytes()).equals(params.hashLock())) {
            return false;
        }
        return signatures.verify(params.receiver().toArray(), values.bytes());
    }

    private static boolean reclaim(HtlcParams params, WitnessValues values, long height, SignatureCheck signatures)
            throws ScriptFailure {
        if (!params.reclaimableInBlock(height)) {
            return false;
        }
        return signatures.verify(params.sender().toArray(), values.bytes());
    }

    /** An output that carries only the hash of its datum must be given the datum as redeemer. */
    private static void resolveDatum(TxOutput spent, Witness witness) throws ScriptFailure {
        if (spent.datumHash() == null || spent.datum() != null) {
            return;
        }
        if (witness.redeemer() == null) {
            throw ScriptFailure.datum("datum required: output has datum_hash but no datum provided");
        }
        if (witness.redeemer().length() > ChainProfile.MAX_DATUM_BYTES) {
            throw ScriptFailure.datum("hash-committed datum exceeds MAX_DATUM_SIZE ("
                    + witness.redeemer().length() + " > " + ChainProfile.MAX_DATUM_BYTES + ")");
        }
        if (!Hash256.sha256(witness.redeemer().toArray()).equals(spent.datumHash())) {
            throw ScriptFailure.datum("datum hash mismatch");
        }
    }

    /** Reads the values that a witness supplies, in evaluation order (chain protocol, sections 6.2 and 6.3). */
    static final class WitnessValues {
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
                throw ScriptFailure.witness(
                        "unconsumed witness bytes: " + position + " of " + data.length + " consumed");
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

    /** An HTLC program did not end in true; the message is the reason in a node's words (chain protocol, section 10.4). */
    static final class ScriptFailure extends Exception {
        private static final long serialVersionUID = 1L;

        private ScriptFailure(String message) {
            super(message, null, false, false);
        }

        static ScriptFailure witness(String detail) {
            return new ScriptFailure("script evaluation failed: WitnessError(\"" + detail + "\")");
        }

        static ScriptFailure datum(String detail) {
            return new ScriptFailure("datum resolution failed: " + detail);
        }

        static ScriptFailure returnedFalse() {
            return new ScriptFailure("script returned Bool(false) (expected Bool(true) or Right(Unit))");
        }

        static ScriptFailure budget(long steps, long budget) {
            return new ScriptFailure("total script cost " + steps + " exceeds per-transaction budget " + budget);
        }
    }
}
