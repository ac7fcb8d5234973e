package org.chainwalletd.keyring;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads a file in portions that are small enough to stay in the processor's cache, adds up its checksums on the way, and puts the bytes
 * straight where they are wanted: pages of fresh memory are most of what reading a large file costs a JVM that has just started.
 */
final class CheckedInput implements AutoCloseable {
    private static final int PORTION = 64 * 1024;

    private final InputStream in;
    private final Checksums.Sum sum = new Checksums.Sum();
    private long left;

    CheckedInput(Path file) throws IOException {
        this.left = Files.size(file);
        this.in = Files.newInputStream(file);
    }

    /** How many bytes there were to read after the last one that was read. */
    long left() {
        return left;
    }

    /** The checksums of all that was read. */
    Checksums checksums() {
        return sum.checksums();
    }

    byte[] bytes(long length) throws IOException {
        if (length < 0 || length > left) {
            throw new EOFException("cut short");
        }
        byte[] target = new byte[(int) length];
        for (int at = 0; at < target.length; at += PORTION) {
            read(target, at, Math.min(PORTION, target.length - at));
        }
        return target;
    }

    int[] ints(int count) throws IOException {
        int[] target = new int[count];
        ByteBuffer.wrap(bytes((long) count * Integer.BYTES)).asIntBuffer().get(target);
        return target;
    }

    int nextInt() throws IOException {
        return ByteBuffer.wrap(bytes(Integer.BYTES)).getInt();
    }

    long nextLong() throws IOException {
        return ByteBuffer.wrap(bytes(Long.BYTES)).getLong();
    }

    /** Reads on to the end, keeps nothing, and answers the checksums of everything. */
    Checksums checksumsOfAll() throws IOException {
        byte[] portion = new byte[PORTION];
        while (left > 0) {
            read(portion, 0, (int) Math.min(PORTION, left));
        }
        return checksums();
    }

    private void read(byte[] target, int at, int count) throws IOException {
        if (in.readNBytes(target, at, count) < count) {
            throw new EOFException("cut short");
        }
        sum.add(target, at, count);
        left -= count;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
