package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.LauncherCall;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive of classes that the launcher makes and uses: where it is stored, when it is made again, and that nothing depends on it. */
@Tag("long")
class LauncherArchiveIT {
    private static final int ANOTHER_RELEASE = 99;

    @TempDir
    Path folder;

    @Test
    void makes_an_archive_in_place_of_those_that_no_longer_fit_and_uses_it_unless_it_is_damaged() throws IOException {
        Path home = Launchers.JAVA_OF_THIS_TEST;
        Path app = withoutCache("app");
        outdated(app.resolve(".cache"), releaseOf(home));
        DaemonProcess maker = version(app, home).with("WALLETD_ARCHIVE", "now").launch();
        // A process that starts meanwhile runs without an archive.
        Launchers.answersVersion(version(app, home).with("WALLETD_ARCHIVE", "now"));
        assertThat(maker.exitCode()).isZero();
        Path made = archiveBeside(app, "classes-" + ANOTHER_RELEASE + "-1-2.jsa");
        assertThat(made).isNotEmptyFile();
        assertThatArchiveIsUsed(version(app, home).without("WALLETD_ARCHIVE"));

        Files.delete(made);
        Files.writeString(made, "damaged");
        Launchers.answersVersion(version(app, home).with("WALLETD_ARCHIVE", ""));
    }

    /**
     * The newest JDK uses another kind of archive, with other options, than the JDK that runs the tests; the archive shared by all tests is made
     * already.
     */
    @Test
    void uses_the_archive_of_the_newest_jdk_unless_it_is_damaged() throws IOException {
        assumeTrue(!newestJdk().isEmpty(), "no other JDK in the usual place");
        Path home = newestJdk().get(0);
        assertThatArchiveIsUsed(version(LauncherCall.packageFolder().toAbsolutePath(), home));

        Path app = withoutCache("app");
        Files.writeString(app.resolve(".cache").resolve(nameOfArchive(app, home)), "damaged");
        Launchers.answersVersion(version(app, home).with("WALLETD_ARCHIVE", ""));
    }

    private void assertThatArchiveIsUsed(LauncherCall version) {
        Path loaded = folder.resolve("loaded");
        Commands.Ended ended = version.with("WALLETD_JAVA_OPTS", "-Xlog:class+load:file=" + loaded)
                .run();
        assertThat(ended.code()).isZero();
        assertThat(loaded).content().containsPattern("org\\.chainwalletd\\.cli\\.Program source: shared objects file");
    }

    /** Returns the archive's name, from the lock file of a process that is killed when it begins to make the archive. */
    private static String nameOfArchive(Path app, Path home) {
        String mark = ".lock";
        AtomicReference<String> locked = new AtomicReference<>();
        try (DaemonProcess maker =
                version(app, home).with("WALLETD_ARCHIVE", "now").launch()) {
            ProcessHandle shell = ProcessHandle.of(maker.pid()).orElseThrow();
            Await.until("an archive is being made", () -> {
                beingMade(app.resolve(".cache"), mark).ifPresent(locked::set);
                return locked.get() != null;
            });
            Await.until("its maker is gone", () -> {
                shell.descendants().forEach(ProcessHandle::destroyForcibly);
                return shell.descendants().findAny().isEmpty();
            });
        }
        return locked.get().substring(0, locked.get().length() - mark.length());
    }

    private static Optional<String> beingMade(Path cache, String mark) {
        try (Stream<Path> files = Files.isDirectory(cache) ? Files.list(cache) : Stream.empty()) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(mark))
                    .findFirst();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Creates archives of an earlier launcher and of replaced jars, and one of another JDK, which must be kept. */
    private static void outdated(Path cache, int release) throws IOException {
        Files.createDirectory(cache);
        Files.writeString(cache.resolve("classes-" + release + ".jsa"), "of an earlier version of the launcher");
        Files.writeString(cache.resolve("classes-" + release + "-1-2.jsa"), "of a JDK or jars that were replaced");
        Files.writeString(cache.resolve("classes-" + ANOTHER_RELEASE + "-1-2.jsa"), "of another JDK");
    }

