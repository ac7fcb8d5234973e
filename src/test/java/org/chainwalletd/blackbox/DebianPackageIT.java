package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Debian package built by {@code mvn -Pdeb verify}: its content, and its installation on a machine. Needs Debian's tools. */
@Tag("long")
@Timeout(300)
class DebianPackageIT {
    private static final String LIBRARIES = "./usr/lib/chain-walletd/lib/";

    @TempDir
    private static Path folder;

    private static String deb;
    private static Path root;

    @BeforeAll
    static void unpack() {
        deb = System.getProperty("chainwalletd.deb", "");
        assumeTrue(!deb.isEmpty(), "the profile deb builds it");
        root = folder.resolve("root");
        succeed("dpkg-deb", "-x", deb, root.toString());
    }

    @Test
    void it_has_what_a_machine_needs_at_the_places_of_debian_and_nothing_that_others_may_write() {
        List<String> entries = succeed("dpkg-deb", "-c", deb).lines().toList();
        assertThat(entries).allMatch(line -> line.matches("(d|-|l).{9} root/root .*"));
        assertThat(entries)
                .filteredOn(line -> !line.startsWith("l"))
                .noneMatch(line -> line.matches(".{5}w.*|.{8}w.*"));
        assertThat(entries)
                .filteredOn(line -> line.startsWith("-rwx"))
                .singleElement()
                .asString()
                .endsWith(" ./usr/lib/chain-walletd/bin/chain-walletd");
        assertThat(entries.stream()
                        .filter(line -> !line.startsWith("d") && !line.contains(LIBRARIES))
                        .map(line -> line.replaceFirst(".* \\./", "")))
                .containsExactlyInAnyOrder(
                        "usr/lib/chain-walletd/bin/chain-walletd",
                        "usr/bin/chain-walletd -> ../lib/chain-walletd/bin/chain-walletd",
                        "etc/chain-walletd/walletd.conf",
                        "etc/chain-walletd/logback.xml",
                        "lib/systemd/system/chain-walletd.service",
                        "usr/share/bash-completion/completions/chain-walletd",
                        "usr/share/man/man1/chain-walletd.1.gz",
                        "usr/share/doc/chain-walletd/copyright",
                        "usr/share/doc/chain-walletd/changelog.gz",
                        "usr/share/doc/chain-walletd/changelog.Debian.gz");
        assertThat(entries).anyMatch(line -> line.contains(LIBRARIES + "rpc.bash"));
    }

    @Test
    void its_control_files_are_those_of_the_sources_and_name_its_configuration() throws IOException {
        Path control = folder.resolve("control");
        succeed("dpkg-deb", "-e", deb, control.toString());
        for (String script : List.of("postinst", "prerm", "postrm")) {
            assertThat(control.resolve(script))
                    .isExecutable()
                    .hasSameTextualContentAs(Path.of("src/main/deb/control", script));
        }
        try (Stream<Path> files = Files.list(root.resolve("etc/chain-walletd"))) {
            assertThat(Files.readAllLines(control.resolve("conffiles")))
                    .containsExactlyInAnyOrderElementsOf(
                            files.map(file -> "/" + root.relativize(file)).toList());
        }
        assertThat(succeed("dpkg-deb", "-f", deb, "Package", "Architecture", "Depends"))
                .contains("Package: chain-walletd", "Architecture: all", "default-jre-headless (>= 2:1.17)");
    }

    @Test
    void every_library_has_its_licence_in_the_copyright_file() throws IOException {
        List<String> globs = Pattern.compile("usr/lib/chain-walletd/lib/(\\S+)")
                .matcher(Files.readString(root.resolve("usr/share/doc/chain-walletd/copyright")))
                .results()
                .map(glob -> glob.group(1).replace(".", "\\.").replace("*", ".*"))
                .toList();
        Path libraries = root.resolve("usr/lib/chain-walletd/lib");
        try (Stream<Path> jars = Files.walk(libraries)) {
            assertThat(jars.map(jar -> libraries.relativize(jar).toString()).filter(name -> name.endsWith(".jar")))
                    .hasSizeGreaterThan(20)
                    .filteredOn(name -> !name.startsWith("chain-walletd-"))
                    .allMatch(name -> globs.stream().anyMatch(name::matches));
        }
    }

