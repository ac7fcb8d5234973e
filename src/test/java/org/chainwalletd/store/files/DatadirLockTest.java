package org.chainwalletd.store.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatadirLockTest {
    @TempDir
    Path folder;

    @Test
    void a_holder_whose_file_was_removed_or_replaced_knows_that_it_is_alone_no_more() throws Exception {
        Path datadir = folder.resolve("datadir");
        try (DatadirLock first = DatadirLock.acquire(datadir)) {
            first.check();
            Files.delete(datadir.resolve("LOCK"));
            assertThatThrownBy(first::check).hasMessageContaining("LOCK was removed or replaced");
            try (DatadirLock second = DatadirLock.acquire(datadir)) {
                second.check();
                assertThatThrownBy(first::check).hasMessageContaining("another process");
            }
        }
    }

    @Test
    void a_datadir_is_one_holders_at_a_time() throws Exception {
        Path datadir = folder.resolve("new/datadir");
        DatadirLock first = DatadirLock.acquire(datadir);
        assertThatThrownBy(() -> DatadirLock.acquire(datadir))
                .isInstanceOf(DatadirLock.HeldException.class)
                .hasMessageContaining(datadir.toString())
                .hasMessageContaining("--datadir");
        first.close();
        DatadirLock.acquire(datadir).close();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(datadir)))
                .isEqualTo("rwx------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(datadir.resolve("LOCK"))))
                .isEqualTo("rw-------");
    }
}
