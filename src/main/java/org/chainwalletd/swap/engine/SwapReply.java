package org.chainwalletd.swap.engine;

import org.chainwalletd.swap.gates.SwapRow;

/** Answer to a question to a swap. */
public sealed interface SwapReply {
    /** As it stands now. */
    record Standing(SwapRow row) implements SwapReply {}

    record Unknown(String id) implements SwapReply {}

    /** Not executed, and nothing was sent. */
    record NotExecuted(String why) implements SwapReply {}

    /** No lock of ours to take back: there never was one, or it is over. */
    record NothingLocked(SwapRow row) implements SwapReply {}

    record NotDue(SwapRow row) implements SwapReply {}

    /** Our lock may have left, or may leave still: its act is durable, or may be. It goes on by itself. */
    record LockUnknown(Throwable cause) implements SwapReply {}

    /** The store or a chain could not be asked; what was begun goes on by itself. */
    record Failed(Throwable cause) implements SwapReply {}
}
