package org.chainwalletd.store;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/** An output that a spend consumes, with the value that the node reported for it. */
public record Coin(Outpoint outpoint, Amount value) {
    /** Length of an encoded coin. */
    public static final int BYTES = 32 + 4 + 8;

    /** Encodes coins: 32 bytes transaction id, u32 index, u64 value for each, big-endian. */
    public static byte[] encode(List<Coin> coins) {
        ByteBuffer out = ByteBuffer.allocate(BYTES * coins.size());
        for (Coin coin : coins) {
            out.put(coin.outpoint().txId().toArray());
            out.putInt((int) coin.outpoint().index());
            out.putLong(coin.value().bits());
        }
        return out.array();
    }

    /** Decodes the output of {@link #encode}. */
    public static List<Coin> decode(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        List<Coin> coins = new ArrayList<>(bytes.length / BYTES);
        while (in.hasRemaining()) {
            byte[] txId = new byte[32];
            in.get(txId);
            Outpoint outpoint = new Outpoint(Hash256.of(txId), Integer.toUnsignedLong(in.getInt()));
            coins.add(new Coin(outpoint, Amount.ofUnsigned(in.getLong())));
        }
        return coins;
    }
}
