package org.chainwalletd.chain;

import java.util.ArrayList;
import java.util.List;

/**
 * Bytes, ids and signing messages of transactions (chain protocol, sections 4 and 5).
 *
 * <p>Decoding is strict and safe for hostile input: it throws only {@link DecodeException} and allocates at most a small multiple of the input's
 * length. Encoding rejects what decoding would reject.
 */
public final class TransactionCodec {
    private static final int MAX_COUNT = 65_535;
    private static final int HEADER_BYTES = 4;
    private static final int INPUT_BYTES = 36;
    private static final int SMALLEST_OUTPUT_BYTES = 12;
    private static final int SMALLEST_WITNESS_BYTES = 3;
    /** Length of the shortest transaction that consensus allows: one input and one output, whose script has one byte. */
    static final int SHORTEST_BYTES = HEADER_BYTES + INPUT_BYTES + SMALLEST_OUTPUT_BYTES + 1 + SMALLEST_WITNESS_BYTES;

    private static final int SIGNING_PREFIX_BYTES = 9 + Hash256.LENGTH;

    private TransactionCodec() {}

    /**
     * Encodes {@code tx_header ‖ tx_body ‖ tx_witnesses}.
     *
     * @throws IllegalArgumentException when there is not one witness per input or a part is longer than the encoding allows
     */
    public static byte[] encode(Transaction tx) {
        if (tx.witnesses().size() != tx.inputs().size()) {
            throw new IllegalArgumentException(
                    tx.witnesses().size() + " witnesses for " + tx.inputs().size() + " inputs");
        }
        ByteWriter out = new ByteWriter(length(tx));
        writeUnsigned(tx, out);
        for (Witness witness : tx.witnesses()) {
            writeWitness(witness, out);
        }
        return out.finish();
    }

    /**
     * Encodes {@code tx_header ‖ tx_body}, which the transaction id and the signature cover.
     *
     * @throws IllegalArgumentException when a part is longer than the encoding allows
     */
    public static byte[] encodeUnsigned(Transaction tx) {
        ByteWriter out = new ByteWriter(unsignedLength(tx));
        writeUnsigned(tx, out);
        return out.finish();
    }

    /** Encodes an output, as in a transaction and in a leaf of the state tree. */
    public static byte[] encodeOutput(TxOutput output) {
        ByteWriter out = new ByteWriter(output.encodedLength());
        writeOutput(output, out);
        return out.finish();
    }

    /**
     * Decodes one complete transaction.
     *
     * @throws DecodeException unless {@code bytes} are exactly one canonical transaction
     */
    public static Transaction decode(byte[] bytes) {
        ByteReader in = new ByteReader(bytes);
        Transaction tx = read(in);
        in.end("transaction");
        return tx;
    }

    /**
     * Decodes one serialised output.
     *
     * @throws DecodeException unless {@code bytes} are exactly one canonical output
     */
    public static TxOutput decodeOutput(byte[] bytes) {
        ByteReader in = new ByteReader(bytes);
        TxOutput output = readOutput(in);
        in.end("output");
        return output;
    }

    /** Returns {@code H("…-TX", tx_header ‖ tx_body)}, which does not depend on the witnesses. */
    public static Hash256 txId(ChainProfile profile, Transaction tx) {
        return profile.hash(DomainTag.TX, encodeUnsigned(tx));
    }

    /** Returns {@code H("…-WTXID", complete serialisation)}: a leaf of the block's transaction tree. */
    public static Hash256 witnessTxId(ChainProfile profile, Transaction tx) {
        return profile.hash(DomainTag.WTXID, encode(tx));
    }

    /**
     * Returns the message that every plain input and every HTLC spend of {@code tx} signs: raw tag ‖ genesis id ‖ tx_header ‖ tx_body, to be passed
     * to pure Ed25519 without hashing (section 5).
     *
     * @throws IllegalArgumentException when {@code genesisId} is zero: such a signature would be bound to no chain
     */
    public static byte[] signingMessage(ChainProfile profile, Hash256 genesisId, Transaction tx) {
        if (genesisId.isZero()) {
            throw new IllegalArgumentException("nothing is signed with a zero genesis id");
        }
        ByteWriter out = new ByteWriter(signingMessageLength(tx));
        out.raw(profile.tag(DomainTag.SIG)).raw(genesisId.unsafe());
        writeUnsigned(tx, out);
        return out.finish();
    }

