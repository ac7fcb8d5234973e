package org.chainwalletd.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;

/** Files of a test with the permissions that the daemon requires, independent of the umask. */
public final class OwnFiles {
    private OwnFiles() {}

    /** Removes the write permission of others from {@code path} and everything in it. */
    public static Path of(Path path) throws IOException {
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                Set<PosixFilePermission> mode = EnumSet.copyOf(Files.getPosixFilePermissions(file));
                if (mode.remove(PosixFilePermission.GROUP_WRITE) | mode.remove(PosixFilePermission.OTHERS_WRITE)) {
                    Files.setPosixFilePermissions(file, mode);
                }
            }
        }
        return path;
    }

    /** Creates a file that only its owner can read. */
    public static Path secret(Path file, String content) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, content);
    }
}
