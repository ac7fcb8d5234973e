package org.chainwalletd.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;

/** What a test has put somewhere, made its own, whatever the mask of whoever runs it lets others do. */
public final class OwnFiles {
    private OwnFiles() {}

    /** Takes the right to write from others, for {@code path} and all that is in it. */
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

    /** Makes a file that only its owner can read. */
    public static Path secret(Path file, String content) throws IOException {
        Files.deleteIfExists(file);
        Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        return Files.writeString(file, content);
    }
}
