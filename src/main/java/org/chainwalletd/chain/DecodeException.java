package org.chainwalletd.chain;

/** Untrusted bytes do not follow the protocol. Says what is wrong and at which byte offset. */
public final class DecodeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final int position;

    public DecodeException(int position, String reason) {
        super(reason + " at byte " + position);
        this.position = position;
    }

    /** Offset of the byte that could not be understood. */
    public int position() {
        return position;
    }
}