    /** Returns the length of {@link #encodeUnsigned}, without building it. */
    public static long unsignedLength(Transaction tx) {
        long length = HEADER_BYTES + (long) INPUT_BYTES * tx.inputs().size();
        for (TxOutput output : tx.outputs()) {
            length += output.encodedLength();
        }
        return length;
    }

    /** Returns the length of the serialised transaction with its current witnesses, without building it. */
    public static long length(Transaction tx) {
        long length = unsignedLength(tx);
        for (Witness witness : tx.witnesses()) {
            length += witness.encodedLength();
        }
        return length;
    }

    /** Returns the length of {@link #signingMessage}, the {@code M} of the fee rules; equal for every brand word. */
    public static long signingMessageLength(Transaction tx) {
        return SIGNING_PREFIX_BYTES + unsignedLength(tx);
    }

    static List<Transaction> readSequence(ByteReader in, long count) {
        if (count < 0 || count > in.remaining() / HEADER_BYTES) {
            throw DecodeException.unexpectedEof(in.position(), in.total(), "list of " + count + " transactions");
        }
        List<Transaction> transactions = new ArrayList<>((int) count);
        for (long i = 0; i < count; i++) {
            transactions.add(read(in));
        }
        return transactions;
    }

    static Transaction read(ByteReader in) {
        int inputCount = in.u16("input count");
        int outputCount = in.u16("output count");
        List<Outpoint> inputs = new ArrayList<>(Math.min(inputCount, in.remaining() / INPUT_BYTES));
        for (int i = 0; i < inputCount; i++) {
            inputs.add(new Outpoint(in.hash("input"), in.u32("input")));
        }
        List<TxOutput> outputs = new ArrayList<>(Math.min(outputCount, in.remaining() / SMALLEST_OUTPUT_BYTES));
        for (int i = 0; i < outputCount; i++) {
            outputs.add(readOutput(in));
        }
        List<Witness> witnesses = new ArrayList<>(Math.min(inputCount, in.remaining() / SMALLEST_WITNESS_BYTES));
        for (int i = 0; i < inputCount; i++) {
            witnesses.add(readWitness(in));
        }
        return new Transaction(inputs, outputs, witnesses);
    }

    private static TxOutput readOutput(ByteReader in) {
        Amount value = Amount.ofUnsigned(in.u64("output value"));
        Bytes script = in.varBytes(ChainProfile.MAX_VAR_BYTES, "script");
        Bytes datum = in.flag("has_datum") ? in.varBytes(ChainProfile.MAX_DATUM_BYTES, "datum") : null;
        Hash256 datumHash = in.flag("has_datum_hash") ? in.hash("datum hash") : null;
        return new TxOutput(value, script, datum, datumHash);
    }

    private static Witness readWitness(ByteReader in) {
        Bytes data = in.varBytes(ChainProfile.MAX_VAR_BYTES, "witness data");
        Bytes redeemer = in.flag("has_redeemer") ? in.varBytes(ChainProfile.MAX_REDEEMER_BYTES, "redeemer") : null;
        return new Witness(data, redeemer);
    }

    private static void writeUnsigned(Transaction tx, ByteWriter out) {
        out.u16(count(tx.inputs(), "inputs")).u16(count(tx.outputs(), "outputs"));
        for (Outpoint input : tx.inputs()) {
            out.raw(input.txId().unsafe()).u32(input.index());
        }
        for (TxOutput output : tx.outputs()) {
            writeOutput(output, out);
        }
    }

    private static void writeOutput(TxOutput output, ByteWriter out) {
        out.u64(output.value().bits()).varBytes(output.script(), ChainProfile.MAX_VAR_BYTES, "script");
        writeOptional(output.datum(), ChainProfile.MAX_DATUM_BYTES, "datum", out);
        out.u8(output.datumHash() == null ? 0 : 1);
        if (output.datumHash() != null) {
            out.raw(output.datumHash().unsafe());
        }
    }

    private static void writeWitness(Witness witness, ByteWriter out) {
        out.varBytes(witness.data(), ChainProfile.MAX_VAR_BYTES, "witness data");
        writeOptional(witness.redeemer(), ChainProfile.MAX_REDEEMER_BYTES, "redeemer", out);
    }

    private static void writeOptional(Bytes value, int limit, String what, ByteWriter out) {
        out.u8(value == null ? 0 : 1);
        if (value != null) {
            out.varBytes(value, limit, what);
        }
    }

    private static int count(List<?> list, String what) {
        if (list.size() > MAX_COUNT) {
            throw new IllegalArgumentException(list.size() + " " + what + " (max " + MAX_COUNT + ")");
        }
        return list.size();
    }
}
