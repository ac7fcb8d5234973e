package org.chainwalletd.http;

import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Optional;
import org.apache.pekko.util.ByteString;

/**
 * The header block that a client of HTTP/2 is sending, in one frame or in several of which no other may come between (RFC 9113, section 4.3).
 * Bounded, and counted as held until it is whole.
 */
final class Http2HeaderBlock {
    /** An unfinished block is kept here and in Pekko. */
    private static final int COPIES = 2;

    private final int most;
    private final Held held;
    private final HpackDecoder decoder;
    private final ByteArrayOutputStream begun = new ByteArrayOutputStream();
    private int stream;

    /** @param most bytes of a block */
    Http2HeaderBlock(int most, Held held) {
        this.most = most;
        this.held = held;
        this.decoder = new HpackDecoder(most);
    }

    /** The stream of a block that has not ended; 0 for none. */
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
        if (!held.take((long) COPIES * piece.length())) {
            throw Http2Violation.memory();
        }
        begun.writeBytes(piece.toArray());
        stream = id;
        return last ? Optional.of(decoder.decode(end())) : Optional.empty();
    }

    private byte[] end() {
        byte[] whole = begun.toByteArray();
        held.giveBack((long) COPIES * whole.length);
        begun.reset();
        stream = 0;
        return whole;
    }
}
