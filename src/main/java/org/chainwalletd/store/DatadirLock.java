package org.chainwalletd.store;

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
 * Keeps a second process out of a datadir: an exclusive lock on {@code <datadir>/LOCK}, which the operating system drops when the process
 * dies however that happens. The file itself stays and means nothing.
 *
 * <p>The lock is on the file, not on its name: where somebody removes or replaces it, another process can take a lock of its own. So the holder
 * looks whether the name still leads to its file, see {@link #check}, and must end when it does not.
 *
 * <p>A daemon says in {@code <datadir>/DAEMON} which process it is and where it is reached, see {@link Holder}. That file is no lock: it is
 * removed by whoever takes or gives back the lock, so one that is there while nobody has the lock was left by a process that died.
 */
public final class DatadirLock implements AutoCloseable, Fence {
    /** Name of the lock file. */
    public static final String FILE = "LOCK";
    /** Name of the file that tells which daemon has the lock. */
    public static final String HOLDER_FILE = "DAEMON";

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
            Files.deleteIfExists(datadir.resolve(HOLDER_FILE));
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

    /** Lets programs of this user know who has the lock. Written whole, but not to survive a power cut, after which it says nothing true. */
    public void tell(Holder holder) throws IOException {
        Path told = file.resolveSibling(HOLDER_FILE);
        Path temp = file.resolveSibling("." + HOLDER_FILE + ".new");
        Files.deleteIfExists(temp);
        Files.createFile(temp, AtomicFiles.OWNER_FILE);
        Files.writeString(temp, holder.text());
        Files.move(temp, told, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
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
     * The daemon that has the lock, in lines {@code key=value} that the launcher's script reads too.
     *
     * @param started of the process, to tell it from a later one with the same number
     * @param url where this machine reaches it; empty before it listens
     * @param tokenFiles whether the tokens are those of the datadir's files, and none is configured
     */
    public record Holder(long process, Instant started, Optional<URI> url, boolean tokenFiles) {
        /** Clocks of two processes that read when a third one was started differ by what the system's clock was set in between. */
        private static final Duration CLOCK_CHANGE = Duration.ofSeconds(5);

        /** This process, which does not listen yet. */
        public static Holder starting() {
            ProcessHandle self = ProcessHandle.current();
            return new Holder(self.pid(), self.info().startInstant().orElse(Instant.EPOCH), Optional.empty(), false);
        }

        public Holder listening(URI at, boolean withTokenFiles) {
            return new Holder(process, started, Optional.of(at), withTokenFiles);
        }

        /** What the file of {@code datadir} says; empty when it is not there, cannot be read, or is not of this form. */
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

        /** The process, when it still runs; never another one that has got its number since, or in another container. */
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
