package org.chainwalletd.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * The next content of a large file, written to its temp file ahead of time so that little is left to do when it is wanted: patch a few
 * bytes, {@link #publish}. What readers see is the same as with {@link AtomicFiles#write}: the old file or the new one, each whole,
 * because the temp file is nobody's until it is renamed. Not for use by several threads.
 */
public final class PreparedFile implements AutoCloseable {
    private final Path file;
    private final Path temp;
    private final FileChannel channel;

    private PreparedFile(Path file, Path temp, FileChannel channel) {
        this.file = file;
        this.temp = temp;
        this.channel = channel;
    }

    /** Starts an empty successor (0600) of {@code file}, in the same folder. */
    public static PreparedFile of(Path file) throws IOException {
        Path temp = AtomicFiles.tempFor(file.toAbsolutePath());
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return new PreparedFile(file.toAbsolutePath(), temp, FileChannel.open(temp, options, AtomicFiles.OWNER_FILE));
    }

    /** Writes {@code bytes} at {@code position}, growing the file when need be. */
    public void write(long position, byte[] bytes, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, length);
        long at = position;
        while (buffer.hasRemaining()) {
            at += channel.write(buffer, at);
        }
    }

    /** Makes what was written so far durable, which leaves less for {@link #publish}. */
    public void flush() throws IOException {
        channel.force(true);
    }

    /** Puts this content in the place of the file; when this returns it survives a power cut. */
    public void publish() throws IOException {
        try (channel) {
            channel.force(true);
            CrashPoint.FILE_TEMP_WRITTEN.reached();
            AtomicFiles.move(temp, file);
        }
        CrashPoint.FILE_RENAMED.reached();
        AtomicFiles.syncFolder(file.getParent());
    }

    /** Drops the successor unless it was published. */
    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(temp);
    }
}
