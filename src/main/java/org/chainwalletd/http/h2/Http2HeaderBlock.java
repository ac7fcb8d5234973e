package org.chainwalletd.http.h2;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.http.door.MemoryReservation;

/**
 * Header block that an HTTP/2 client is sending, in one frame or in several consecutive ones (RFC 9113, section 4.3).
 * Bounded, and counted as held until complete. It is encoded again for Pekko ({@link #anew}), so each client has one dynamic table and no
 * two decoders can disagree about it.
 */
final class Http2HeaderBlock {
    private final int most;
    private final MemoryReservation held;
    private final HpackDecoder decoder;
    private ByteArrayOutputStream begun = new ByteArrayOutputStream();
    private int stream;

    /** @param most bytes of a block */
    Http2HeaderBlock(int most, MemoryReservation held) {
        this.most = most;
        this.held = held;
        this.decoder = new HpackDecoder(most);
    }

    /** Stream of the incomplete block; 0 for none. */
    int stream() {
        return stream;
    }

    /**
     * Takes one piece of the block of {@code id}.
     *
     * @return the fields of the block, when this was the last piece
     */
    Optional<List<HpackTable.Field>> add(int id, ByteString piece, boolean last) {
        if (begun.size() + piece.length() > most) {
            throw Http2Violation.excess("a header block is too long");
        }
        if (last && begun.size() == 0) {
            stream = 0;
            return Optional.of(decoder.decode(piece.toArray()));
        }
        if (!held.take(piece.length())) {
            throw Http2Violation.memory();
        }
        begun.writeBytes(piece.toArray());
        stream = id;
        return last ? Optional.of(decoder.decode(end())) : Optional.empty();
    }

    /**
     * Returns frames with these fields, each encoded literally and not added to a table (RFC 7541, section 6.2.2): without padding and priority,
     * and none longer than the maximum frame size of the daemon.
     */
    static ByteString anew(int stream, List<HpackTable.Field> fields, boolean endsStream) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        for (HpackTable.Field field : fields) {
            block.write(0);
            string(block, field.name());
            string(block, field.value());
        }
        ByteString rest = ByteString.fromArrayUnsafe(block.toByteArray());
        ByteString frames = ByteString.emptyByteString();
        int type = Http2Frame.HEADERS;
        int flags = endsStream ? Http2Frame.END_STREAM : 0;
        do {
            ByteString piece = rest.take(Http2Frames.LONGEST);
            rest = rest.drop(Http2Frames.LONGEST);
            frames = frames.concat(
                    Http2Frame.of(type, rest.isEmpty() ? flags | Http2Frame.END_HEADERS : flags, stream, piece)
                            .whole());
            type = Http2Frame.CONTINUATION;
            flags = 0;
        } while (rest.nonEmpty());
        return frames;
    }

    /** Writes a string's length and its octets (RFC 7541, sections 5.1 and 5.2). */
    private static void string(ByteArrayOutputStream to, String text) {
        int most = 0x7f;
        to.write(Math.min(text.length(), most));
        if (text.length() >= most) {
            int left = text.length() - most;
            for (; left > most; left >>= 7) {
                to.write(left & most | 0x80);
            }
            to.write(left);
        }
        to.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private byte[] end() {
        byte[] whole = begun.toByteArray();
        held.giveBack(whole.length);
        // Replaced rather than reset: a reset would keep the buffer, which is no longer counted, and the token in it,
        // as long as the connection is open.
        begun = new ByteArrayOutputStream();
        stream = 0;
        return whole;
    }
}