    private static int releaseOf(Path home) throws IOException {
        Matcher named = Pattern.compile("JAVA_VERSION=\"(\\d+)").matcher(Files.readString(home.resolve("release")));
        assertThat(named.find()).as("release of " + home).isTrue();
        return Integer.parseInt(named.group(1));
    }

    /** Returns the only archive other than {@code other}. */
    private static Path archiveBeside(Path app, String other) throws IOException {
        List<String> now = archives(app);
        assertThat(now).hasSize(2).contains(other);
        return now.stream()
                .filter(name -> !name.equals(other))
                .map(app.resolve(".cache")::resolve)
                .findFirst()
                .orElseThrow();
    }

    private Path withoutCache(String name) {
        Path app = Folders.copy(LauncherCall.packageFolder(), folder.resolve(name));
        deleteIfThere(app.resolve(".cache"));
        return app;
    }

    @Test
    void starts_without_an_archive_when_the_disk_is_full() throws IOException {
        Path app = withoutCache("app");
        Path limited = Launchers.script(
                folder.resolve("limited"), "#!/bin/sh\nulimit -f 2000\nexec '" + app + "/bin/chain-walletd' \"$@\"\n");

        Launchers.answersVersion(
                version(app, Launchers.JAVA_OF_THIS_TEST).launcher(limited).with("WALLETD_ARCHIVE", "now"));

        assertThat(archives(app)).isEmpty();
    }

    /** In a read-only installation the archive is stored in the user's cache. */
    @Test
    void keeps_its_archive_in_the_users_cache_when_its_own_folder_cannot_be_written() throws IOException {
        Path app = withoutCache("app");
        Files.setPosixFilePermissions(app, PosixFilePermissions.fromString("r-xr-xr-x"));
        try {
            assumeTrue(!Files.isWritable(app), "this user can write everywhere");
            Path cache = folder.resolve("cache");
            Launchers.answersVersion(version(app, Launchers.JAVA_OF_THIS_TEST)
                    .with("WALLETD_ARCHIVE", "now")
                    .with("XDG_CACHE_HOME", cache.toString()));
            try (Stream<Path> all = Files.walk(cache)) {
                assertThat(all.filter(Files::isRegularFile)).hasSize(1);
            }
        } finally {
            Files.setPosixFilePermissions(app, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    /** Returns the names of the files in the cache beside the jars. */
    private static List<String> archives(Path app) throws IOException {
        try (Stream<Path> files = Files.list(app.resolve(".cache"))) {
            List<String> names =
                    files.map(path -> path.getFileName().toString()).toList();
            assertThat(names).allMatch(name -> name.matches("classes-\\d+-\\d+-\\d+\\.(jsa|aot)"));
            return names;
        }
    }

    private static LauncherCall version(Path app, Path home) {
        return LauncherCall.words("--version")
                .launcher(app.resolve("bin/chain-walletd"))
                .with("JAVA_HOME", home.toString());
    }

    @Test
    void starts_without_an_archive_where_none_can_be_kept() throws IOException {
        Path app = withoutCache("app");
        Path launcher = app.resolve("bin/chain-walletd");
        Path cache = Files.writeString(app.resolve(".cache"), "in the way");
        Launchers.answersVersion(
                LauncherCall.words("--version").launcher(launcher).with("WALLETD_ARCHIVE", "now"));
        assertThat(cache).hasContent("in the way");
    }

    private static List<Path> newestJdk() {
        return Launchers.jdks().stream()
                .filter(home -> !home.getFileName().toString().contains("17"))
                .limit(1)
                .toList();
    }

    private static void deleteIfThere(Path path) {
        try (Stream<Path> below = Files.exists(path) ? Files.walk(path) : Stream.empty()) {
            for (Path each : below.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
