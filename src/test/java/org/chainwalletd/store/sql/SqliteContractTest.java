package org.chainwalletd.store.sql;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreContract;

class SqliteContractTest extends StoreContract {
    /** Size in bytes below which the log is not pruned: small, so that it is rewritten often. */
    private static final long LEAST_TO_PRUNE = 20_000;

    @Override
    protected Store open(Path folder) {
        return SqliteStore.open(folder, Optional.empty(), LEAST_TO_PRUNE);
    }

    @Override
    protected Optional<QueueHistory.Copies> copies() {
        Path file = folder.resolve(SqliteStore.FILE_NAME);
        Path copy = folder.resolve("copy.db");
        return Optional.of(new QueueHistory.Copies() {
            @Override
            public void copy() {
                replace(file, copy);
            }

            @Override
            public void restore() {
                replace(copy, file);
                SqliteStore.restore(folder, Optional.empty(), false, mark -> {});
            }
        });
    }

    private static void replace(Path from, Path to) {
        try {
            Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
