package org.chainwalletd.htlc;

import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.books.HtlcRows.Position;

/** A place in a listing as text that callers hand back unread: a version byte, the lock's height, its transaction id and output, in hex. */
final class ListCursor {
    private static final byte VERSION = 1;
    private static final int LENGTH = 1 + Long.BYTES + Hash256.LENGTH + Integer.BYTES;

    private ListCursor() {}

    static String of(Position position) {
        ByteBuffer bytes = ByteBuffer.allocate(LENGTH)
                .put(VERSION)
                .putLong(position.lockHeight())
                .put(position.outpoint().txId().toArray())
                .putInt((int) position.outpoint().index());
        return HexFormat.of().formatHex(bytes.array());
    }

    /** @throws RefusedException -32602 when it is none of ours */
    static Position parse(String cursor) {
        if (cursor.length() != 2 * LENGTH) {
            throw invalid();
        }
        ByteBuffer bytes;
        try {
            bytes = ByteBuffer.wrap(HexFormat.of().parseHex(cursor));
        } catch (IllegalArgumentException e) {
            throw invalid();
        }
        byte version = bytes.get();
        long height = bytes.getLong();
        if (version != VERSION || height < 0) {
            throw invalid();
        }
        byte[] txId = new byte[Hash256.LENGTH];
        bytes.get(txId);
        return new Position(height, new Outpoint(Hash256.of(txId), Integer.toUnsignedLong(bytes.getInt())));
    }

    private static RefusedException invalid() {
        return RefusedException.invalidParams("`cursor` is not one that htlc_list gave: begin without it");
    }
}
