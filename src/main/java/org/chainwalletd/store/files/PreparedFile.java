package org.chainwalletd.store.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * Next content of a large file, written to a temp file ahead of time, so that replacing the file takes little work: patch a few bytes and
 * {@link #publish}. As with {@link AtomicFiles#write}, readers see either the old file or the new one, each complete, because the temp file is not
 * read before it is renamed. Not thread-safe.
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

    /** Creates an empty temp file (0600) for the next content of {@code file}, in the same folder. */
    public static PreparedFile of(Path file) throws IOException {
        Path temp = AtomicFiles.tempFor(file.toAbsolutePath());
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        return new PreparedFile(file.toAbsolutePath(), temp, FileChannel.open(temp, options, AtomicFiles.OWNER_FILE));
    }

    /** Writes the first {@code length} of {@code bytes} at {@code position}, growing the file if necessary. */
    public void write(long position, byte[] bytes, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes, 0, length);
        long at = position;
        while (buffer.hasRemaining()) {
            at += channel.write(buffer, at);
        }
    }

    /** Forces everything written so far to disk, which leaves less work for {@link #publish}. */
    public void flush() throws IOException {
        channel.force(true);
    }

    /** Replaces the file by this content; when this returns, the replacement survives a power failure. */
    public void publish() throws IOException {
        try (channel) {
            channel.force(true);
            CrashPoint.FILE_TEMP_WRITTEN.reached();
            AtomicFiles.move(temp, file);
        }
        CrashPoint.FILE_RENAMED.reached();
        AtomicFiles.syncFolder(file.getParent());
    }

    /** Deletes the temp file unless it was published. */
    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(temp);
    }
}
