package org.chainwalletd.store;

import java.io.IOException;

/**
 * Tells whether this process is still the only one that may write what it owns. Asked after a write and before it is acknowledged: what was
 * written while somebody else had come in is not promised to anybody.
 */
@FunctionalInterface
public interface Fence {
    /** Of a place that nobody else can come into. */
    Fence NONE = () -> {};

    /**
     * @throws IOException when it is not; the message says why and what to do
     */
    void check() throws IOException;
}
