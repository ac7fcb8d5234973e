package org.chainwalletd.store.files;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Keeps a second process out of a datadir: an exclusive lock on {@code <datadir>/LOCK}, which the operating system releases when the process ends for
 * any reason. The file itself stays and has no meaning without the lock.
 *
 * <p>The lock is on the file, not on its name: if the file is removed or replaced, another process can acquire a lock on the new one. The holder
 * therefore checks that the name still refers to the locked file, see {@link #check}, and must end when it does not.
 *
 * <p>A daemon writes its process id and its URL to {@code <datadir>/DAEMON}, see {@link Holder}. That file is not a lock: it is removed when the lock
 * is acquired or released, so if it exists while the lock is free, it was left by a process that died.
 */
public final class DatadirLock implements AutoCloseable, Fence {
    /** Name of the lock file. */
    public static final String FILE = "LOCK";
    /** Name of the file that describes the daemon holding the lock. */
    public static final String HOLDER_FILE = "DAEMON";

    private final FileChannel channel;
    private final Path file;
    private final Object identity;

    private DatadirLock(FileChannel channel, Path file) throws IOException {
        this.channel = channel;
        this.file = file;
        this.identity = identity(file);
    }

    /** Returns device and inode of a file. While the channel is open, no other file can have them. */
    private static Object identity(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    /** Thrown when another process holds the datadir; the message contains instructions. */
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
     * Creates the datadir (0700) if it is missing, and acquires the lock.
     *
     * @throws HeldException when another process holds it
     */
    public static DatadirLock acquire(Path datadir) throws IOException {
        AtomicFiles.createFolder(datadir);
        FileChannel channel = FileChannel.open(
                datadir.resolve(FILE),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                AtomicFiles.OWNER_FILE);
        try {
            FileLock lock = tryLock(channel, false);
            if (lock == null) {
                throw new HeldException(datadir);
            }
            Files.deleteIfExists(datadir.resolve(HOLDER_FILE));
            return new DatadirLock(channel, datadir.resolve(FILE));
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Returns whether a process holds the datadir. Changes nothing; a daemon that starts at the same moment may be refused. */
    public static boolean isHeld(Path datadir) throws IOException {
        try (FileChannel channel = FileChannel.open(datadir.resolve(FILE), StandardOpenOption.READ)) {
            return tryLock(channel, true) == null;
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static FileLock tryLock(FileChannel channel, boolean shared) throws IOException {
        try {
            return channel.tryLock(0, Long.MAX_VALUE, shared);
        } catch (OverlappingFileLockException e) {
            return null;
        }
    }

    /** Checks that no other process can have taken over the datadir: {@code LOCK} must still be the locked file. */
    @Override
    public void check() throws IOException {
        if (!isHeld()) {
            throw new IOException(
                    file + " was removed or replaced while this process held it: another process may be using the"
                            + " datadir, and only one may. Stop all of them, and start one");
        }
    }

    private boolean isHeld() throws IOException {
        try {
            return identity.equals(identity(file));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /**
     * Publishes the holder of the lock to other programs of this user. Written atomically, but not durably: after a power failure it would be wrong
     * anyway.
     */
    public void tell(Holder holder) throws IOException {
        Path published = file.resolveSibling(HOLDER_FILE);
        Path temp = file.resolveSibling("." + HOLDER_FILE + ".new");
        Files.deleteIfExists(temp);
        Files.createFile(temp, AtomicFiles.OWNER_FILE);
        Files.writeString(temp, holder.text());
        Files.move(temp, published, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Override
    public void close() throws IOException {
        try (channel) {
            if (isHeld()) {
                Files.deleteIfExists(file.resolveSibling(HOLDER_FILE));
            }
        }
    }

    /**
     * Daemon that holds the lock, stored in lines {@code key=value}, which the launcher script reads as well.
     *
     * @param process its process id
     * @param started start time of the process, to distinguish it from a later process with the same id
     * @param url at which it can be reached on this machine; empty before it listens
     * @param tokenFiles whether the access tokens are those in the datadir's files, because none is configured
     */
    public record Holder(long process, Instant started, Optional<URI> url, boolean tokenFiles) {
        /**
         * Tolerance for start times: the start times of a process as read by two others differ by the amount by which the system clock was set in
         * between.
         */
        private static final Duration CLOCK_CHANGE = Duration.ofSeconds(5);

        /** Describes this process before it listens. */
        public static Holder starting() {
            ProcessHandle self = ProcessHandle.current();
            return new Holder(self.pid(), self.info().startInstant().orElse(Instant.EPOCH), Optional.empty(), false);
        }

        public Holder listening(URI at, boolean withTokenFiles) {
            return new Holder(process, started, Optional.of(at), withTokenFiles);
        }

        /** Reads the file in {@code datadir}; empty when it is missing, unreadable or malformed. */
        public static Optional<Holder> of(Path datadir) {
            try {
                Map<String, String> lines = new HashMap<>();
                for (String line : Files.readAllLines(datadir.resolve(HOLDER_FILE))) {
                    int equals = line.indexOf('=');
                    lines.put(line.substring(0, Math.max(0, equals)), line.substring(equals + 1));
                }
                return Optional.of(new Holder(
                        Long.parseLong(lines.getOrDefault("pid", "")),
                        Instant.ofEpochMilli(Long.parseLong(lines.getOrDefault("started", ""))),
                        Optional.ofNullable(lines.get("url")).map(URI::create),
                        "files".equals(lines.get("tokens"))));
            } catch (IOException | IllegalArgumentException e) {
                return Optional.empty();
            }
        }

        /** Returns the process if it is still running; never another process that got the same id later, or in another container. */
        public Optional<ProcessHandle> running() {
            return ProcessHandle.of(process).filter(ProcessHandle::isAlive).filter(this::isTheOne);
        }

        private boolean isTheOne(ProcessHandle found) {
            return found.info()
                    .startInstant()
                    .map(begun -> Duration.between(begun, started).abs().compareTo(CLOCK_CHANGE) < 0)
                    .orElse(false);
        }

        private String text() {
            return "pid=" + process + "\nstarted=" + started.toEpochMilli() + "\n"
                    + url.map(at -> "url=" + at + "\ntokens=" + (tokenFiles ? "files" : "configured") + "\n")
                            .orElse("");
        }
    }
}
