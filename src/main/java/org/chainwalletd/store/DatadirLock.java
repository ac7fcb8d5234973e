package org.chainwalletd.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * Keeps a second process out of a datadir: an exclusive lock on {@code <datadir>/LOCK}, which the operating system drops when the process
 * dies however that happens. The file itself stays and means nothing.
 */
public final class DatadirLock implements AutoCloseable {
    /** Name of the lock file. */
    public static final String FILE = "LOCK";

    private final FileChannel channel;

    private DatadirLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Another process holds the datadir; the message says what to do. */
    public static final class HeldException extends IOException {
        private static final long serialVersionUID = 1L;

        HeldException(Path datadir) {
            super("another process is using the datadir " + datadir
                    + "; stop it first, or give this one a datadir of its own"
                    + " (--datadir). Nothing needs to be deleted: the lock on " + FILE
                    + " goes with the process that holds it");
        }
    }

    /**
     * Makes the datadir (0700) when it is not there, and takes the lock.
     *
     * @throws HeldException when somebody else has it
     */
    public static DatadirLock acquire(Path datadir) throws IOException {
        AtomicFiles.createFolder(datadir);
        FileChannel channel = FileChannel.open(
                datadir.resolve(FILE),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                AtomicFiles.OWNER_FILE);
        try {
            FileLock lock = tryLock(channel);
            if (lock == null) {
                throw new HeldException(datadir);
            }
            return new DatadirLock(channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    private static FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
