package org.chainwalletd.spend;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.chainwalletd.store.sql.SqliteStore;

/** Backup of the store of a stopped daemon: its file and log, without the datadir's record of them. */
final class StoreCopy {
    private static final List<String> NAMES = List.of("", "-wal", "-shm");

    private final Path folder;
    private final Map<String, byte[]> files = new TreeMap<>();

    private StoreCopy(Path folder) {
        this.folder = folder;
    }

    static StoreCopy of(Path folder) {
        StoreCopy copy = new StoreCopy(folder);
        try {
            for (String name : NAMES) {
                Path file = file(folder, name);
                if (Files.exists(file)) {
                    copy.files.put(name, Files.readAllBytes(file));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return copy;
    }

    private static Path file(Path folder, String name) {
        return folder.resolve(SqliteStore.FILE_NAME + name);
    }

    /** Removes every file of the store. */
    static void remove(Path folder) {
        try {
            for (String name : NAMES) {
                Files.deleteIfExists(file(folder, name));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Makes the log of sends unreadable. */
    static void damageLog(Path folder) {
        try {
            Files.writeString(folder.resolve("sent.log"), "no log ".repeat(20));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Replaces the current files with the backup. */
    void putBack() {
        remove(folder);
        files.forEach((name, bytes) -> {
            try {
                Files.write(file(folder, name), bytes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }
}
