package org.chainwalletd.wire;

import com.fasterxml.jackson.core.util.BufferRecycler;
import com.fasterxml.jackson.core.util.RecyclerPool;
import java.util.Arrays;

/**
 * The buffers that JSON is read and written with, one set for each thread, kept from call to call. Once a secret went through them they are
 * overwritten when they come back, so that it does not lie about until the next long answer.
 */
public final class WipedBuffers extends BufferRecycler {
    private static final ThreadLocal<WipedBuffers> OF_THREAD = ThreadLocal.withInitial(WipedBuffers::new);

    private boolean secret;

    private WipedBuffers() {}

    /** Says that what is being read or written on this thread holds a secret. */
    public static void markSecret() {
        OF_THREAD.get().secret = true;
    }

    /** Ends the wiping of buffers; to be called when reading or writing is over and the buffers have been returned. */
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

    /** Hands every thread its own buffers. */
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
            // They stay with their thread.
        }
    }
}
