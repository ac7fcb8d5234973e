package org.chainwalletd.spend;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.ReceiptStore.Bound;

/**
 * Compact codec of a receipt: the data of the receipt, without the signatures and other data needed only to resend a payment. The
 * transaction id is stored beside it, and the fee is computed from the sums.
 *
 * <p>Layout, big-endian: u8 form (1), u32 size, u64 fee rate, u64 height, u16 index of the first change output plus one (0: none; the
 * change outputs come last), u16 number of inputs, for each 32 bytes transaction id, u32 index, u64 value; u16 number of outputs, for each
 * u32 length and the output as encoded in the transaction.
 */
final class KeptAnswer {
    private static final byte FORM = 1;
    private static final int HEAD_BYTES = 1 + 4 + 8 + 8 + 2 + 2;

    private KeptAnswer() {}

    static Bytes of(Receipt receipt) {
        List<byte[]> outputs = new ArrayList<>();
        int change = 0;
        byte[] inputs = Coin.encode(receipt.inputs());
        int length = HEAD_BYTES + inputs.length + 2;
        for (Receipt.PaidOutput paid : receipt.outputs()) {
            byte[] output = TransactionCodec.encodeOutput(paid.output());
            outputs.add(output);
            length += 4 + output.length;
            change = paid.change() && change == 0 ? outputs.size() : change;
        }
        ByteBuffer out = ByteBuffer.allocate(length)
                .put(FORM)
                .putInt((int) receipt.size())
                .putLong(receipt.feeRate())
                .putLong(receipt.builtAtHeight())
                .putShort((short) change)
                .putShort((short) receipt.inputs().size())
                .put(inputs)
                .putShort((short) outputs.size());
        outputs.forEach(output -> out.putInt(output.length).put(output));
        return Bytes.wrap(out.array());
    }

    /**
     * Decodes a receipt.
     *
     * @throws RuntimeException when it is damaged, or was written by a newer release
     */
    static Receipt read(Bound.ToReceipt kept) {
        ByteBuffer in = ByteBuffer.wrap(kept.answer().toArray());
        byte form = in.get();
        if (form != FORM) {
            throw new IllegalStateException(
                    "the receipt of " + kept.txId() + " has form " + form + ", which this release does not know");
        }
        long size = Integer.toUnsignedLong(in.getInt());
        long feeRate = in.getLong();
        long builtAtHeight = in.getLong();
        int change = count(in);
        List<Coin> inputs = Coin.decode(bytes(in, count(in) * Coin.BYTES));
        Amount fee = inputs.stream().map(Coin::value).reduce(Amount.ZERO, Amount::plus);
        List<Receipt.PaidOutput> outputs = new ArrayList<>();
        for (int left = count(in); left > 0; left--) {
            TxOutput output = TransactionCodec.decodeOutput(bytes(in, in.getInt()));
            outputs.add(new Receipt.PaidOutput(output, change > 0 && outputs.size() + 1 >= change));
            fee = fee.minus(output.value());
        }
        return new Receipt(kept.txId(), size, fee, feeRate, inputs, outputs, builtAtHeight);
    }

    private static int count(ByteBuffer in) {
        return Short.toUnsignedInt(in.getShort());
    }

    static byte[] bytes(ByteBuffer in, int length) {
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }
}
