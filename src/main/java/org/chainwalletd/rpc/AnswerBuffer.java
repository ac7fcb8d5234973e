package org.chainwalletd.rpc;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Output buffer of an answer, in pieces, so that a long answer is never copied from a small array into a larger one. Each piece is taken from
 * the budget before it is allocated. Intermediate copies are overwritten, because answers may hold secrets.
 */
final class AnswerBuffer extends OutputStream {
    /** Signals that the budget does not cover the rest of the answer; the bytes already taken have been given back. */
    static final class NoRoom extends IOException {
        private static final long serialVersionUID = 1L;

        NoRoom() {
            super("no room for the answer");
        }

        @Override
        public Throwable fillInStackTrace() {
            return this;
        }
    }

    private static final int INITIAL_PIECE = 512;
    private static final int MAX_PIECE = 64 << 10;

    /** Length in bytes below which an answer is returned in one piece. */
    private static final int SHORT_ANSWER = 4096;

    private final AnswerRoom room;
    private final boolean mandatory;
    private final List<byte[]> full = new ArrayList<>(1);
    private byte[] last = new byte[INITIAL_PIECE];
    private int used;
    private long fullLength;
    private long taken;
    private boolean refused;

    /** @param mandatory whether the answer is written even when it exceeds the budget */
    AnswerBuffer(AnswerRoom room, boolean mandatory) {
        this.room = room;
        this.mandatory = mandatory;
    }

    @Override
    public void write(int octet) throws IOException {
        if (used == last.length) {
            nextPiece(1);
        }
        if (!refused) {
            last[used++] = (byte) octet;
        }
    }

    @Override
    public void write(byte[] source, int offset, int count) throws IOException {
        int written = 0;
        while (written < count && !refused) {
            if (used == last.length) {
                nextPiece(count - written);
            }
            int part = Math.min(count - written, last.length - used);
            System.arraycopy(source, offset + written, last, used, part);
            used += part;
            written += part;
        }
    }

    @Override
    public void write(byte[] source) throws IOException {
        write(source, 0, source.length);
    }

    void ascii(String text) throws IOException {
        write(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    void utf8(String text) throws IOException {
        write(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Appends a complete answer whose bytes are already counted. Long pieces are taken over, not copied. */
    void append(List<byte[]> answer) throws IOException {
        for (byte[] piece : answer) {
            if (piece.length <= SHORT_ANSWER) {
                write(piece);
            } else {
                closePiece();
                full.add(piece);
                fullLength += piece.length;
                last = new byte[INITIAL_PIECE];
                used = 0;
            }
        }
    }

    /** Returns the bytes written. */
    List<byte[]> finish() throws IOException {
        long length = fullLength + used;
        take(length - taken);
        if (length > SHORT_ANSWER) {
            closePiece();
            return List.copyOf(full);
        }
        byte[] whole = new byte[(int) length];
        int at = 0;
        for (byte[] piece : full) {
            System.arraycopy(piece, 0, whole, at, piece.length);
            Arrays.fill(piece, (byte) 0);
            at += piece.length;
        }
        System.arraycopy(last, 0, whole, at, used);
        Arrays.fill(last, 0, used, (byte) 0);
        return List.of(whole);
    }

    private void nextPiece(int more) throws IOException {
        if (refused) {
            return;
        }
        int size = Math.min(MAX_PIECE, Math.max(2 * last.length, more));
        take(size);
        closePiece();
        last = new byte[size];
        used = 0;
    }

    private void closePiece() {
        if (used == last.length) {
            full.add(last);
        } else if (used > 0) {
            full.add(Arrays.copyOf(last, used));
            Arrays.fill(last, 0, used, (byte) 0);
        }
        fullLength += used;
        used = 0;
    }

    /** Takes {@code more} bytes from the budget, or gives them back when negative. */
    private void take(long more) throws IOException {
        if (more < 0) {
            room.giveBack(-more);
        } else if (mandatory) {
            room.takeAnyway(more);
        } else if (!room.take(more)) {
            refuse();
        }
        taken += more;
    }

    /** Drops the answer and throws once; bytes that the JSON writer still writes while it cleans up are ignored. */
    private void refuse() throws NoRoom {
        refused = true;
        room.giveBack(taken);
        full.forEach(piece -> Arrays.fill(piece, (byte) 0));
        full.clear();
        Arrays.fill(last, (byte) 0);
        throw new NoRoom();
    }
}
