package org.chainwalletd.store.files;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Writes files that are either complete or absent: temp file (0600 from creation), fsync, rename, fsync of the folder. Folders are created with mode
 * 0700. A reader never sees a partial file, whenever the process dies.
 */
public final class AtomicFiles {
    static final FileAttribute<Set<PosixFilePermission>> OWNER_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    private static final FileAttribute<Set<PosixFilePermission>> OWNER_FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private AtomicFiles() {}

    /** Creates {@code folder} and its missing parents, each with mode 0700, and makes them durable. */
    public static void createFolder(Path folder) throws IOException {
        if (Files.isDirectory(folder)) {
            return;
        }
        Path parent = folder.toAbsolutePath().getParent();
        if (parent != null && !Files.isDirectory(parent)) {
            createFolder(parent);
        }
        Files.createDirectory(folder, OWNER_FOLDER);
        if (parent != null) {
            syncFolder(parent);
        }
    }

    /** Writes or replaces {@code file}; when this returns, the content survives a power failure. */
    public static void write(Path file, byte[] content) throws IOException {
        Path folder = file.toAbsolutePath().getParent();
        Path temp = tempFor(file);
        try {
            writeTemp(temp, content);
            CrashPoint.FILE_TEMP_WRITTEN.reached();
            move(temp, file);
        } catch (IOException | UncheckedIOException e) {
            Files.deleteIfExists(temp);
            throw e;
        }
        CrashPoint.FILE_RENAMED.reached();
        syncFolder(folder);
    }

    /** Renames {@code from} to {@code to} within its folder, replacing an existing file; when this returns, the change survives a power failure. */
    public static void rename(Path from, Path to) throws IOException {
        move(from, to);
        syncFolder(to.toAbsolutePath().getParent());
    }

    /** Removes {@code file} if it exists; when this returns, the removal survives a power failure. */
    public static void delete(Path file) throws IOException {
        if (Files.deleteIfExists(file)) {
            syncFolder(file.toAbsolutePath().getParent());
        }
    }

    /** Change that reads and writes files. */
    @FunctionalInterface
    public interface Change {
        void make() throws IOException;
    }

    /**
     * Makes a read-modify-write change of {@code file} while no other process or thread makes one. The lock is on {@code .<name>.lock} beside the
     * file and is released when the process that holds it ends.
     *
     * @return false when another change of the file is in progress; nothing was done then
     */
    public static boolean alone(Path file, Change change) throws IOException {
        Path lock = file.resolveSibling("." + file.getFileName() + ".lock");
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try (FileChannel channel = FileChannel.open(lock, options, OWNER_FILE)) {
            if (channel.tryLock() == null) {
                return false;
            }
            change.make();
            return true;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    /** Removes temp files of {@link #write} left in {@code folder} by a crash. */
    public static void removeLeftovers(Path folder) throws IOException {
        removeLeftovers(folder, "*");
    }

    /** Removes temp files as {@link #removeLeftovers(Path)} does, but only those for the file with this name. */
    public static void removeLeftovers(Path folder, String name) throws IOException {
        try (var files = Files.newDirectoryStream(folder, "." + name + ".*.tmp")) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        } catch (NoSuchFileException e) {
            return;
        }
    }

    /** Returns a new temp file name beside {@code file} that {@link #removeLeftovers} recognises. */
    static Path tempFor(Path file) {
        return file.resolveSibling("." + file.getFileName() + "." + Long.toHexString(System.nanoTime()) + ".tmp");
    }

    private static void writeTemp(Path temp, byte[] content) throws IOException {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (FileChannel channel = FileChannel.open(temp, options, OWNER_FILE)) {
            ByteBuffer buffer = ByteBuffer.wrap(content);
            while (buffer.hasRemaining()) {
                channel.write(buffer);
            }
            channel.force(true);
        }
    }

    static void move(Path temp, Path file) throws IOException {
        try {
            Files.move(temp, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (AtomicMoveNotSupportedException e) {
            throw new IOException("the file system of " + file + " cannot rename atomically", e);
        }
    }

    public static void syncFolder(Path folder) throws IOException {
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
