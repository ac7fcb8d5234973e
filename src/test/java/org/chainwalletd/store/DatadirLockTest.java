package org.chainwalletd.store;

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
