package org.chainwalletd.blackbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Comparison and copies of whole folders. */
final class Folders {
    private Folders() {}

    /** Returns the files in {@code folder} with size and digest, by relative path; empty if there is no such folder. */
    static Map<String, String> listing(Path folder) {
        Map<String, String> listing = new TreeMap<>();
        if (Files.isDirectory(folder)) {
            for (Path path : everything(folder)) {
                listing.put(folder.relativize(path).toString(), description(path));
            }
        }
        return listing;
    }

    private static String description(Path path) {
        try {
            if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) ? "folder" : "special";
            }
            byte[] content = Files.readAllBytes(path);
            return content.length + " bytes, hash " + Arrays.hashCode(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Copies a folder with modes and times. */
    static Path copy(Path from, Path to) {
        try {
            Files.createDirectories(to.getParent());
            for (Path path : everything(from)) {
                Files.copy(path, to.resolve(from.relativize(path).toString()), StandardCopyOption.COPY_ATTRIBUTES);
            }
            return to;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<Path> everything(Path folder) {
        try (Stream<Path> paths = Files.walk(folder)) {
            return paths.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
