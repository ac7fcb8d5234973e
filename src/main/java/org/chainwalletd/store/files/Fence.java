package org.chainwalletd.store.files;

import java.io.IOException;

/**
 * Checks that this process is still the only one that may write the files it owns. Called after a write and before it is acknowledged: nothing
 * that was written while another process had taken over is promised to anybody.
 */
@FunctionalInterface
public interface Fence {
    /** Fence for files that no other process can reach; always passes. */
    Fence NONE = () -> {};

    /**
     * Checks that this process is still the only writer.
     *
     * @throws IOException when it is not; the message says why and what to do
     */
    void check() throws IOException;
}
