package org.chainwalletd.wire;

/** Signals that JSON does not have the shape of its record; the message names the member and what is expected. */
public final class WireException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String before;
    private final String member;
    private final String after;

    WireException(String before, String member, String after) {
        super(before + "parameter `" + member + "`" + after);
        this.before = before;
        this.member = member;
        this.after = after;
    }

    /** Creates an exception about no particular member. */
    WireException(String message) {
        super(message);
        this.before = message;
        this.member = "";
        this.after = "";
    }

    static WireException wrong(String path, String expected) {
        return new WireException("", path, " must be " + expected);
    }

    static WireException missing(String path) {
        return new WireException("missing ", path, "");
    }

    /** Returns the message with the word "member" instead of "parameter", for a member of an answer. */
    public String inAnswer() {
        return member.isEmpty() ? before : before + "member `" + member + "`" + after;
    }
}
