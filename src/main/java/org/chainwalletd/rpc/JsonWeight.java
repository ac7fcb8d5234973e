package org.chainwalletd.rpc;

import java.io.IOException;

/**
 * Counts the heap bytes of the JSON nodes of a request while they are made, as a 64-bit JVM with compressed references lays them out, rounded up. A
 * small request takes nothing of the room, a larger one a few KiB at a time. One per text; not safe for threads.
 */
final class JsonWeight {
    /** Signals that there is no room for the rest. The room that was taken stays taken until the whole request gives it back. */
    static final class NoRoom extends IOException {
        private static final long serialVersionUID = 1L;

        NoRoom() {
            super("no room for what the text describes");
        }

        @Override
        public Throwable fillInStackTrace() {
            return this;
        }
    }

    /** Bytes that are not counted: a request that small costs less than its connection. */
    private static final long FREE = 4096;

    private static final long LUMP = 16 << 10;

    private static final int OBJECT = 160;
    /** Bytes of a member: a map's entry, its part of the table, and the name's two objects. */
    private static final int MEMBER = 112;

    private static final int ARRAY = 104;
    /** Bytes of an element in a list. A list has up to half as many places more than it needs, and a copy of them while it grows. */
    private static final int ELEMENT = 16;

    private static final int TEXT = 64;
    /** Bytes of a large number; smaller ones are of the same order. */
    private static final int NUMBER = 128;

    private static final int LONG = 24;
    /** Characters from which on an integer counts as large; a shorter one, its sign included, fits into a long. */
    private static final int LONG_DIGITS = 19;

    private final AnswerRoom room;
    private long weight;
    private long taken = FREE;

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
        // All empty strings are one object.
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
            long more = Math.max(LUMP, weight - taken);
            if (!room.take(more)) {
                throw new NoRoom();
            }
            taken += more;
        }
    }
}
