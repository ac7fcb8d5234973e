package org.chainwalletd.spend;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;

/**
 * Content of an externally signed transaction, as far as it is kept for lists: no signature and no secret, and only the value of an output
 * that is locked by a script.
 *
 * @param inputs the first {@link #MAX_INPUTS}
 * @param outputCount number of all outputs
 * @param outputs empty when there are more than {@link #MAX_OUTPUTS}
 * @param paid sum of the outputs that do not return to the sender; empty when it is above 2^64-1
 */
record RawContent(List<Outpoint> inputs, int outputCount, Optional<List<TxOutput>> outputs, Optional<Amount> paid) {
    static final int MAX_INPUTS = 100;
    static final int MAX_OUTPUTS = 250;

    /** Form byte of the encoding; {@link KeptAnswer} uses a different one. */
    private static final byte FORM = 2;

    private static final int OUTPOINT_BYTES = Hash256.LENGTH + Integer.BYTES;

    /** Returns the address of the signer of the first plain input. */
    static Optional<Address> sender(ChainProfile profile, Transaction tx) {
        return tx.witnesses().stream()
                .flatMap(witness -> HtlcWitness.plainKey(witness).stream())
                .findFirst()
                .map(profile::addressOf);
    }

    static RawContent of(Transaction tx, Optional<Address> sender) {
        List<Outpoint> inputs =
                tx.inputs().subList(0, Math.min(MAX_INPUTS, tx.inputs().size()));
        List<TxOutput> outputs = tx.outputs().stream().map(RawContent::told).toList();
        return new RawContent(
                inputs,
                outputs.size(),
                outputs.size() > MAX_OUTPUTS ? Optional.empty() : Optional.of(outputs),
                paid(outputs, sender));
    }

    private static TxOutput told(TxOutput output) {
        return TxOutput.toScript(output.isPlain() ? output.script() : Bytes.EMPTY, output.value());
    }

    private static Optional<Amount> paid(List<TxOutput> outputs, Optional<Address> sender) {
        try {
            return Optional.of(outputs.stream()
                    .filter(output -> !isChange(output, sender))
                    .map(TxOutput::value)
                    .reduce(Amount.ZERO, Amount::plus));
        } catch (ArithmeticException e) {
            return Optional.empty();
        }
    }

    static boolean isChange(TxOutput output, Optional<Address> sender) {
        return sender.isPresent() && output.address().equals(sender);
    }

    /**
     * Encodes the content, big-endian: u8 form, u8 whether the sum is known, u64 sum, u16 number of kept inputs, for each 32 bytes
     * transaction id and u32 index; u16 number of all outputs; unless these are too many, for each u8 length and the output as encoded in a
     * transaction.
     */
    Bytes encode() {
        List<byte[]> encoded = outputs.orElse(List.of()).stream()
                .map(TransactionCodec::encodeOutput)
                .toList();
        int length = 14 + inputs.size() * OUTPOINT_BYTES;
        for (byte[] output : encoded) {
            length += 1 + output.length;
        }
        ByteBuffer out = ByteBuffer.allocate(length)
                .put(FORM)
                .put((byte) (paid.isPresent() ? 1 : 0))
                .putLong(paid.orElse(Amount.ZERO).bits())
                .putShort((short) inputs.size());
        inputs.forEach(input -> out.put(input.txId().toArray()).putInt((int) input.index()));
        out.putShort((short) outputCount);
        encoded.forEach(output -> out.put((byte) output.length).put(output));
        return Bytes.wrap(out.array());
    }

    /**
     * Decodes the result of {@link #encode}.
     *
     * @throws RuntimeException when it is damaged, or was written by a newer release
     */
    static RawContent read(Bytes encoded) {
        ByteBuffer in = ByteBuffer.wrap(encoded.toArray());
        byte form = in.get();
        if (form != FORM) {
            throw new IllegalStateException(
                    "form " + form + " of a raw transaction's record is not known to this release");
        }
        boolean summed = in.get() == 1;
        Amount sum = Amount.ofUnsigned(in.getLong());
        List<Outpoint> inputs = new ArrayList<>();
        for (int left = in.getShort(); left > 0; left--) {
            inputs.add(new Outpoint(
                    Hash256.of(KeptAnswer.bytes(in, Hash256.LENGTH)), Integer.toUnsignedLong(in.getInt())));
        }
        int count = Short.toUnsignedInt(in.getShort());
        Optional<List<TxOutput>> outputs = Optional.empty();
        if (count <= MAX_OUTPUTS) {
            List<TxOutput> all = new ArrayList<>();
            for (int left = count; left > 0; left--) {
                all.add(TransactionCodec.decodeOutput(KeptAnswer.bytes(in, in.get())));
            }
            outputs = Optional.of(all);
        }
        return new RawContent(inputs, count, outputs, summed ? Optional.of(sum) : Optional.empty());
    }
}
