package org.chainwalletd.store;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/**
 * The id of a transaction and what it spends, in one array of bytes: of confirmed spends there are as many in memory as an hour brings, and
 * objects for each hash, outpoint and amount would be several times as large. Immutable, so that all who watch a spend share one.
 */
public final class PackedSpend {
    private static final int INDEX_AT = Hash256.LENGTH;

    /** The id, then the inputs as in the store's rows. */
    private final byte[] bytes;

    private PackedSpend(byte[] bytes) {
        this.bytes = bytes;
    }

    public static PackedSpend of(Hash256 txId, List<Coin> inputs) {
        return packed(txId.toArray(), SpendRow.encode(inputs));
    }

    static PackedSpend packed(byte[] txId, byte[] inputs) {
        byte[] bytes = Arrays.copyOf(txId, Hash256.LENGTH + inputs.length);
        System.arraycopy(inputs, 0, bytes, Hash256.LENGTH, inputs.length);
        return new PackedSpend(bytes);
    }

    public Hash256 txId() {
        return Hash256.of(Arrays.copyOf(bytes, Hash256.LENGTH));
    }

    public List<Coin> inputs() {
        return SpendRow.decode(Arrays.copyOfRange(bytes, Hash256.LENGTH, bytes.length));
    }

    /** How many inputs it has. */
    public int size() {
        return (bytes.length - Hash256.LENGTH) / SpendRow.COIN_BYTES;
    }

    public boolean hasId(Hash256 txId) {
        return Arrays.equals(bytes, 0, Hash256.LENGTH, txId.toArray(), 0, Hash256.LENGTH);
    }

    public boolean spends(Outpoint outpoint) {
        byte[] txId = outpoint.txId().toArray();
        for (int at = Hash256.LENGTH; at < bytes.length; at += SpendRow.COIN_BYTES) {
            if (Integer.toUnsignedLong(ByteBuffer.wrap(bytes).getInt(at + INDEX_AT)) == outpoint.index()
                    && Arrays.equals(bytes, at, at + Hash256.LENGTH, txId, 0, Hash256.LENGTH)) {
                return true;
            }
        }
        return false;
    }

    /** Equal for equal ids; nearly evenly distributed. */
    public static long fingerprint(Hash256 txId) {
        return ByteBuffer.wrap(txId.toArray()).getLong();
    }

    /** {@link #fingerprint(Hash256)} of its id. */
    public long fingerprint() {
        return ByteBuffer.wrap(bytes).getLong();
    }

    /** Equal for equal outpoints. */
    public static long fingerprint(Outpoint outpoint) {
        return fingerprint(outpoint.txId()) + outpoint.index();
    }

    /** {@link #fingerprint(Outpoint)} of one of its inputs. */
    public long inputFingerprint(int number) {
        int at = Hash256.LENGTH + number * SpendRow.COIN_BYTES;
        ByteBuffer all = ByteBuffer.wrap(bytes);
        return all.getLong(at) + Integer.toUnsignedLong(all.getInt(at + INDEX_AT));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PackedSpend that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return txId() + " spends " + inputs();
    }
}
