package org.chainwalletd.swap.gates;

/** Whether our lock may be sent, by the checks made at the quote and again before each send (swap.md, section 6). */
public sealed interface LockPermission {
    LockPermission NOT_ASKED = new Unjudged("it was not asked, since there is a lock");

    record Granted() implements LockPermission {}

    /** @param why human-readable; a lock that is in no block yet is abandoned for this reason */
    record Refused(String why) implements LockPermission {}

    /** @param why it could not be evaluated; nothing is sent and nothing is abandoned */
    record Unjudged(String why) implements LockPermission {}
}
