package org.chainwalletd.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;

/**
 * Keeps a second process out of a datadir: an exclusive lock on {@code <datadir>/LOCK}, which the operating system drops when the process
 * dies however that happens. The file itself stays and means nothing.
 *
 * <p>The lock is on the file, not on its name: where somebody removes or replaces it, another process can take a lock of its own. So the holder
 * looks whether the name still leads to its file, see {@link #check}, and must end when it does not.
 */
public final class DatadirLock implements AutoCloseable, Fence {
    /** Name of the lock file. */
    public static final String FILE = "LOCK";

    private final FileChannel channel;
    private final Path file;
    private final Object identity;

    private DatadirLock(FileChannel channel, Path file) throws IOException {
        this.channel = channel;
        this.file = file;
        this.identity = identity(file);
    }

    /** Device and inode. While the channel is open no other file gets them. */
    private static Object identity(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
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
            return new DatadirLock(channel, datadir.resolve(FILE));
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

    /** That no other process can have come in, because {@code LOCK} is still the file that is locked. */
    @Override
    public void check() throws IOException {
        Object found;
        try {
            found = identity(file);
        } catch (NoSuchFileException e) {
            found = null;
        }
        if (!identity.equals(found)) {
            throw new IOException(
                    file + " was removed or replaced while this process held it: another process may be using the"
                            + " datadir, and only one may. Stop all of them, and start one");
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
