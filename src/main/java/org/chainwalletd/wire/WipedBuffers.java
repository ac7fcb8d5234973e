package org.chainwalletd.wire;

import com.fasterxml.jackson.core.util.BufferRecycler;
import com.fasterxml.jackson.core.util.RecyclerPool;
import java.util.Arrays;

/**
 * Buffers for reading and writing JSON, one set per thread, reused from call to call. After a secret has passed through them they are overwritten
 * on release, so that it does not remain in memory.
 */
public final class WipedBuffers extends BufferRecycler {
    private static final ThreadLocal<WipedBuffers> OF_THREAD = ThreadLocal.withInitial(WipedBuffers::new);

    private boolean secret;

    private WipedBuffers() {}

    /** Marks the JSON that is being read or written on this thread as containing a secret. */
    public static void markSecret() {
        OF_THREAD.get().secret = true;
    }

    /** Ends the wiping of buffers; must be called when reading or writing is over and the buffers have been released. */
    public static void done() {
        OF_THREAD.get().secret = false;
    }

    @Override
    public void releaseByteBuffer(int index, byte[] buffer) {
        if (secret) {
            Arrays.fill(buffer, (byte) 0);
        }
        super.releaseByteBuffer(index, buffer);
    }

    @Override
    public void releaseCharBuffer(int index, char[] buffer) {
        if (secret) {
            Arrays.fill(buffer, '\0');
        }
        super.releaseCharBuffer(index, buffer);
    }

    /** Pool that gives each thread its own buffers. */
    public static final class Pool implements RecyclerPool<BufferRecycler> {
        private static final long serialVersionUID = 1L;

        @Override
        public BufferRecycler acquireAndLinkPooled() {
            return OF_THREAD.get();
        }

        @Override
        public BufferRecycler acquirePooled() {
            return OF_THREAD.get();
        }

        @Override
        public void releasePooled(BufferRecycler pooled) {
            // The buffers belong to their thread permanently.
        }
    }
}