    @Test
    void the_unpacked_program_runs_and_its_unit_and_completion_are_read() throws IOException {
        assertThat(succeed(root.resolve("usr/bin/chain-walletd").toString(), "--version"))
                .startsWith("chain-walletd ");
        succeed(
                "bash",
                "-n",
                root.resolve("usr/share/bash-completion/completions/chain-walletd")
                        .toString());
        String unit = Files.readString(root.resolve("lib/systemd/system/chain-walletd.service"));
        assertThat(Pattern.compile("=(/(?:etc|usr)/\\S*chain-walletd/\\S+)")
                        .matcher(unit)
                        .results()
                        .map(path -> path.group(1)))
                .hasSizeGreaterThan(1)
                .allSatisfy(path -> assertThat(root.resolve(path.substring(1))).exists());
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/systemd-analyze")), "no systemd here");
        Path moved = Files.writeString(
                folder.resolve("chain-walletd.service"),
                unit.replace(
                        "ExecStart=/usr", "ExecStart=" + root.resolve("usr").toAbsolutePath()));
        assertThat(succeed("systemd-analyze", "verify", "--man=no", moved.toString()))
                .isEmpty();
    }

    /** Runs on an overlay of this machine's file system, which ends with the process's mounts. */
    @Test
    void an_installation_an_upgrade_a_removal_and_a_purge_leave_what_they_should() throws IOException {
        assumeTrue(run("unshare", "--mount", "true").code == 0, "only root may mount");
        Path place = Files.createDirectory(folder.resolve("machine"));
        assertThat(succeed(
                        "unshare",
                        "--mount",
                        "bash",
                        "-euc",
                        """
                mount -t tmpfs none "$0"
                mkdir "$0/upper" "$0/work" "$0/root"
                mount -t overlay overlay -o "lowerdir=/,upperdir=$0/upper,workdir=$0/work" "$0/root"
                for seen in dev proc; do mount --rbind /$seen "$0/root/$seen"; done
                cp "$1" "$0/root/package.deb"
                exec chroot "$0/root" bash -euxc '
                  export PATH=$PATH:/usr/sbin:/sbin DEBIAN_FRONTEND=noninteractive
                  here() { for path; do test -e "$path"; done; }
                  gone() { for path; do if test -e "$path"; then exit 1; fi; done; }
                  gone /etc/chain-walletd /var/lib/chain-walletd
                  dpkg -i --force-depends /package.deb
                  test "$(stat -c %U:%a /var/lib/chain-walletd)" = walletd:700
                  test "$(stat -c %U:%a:%s /etc/chain-walletd/passphrase)" = root:600:0
                  setpriv --reuid walletd --regid walletd --clear-groups chain-walletd --version
                  echo secret >/etc/chain-walletd/passphrase
                  key=/var/lib/chain-walletd/wallets/imported/aa.key.enc
                  install -D -o walletd /dev/null $key
                  dpkg -i --force-depends /package.deb
                  here $key /usr/bin/chain-walletd
                  grep -q secret /etc/chain-walletd/passphrase
                  dpkg -r chain-walletd
                  gone /usr/lib/chain-walletd /usr/bin/chain-walletd /lib/systemd/system/chain-walletd.service
                  here $key /etc/chain-walletd/walletd.conf /etc/chain-walletd/passphrase
                  dpkg -P chain-walletd
                  here $key /etc/chain-walletd/passphrase
                  dpkg -i --force-depends /package.deb
                  rm $key
                  dpkg -P chain-walletd
                  gone /var/lib/chain-walletd /etc/chain-walletd /usr/share/doc/chain-walletd
                  if getent passwd walletd; then exit 1; fi
                  echo whole
                '""",
                        place.toString(),
                        Path.of(deb).toAbsolutePath().toString()))
                .endsWith("whole\n");
    }

    private record Ended(int code, String said) {}

    private static String succeed(String... words) {
        Ended ended = run(words);
        assertThat(ended.code).as("%s%n%s", List.of(words), ended.said).isZero();
        return ended.said;
    }

    private static Ended run(String... words) {
        try {
            ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
            builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
            builder.environment().put("WALLETD_ARCHIVE", "off");
            Process process = builder.start();
            String said = Await.output(process);
            return new Ended(Await.exit(process), said);
        } catch (IOException e) {
            return new Ended(-1, e.toString());
        }
    }
}
