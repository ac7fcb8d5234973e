package org.chainwalletd.swap.engine;

import java.util.Optional;

/** Why the engine does not look after what the journal has. Written by the engine alone, read by any thread. */
public final class StalledSwaps {
    private volatile Optional<String> why = Optional.of("the swap journal has not been read yet");

    /** In a few words of plain ASCII; empty when it does. */
    public Optional<String> why() {
        return why;
    }

    void over() {
        why = Optional.empty();
    }

    void unreadable() {
        why = Optional.of("the swap journal cannot be read, swaps stand still");
    }
}
