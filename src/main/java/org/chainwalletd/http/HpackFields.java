package org.chainwalletd.http;

/**
 * Counts the fields of HTTP/2 header blocks without decoding them (RFC 7541, section 6). A field of one byte can stand for one of thousands,
 * kept in the decoder's table, so the length of a block says nothing about what it becomes.
 */
final class HpackFields {
    private enum State {
        FIELD,
        INDEX,
        STRING,
        STRING_LENGTH,
        STRING_BYTES
    }

    private State state = State.FIELD;
    /** Strings of the field that are still to come after its index, or after the present string. */
    private int strings;
    /** Whether an index of zero means that the name follows as a string. */
    private boolean named;

    private long number;
    private int shift;
    private long skip;
    private int fields;

    /** A new block begins. */
    void begin() {
        state = State.FIELD;
        fields = 0;
    }

    /** So far, in this block. */
    int fields() {
        return fields;
    }

    void read(byte octet) {
        int bits = octet & 0xff;
        switch (state) {
            case FIELD -> field(bits);
            case INDEX -> {
                if (goesOn(bits)) {
                    return;
                }
                afterIndex();
            }
            case STRING -> string(bits);
            case STRING_LENGTH -> {
                if (!goesOn(bits)) {
                    skipString();
                }
            }
            case STRING_BYTES -> {
                if (--skip == 0) {
                    afterString();
                }
            }
        }
    }

    private void field(int bits) {
        int prefix;
        if ((bits & 0x80) != 0) {
            prefix = 0x7f;
            strings = 0;
            named = false;
            fields++;
        } else if ((bits & 0xe0) == 0x20) {
            prefix = 0x1f;
            strings = 0;
            named = false;
        } else {
            prefix = (bits & 0x40) != 0 ? 0x3f : 0x0f;
            strings = 1;
            named = true;
            fields++;
        }
        number = bits & prefix;
        if (number == prefix) {
            shift = 0;
            state = State.INDEX;
        } else {
            afterIndex();
        }
    }

    private void afterIndex() {
        if (named && number == 0) {
            strings = 2;
        }
        state = strings == 0 ? State.FIELD : State.STRING;
    }

    private void string(int bits) {
        number = bits & 0x7f;
        if (number == 0x7f) {
            shift = 0;
            state = State.STRING_LENGTH;
        } else {
            skipString();
        }
    }

    private void skipString() {
        skip = number;
        if (skip == 0) {
            afterString();
        } else {
            state = State.STRING_BYTES;
        }
    }

    private void afterString() {
        strings--;
        state = strings == 0 ? State.FIELD : State.STRING;
    }

    /** An integer's next byte (RFC 7541, section 5.1). A number that no block can hold stays one. */
    private boolean goesOn(int bits) {
        if (shift <= 28) {
            number += (long) (bits & 0x7f) << shift;
        }
        shift += 7;
        return (bits & 0x80) != 0;
    }
}
