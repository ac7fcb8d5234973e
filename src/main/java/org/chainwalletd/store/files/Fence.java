package org.chainwalletd.store.files;

import java.io.IOException;

/**
 * Checks that this process is still the only one allowed to write the files it owns. Called after a write and before it is acknowledged, so that
 * nothing written after another process has taken over is ever acknowledged.
 */
@FunctionalInterface
public interface Fence {
    /** Fence for files that no other process can access; always passes. */
    Fence NONE = () -> {};

    /**
     * Checks that this process is still the only writer.
     *
     * @throws IOException when it is not; the message contains the reason and instructions
     */
    void check() throws IOException;
}
