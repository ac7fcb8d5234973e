package org.chainwalletd.store;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/**
 * The id of a transaction and the outpoints that it spends, in one byte array. Compact because the confirmed spends of about an hour are in memory
 * at once, and objects for each hash and outpoint would take several times as much. Immutable, and shared by all observers of a spend.
 */
public final class PackedSpend {
    private static final int INDEX_AT = Hash256.LENGTH;
    private static final int OUTPOINT_BYTES = Hash256.LENGTH + Integer.BYTES;

    /** The transaction id (32 bytes), then transaction id (32 bytes) and index (u32, big-endian) of each input's outpoint. */
    private final byte[] bytes;

    private PackedSpend(byte[] bytes) {
        this.bytes = bytes;
    }

    public static PackedSpend of(Hash256 txId, List<Coin> inputs) {
        return packed(txId.toArray(), Coin.encode(inputs));
    }

    /**
     * Creates a packed spend from the columns of a row.
     *
     * @param inputs as encoded by {@link Coin#encode}; the values are dropped
     */
    public static PackedSpend packed(byte[] txId, byte[] inputs) {
        int count = inputs.length / Coin.BYTES;
        byte[] bytes = Arrays.copyOf(txId, Hash256.LENGTH + count * OUTPOINT_BYTES);
        for (int i = 0; i < count; i++) {
            System.arraycopy(inputs, i * Coin.BYTES, bytes, at(i), OUTPOINT_BYTES);
        }
        return new PackedSpend(bytes);
    }

    private static int at(int input) {
        return Hash256.LENGTH + input * OUTPOINT_BYTES;
    }

    public Hash256 txId() {
        return Hash256.of(Arrays.copyOf(bytes, Hash256.LENGTH));
    }

    /** Returns the spent outpoints, in the order of the transaction's inputs. */
    public List<Outpoint> outpoints() {
        ByteBuffer all = ByteBuffer.wrap(bytes);
        return IntStream.range(0, size())
                .mapToObj(input -> new Outpoint(
                        Hash256.of(Arrays.copyOfRange(bytes, at(input), at(input) + INDEX_AT)),
                        Integer.toUnsignedLong(all.getInt(at(input) + INDEX_AT))))
                .toList();
    }

    /** Returns the number of inputs. */
    public int size() {
        return (bytes.length - Hash256.LENGTH) / OUTPOINT_BYTES;
    }

    public boolean hasId(Hash256 txId) {
        return Arrays.equals(bytes, 0, Hash256.LENGTH, txId.toArray(), 0, Hash256.LENGTH);
    }

    public boolean spends(Outpoint outpoint) {
        byte[] txId = outpoint.txId().toArray();
        for (int at = Hash256.LENGTH; at < bytes.length; at += OUTPOINT_BYTES) {
            if (Integer.toUnsignedLong(ByteBuffer.wrap(bytes).getInt(at + INDEX_AT)) == outpoint.index()
                    && Arrays.equals(bytes, at, at + Hash256.LENGTH, txId, 0, Hash256.LENGTH)) {
                return true;
            }
        }
        return false;
    }

    /** Returns a hash for hash tables: the first eight bytes of a transaction id, nearly evenly distributed. */
    public static long fingerprint(Hash256 txId) {
        return ByteBuffer.wrap(txId.toArray()).getLong();
    }

    /** Returns {@link #fingerprint(Hash256)} of this transaction's id. */
    public long fingerprint() {
        return ByteBuffer.wrap(bytes).getLong();
    }

    /** Returns a hash for hash tables; equal for equal outpoints. */
    public static long fingerprint(Outpoint outpoint) {
        return fingerprint(outpoint.txId()) + outpoint.index();
    }

    /** Returns {@link #fingerprint(Outpoint)} of the input with this index. */
    public long inputFingerprint(int number) {
        ByteBuffer all = ByteBuffer.wrap(bytes);
        return all.getLong(at(number)) + Integer.toUnsignedLong(all.getInt(at(number) + INDEX_AT));
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
        return txId() + " spends " + outpoints();
    }
}
