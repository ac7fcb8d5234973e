package org.chainwalletd.htlc;

import org.chainwalletd.chain.Outpoint;

/** Hears of every change of a record, as callers are told of it. Must not block. */
public interface HtlcListener {
    /** Whether anybody would hear of a change now. */
    boolean isListening();

    void changed(HtlcRecord record);

    /** The block of a lock that nobody has seen outside of it was disconnected: there is no record any more. */
    void removed(Outpoint lock);
}
