package org.chainwalletd.devnet.indexer;

import java.nio.ByteBuffer;
import java.util.Base64;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.devnet.call.CallException;

/**
 * Cursors as a real indexer writes them: height and transaction id, for HTLCs the output index too, in base64url without padding. A page
 * that ends between two rows of one transaction adds what tells them apart, as for HTLCs.
 */
final class Cursors {
    private static final String ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    private static final int PLAIN = Long.BYTES + Hash256.LENGTH;
    private static final int LONG = PLAIN + Integer.BYTES;

    private Cursors() {}

    /** Of a row after which the next one has another transaction. */
    static String after(Place place) {
        return encode(base(place, PLAIN));
    }

    /** Of a row within a transaction. */
    static String within(Place place) {
        return encode(base(place, LONG).putInt((int) place.number()));
    }

    /** The last place that was shown. */
    static Place read(String cursor) {
        ByteBuffer bytes = decode(cursor);
        if (bytes.remaining() == LONG) {
            return place(bytes);
        }
        if (bytes.remaining() != PLAIN) {
            throw bad("expected " + PLAIN + " bytes, got " + bytes.remaining());
        }
        return new Place(bytes.getLong(), txId(bytes), Long.MAX_VALUE);
    }

    /** The last HTLC that was shown. */
    static Place readHtlc(String cursor) {
        ByteBuffer bytes = decode(cursor);
        if (bytes.remaining() != LONG) {
            throw bad("expected " + LONG + " bytes, got " + bytes.remaining());
        }
        return place(bytes);
    }

    private static Place place(ByteBuffer bytes) {
        return new Place(bytes.getLong(), txId(bytes), bytes.getInt() & 0xffff_ffffL);
    }

    private static ByteBuffer base(Place place, int length) {
        return ByteBuffer.allocate(length)
                .putLong(place.height())
                .put(place.txId().toArray());
    }

    private static String encode(ByteBuffer bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.array());
    }

    private static Hash256 txId(ByteBuffer bytes) {
        byte[] id = new byte[Hash256.LENGTH];
        bytes.get(id);
        return Hash256.of(id);
    }

    private static ByteBuffer decode(String cursor) {
        for (int i = 0; i < cursor.length(); i++) {
            if (ALPHABET.indexOf(cursor.charAt(i)) < 0) {
                throw bad("Invalid symbol " + (int) cursor.charAt(i) + ", offset " + i + ".");
            }
        }
        int rest = cursor.length() % 4;
        if (rest == 1) {
            throw bad("Invalid input length: " + cursor.length());
        }
        int last = cursor.length() - 1;
        int unused = rest == 2 ? 0x0f : rest == 3 ? 0x03 : 0;
        if (last >= 0 && (ALPHABET.indexOf(cursor.charAt(last)) & unused) != 0) {
            throw bad("Invalid last symbol " + (int) cursor.charAt(last) + ", offset " + last + ".");
        }
        return ByteBuffer.wrap(Base64.getUrlDecoder().decode(cursor));
    }

    private static CallException bad(String why) {
        return CallException.invalid("invalid params: invalid cursor: " + why);
    }
}
