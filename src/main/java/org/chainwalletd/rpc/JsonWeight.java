package org.chainwalletd.rpc;

import java.io.IOException;

/**
 * Counter of the heap bytes of a request's JSON nodes as they are created, assuming the layout of a 64-bit JVM with compressed references,
 * rounded up. A small request takes nothing from the budget, a larger one at least 16 KiB at a time. One instance per text; not thread-safe.
 */
final class JsonWeight {
    /** Signals that the budget is exhausted. The bytes taken so far stay taken until the whole request returns them. */
    static final class NoRoom extends IOException {
        private static final long serialVersionUID = 1L;

        NoRoom() {
            super("no memory budget for the parsed request");
        }

        @Override
        public Throwable fillInStackTrace() {
            return this;
        }
    }

    /** Bytes that are not counted: a request this small costs less than its connection. */
    private static final long UNCOUNTED = 4096;

    private static final long CHUNK = 16 << 10;

    private static final int OBJECT = 160;
    /** Bytes of a member: the map entry, its share of the table, and the two objects of the name. */
    private static final int MEMBER = 112;

    private static final int ARRAY = 104;
    /** Bytes of an element in a list. The list may have 50 % spare capacity, plus a copy while it grows. */
    private static final int ELEMENT = 16;

    private static final int TEXT = 64;
    /** Bytes of a big integer or decimal, besides its digits. */
    private static final int NUMBER = 128;

    private static final int LONG = 24;
    /** Length in characters from which an integer counts as a big integer; a shorter one, including its sign, fits into a long. */
    private static final int LONG_DIGITS = 19;

    private final AnswerRoom room;
    private long weight;
    private long taken = UNCOUNTED;

    JsonWeight(AnswerRoom room) {
        this.room = room;
    }

    void object() throws NoRoom {
        add(OBJECT);
    }

    void member(int nameLength) throws NoRoom {
        add(MEMBER + 2L * nameLength);
    }

    void array() throws NoRoom {
        add(ARRAY);
    }

    void element() throws NoRoom {
        add(ELEMENT);
    }

    /** @param length characters */
    void text(int length) throws NoRoom {
        // All empty strings share one object.
        add(length == 0 ? 0 : TEXT + 2L * length);
    }

    /** @param length characters */
    void integer(int length) throws NoRoom {
        add(length < LONG_DIGITS ? LONG : NUMBER + length);
    }

    /** @param length characters */
    void decimal(int length) throws NoRoom {
        add(NUMBER + length);
    }

    private void add(long bytes) throws NoRoom {
        weight += bytes;
        if (weight > taken) {
            long more = Math.max(CHUNK, weight - taken);
            if (!room.take(more)) {
                throw new NoRoom();
            }
            taken += more;
        }
    }
}
