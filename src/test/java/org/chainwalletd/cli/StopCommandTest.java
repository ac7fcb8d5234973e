package org.chainwalletd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.store.files.DatadirLock;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code stop}, with another process in place of the daemon. */
@Timeout(120)
class StopCommandTest {
    @TempDir
    Path folder;

    private final Commands commands = new Commands();
    private Path datadir;
    private Process process;

    @BeforeEach
    void begin() throws IOException {
        datadir = folder.resolve("datadir");
        process = new ProcessBuilder("sleep", "600").start();
    }

    @AfterEach
    void end() {
        process.destroyForcibly();
    }

    private DatadirLock.Holder holder(Instant started) {
        return new DatadirLock.Holder(process.pid(), started, Optional.empty(), false);
    }

    private Instant started() {
        return process.info().startInstant().orElseThrow();
    }

    @Test
    void the_daemon_of_the_datadir_is_ended_and_waited_for() throws Exception {
        try (DatadirLock lock = DatadirLock.acquire(datadir)) {
            lock.tell(holder(started()));
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(datadir.resolve("DAEMON"))))
                    .isEqualTo("rw-------");

            assertThat(stop()).isZero();
        }
        assertThat(Await.exit(process)).isNotZero();
        assertThat(commands.out()).contains("process " + process.pid());
        assertThat(datadir.resolve("DAEMON")).doesNotExist();
    }

    @Test
    void another_process_with_the_number_of_a_daemon_that_was_is_left_alone() throws Exception {
        try (DatadirLock lock = DatadirLock.acquire(datadir)) {
            lock.tell(holder(started().minusSeconds(3600)));
            assertThat(stop()).isEqualTo(ExitCode.FAILED);
        }
        assertThat(process.isAlive()).isTrue();
    }

    @Test
    void a_datadir_without_a_daemon_has_nothing_to_stop_whatever_one_that_died_has_left() throws Exception {
        assertThat(stop()).isEqualTo(ExitCode.FAILED);
        try (DatadirLock lock = DatadirLock.acquire(datadir)) {
            lock.tell(holder(started()).listening(URI.create("http://127.0.0.1:1/"), true));
        }
        Files.writeString(
                datadir.resolve("DAEMON"),
                "pid=" + process.pid() + "\nstarted=" + started().toEpochMilli());

        assertThat(stop()).isEqualTo(ExitCode.FAILED);

        assertThat(process.isAlive()).isTrue();
        assertThat(commands.err()).contains("no daemon is running on the datadir " + datadir);
    }

    @Test
    @SuppressWarnings("try")
    void a_command_that_holds_the_datadir_is_no_daemon() throws Exception {
        DatadirLock.acquire(datadir).close();
        Files.writeString(
                datadir.resolve("DAEMON"),
                "pid=" + process.pid() + "\nstarted=" + started().toEpochMilli());
        try (DatadirLock lock = DatadirLock.acquire(datadir)) {
            assertThat(stop()).isEqualTo(ExitCode.FAILED);
            lock.check();
        }
        assertThat(process.isAlive()).isTrue();
        assertThat(commands.err()).contains("another command of this program");
    }

    private int stop() {
        return commands.run("", Map.of(), "stop", "--datadir", datadir.toString());
    }
}
