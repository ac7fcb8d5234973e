package org.chainwalletd.doctor;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.chainwalletd.boot.StartupRefusals;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.store.DatadirLock;
import org.chainwalletd.store.SqliteStore;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.books.Books;

/** The datadir (interface.md, section 1.4): there, private, not in use, with room, and its files there as far as one sees from outside. */
public final class DatadirCheck implements Check {
    private static final String SUBJECT = "datadir";
    private static final String GENESIS = "genesis";
    private static final String STORE = "store";
    private static final long MEBIBYTE = 1024 * 1024;
    private static final long LEAST_FREE = 64 * MEBIBYTE;
    private static final long LITTLE_FREE = 1024 * MEBIBYTE;
    private static final List<String> CERTIFICATE_FILES = List.of("cert.pem", "cert.key", "cert.fingerprint");
    private static final Set<PosixFilePermission> OTHERS = EnumSet.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.GROUP_EXECUTE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE,
            PosixFilePermission.OTHERS_EXECUTE);

    private final Settings settings;
    private final Path datadir;

    public DatadirCheck(Settings settings) {
        this.settings = settings;
        this.datadir = settings.datadir();
    }

    @Override
    public List<Finding> examine() {
        List<Finding> findings = new ArrayList<>();
        StartupRefusals.of(settings).forEach(refusal -> findings.add(Finding.fail(SUBJECT, refusal)));
        try {
            if (Files.isDirectory(datadir)) {
                present(findings);
            } else if (findings.isEmpty()) {
                absent(findings);
            }
        } catch (IOException e) {
            findings.add(Finding.fail(SUBJECT, datadir + " cannot be looked at: " + e));
        }
        return findings;
    }

    private void absent(List<Finding> findings) throws IOException {
        Path parent = datadir;
        while (!Files.exists(parent)) {
            parent = parent.getParent();
        }
        findings.add(
                Finding.ok(SUBJECT, datadir + " is not there yet; the first start makes it with an empty keyring"));
        space(parent, findings);
    }

    private void present(List<Finding> findings) throws IOException {
        modes(findings);
        lock(findings);
        space(datadir, findings);
        store(findings);
        findings.addAll(new KeyringCheck(settings.wallets()).examine());
        tokens(findings);
        certificate(findings);
        genesis(findings);
    }

    private void modes(List<Finding> findings) throws IOException {
        if (!Files.isReadable(datadir) || !Files.isExecutable(datadir)) {
            return;
        }
        List<String> open = new ArrayList<>();
        try (Stream<Path> files = Files.walk(datadir, 3)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                if (isOpenToOthers(file)) {
                    open.add(file + " (" + PosixFilePermissions.toString(Files.getPosixFilePermissions(file)) + ")");
                }
            }
        }
        if (open.isEmpty()) {
            findings.add(Finding.ok(SUBJECT, datadir + " is private to its owner"));
        } else {
            findings.add(Finding.warn(
                    SUBJECT, "others may use " + Finding.named(open) + "; run: chmod -R go-rwx " + datadir));
        }
    }

    private static boolean isOpenToOthers(Path file) throws IOException {
        if (Files.isSymbolicLink(file) || file.getFileName().toString().equals(DatadirLock.FILE)) {
            return false;
        }
        return Files.getPosixFilePermissions(file).stream().anyMatch(OTHERS::contains);
    }

    private void lock(List<Finding> findings) throws IOException {
        if (!Files.exists(datadir.resolve(DatadirLock.FILE))) {
            findings.add(Finding.ok("lock", "no daemon has used the datadir yet"));
            return;
        }
        findings.add(
                isRunningOn(datadir)
                        ? Finding.warn("lock", "a daemon is running on the datadir; a second one would refuse to start")
                        : Finding.ok("lock", "no daemon is running on the datadir"));
    }

    /** Whether a daemon holds the datadir. */
    static boolean isRunningOn(Path datadir) throws IOException {
        if (!Files.exists(datadir.resolve(DatadirLock.FILE))) {
            return false;
        }
        try {
            DatadirLock.acquire(datadir).close();
            return false;
        } catch (DatadirLock.HeldException e) {
            return true;
        }
    }

    private void store(List<Finding> findings) {
        try {
            findings.add(SqliteStore.look(datadir, Books.remembered(datadir))
                    .map(stopped -> Finding.fail(STORE, stopped))
                    .orElseGet(() -> Finding.ok(STORE, "nothing beside it remembers payments that it has forgotten")));
        } catch (StoreException e) {
            findings.add(Finding.fail(STORE, e.getMessage()));
        }
    }

    private static void space(Path folder, List<Finding> findings) throws IOException {
        FileStore store = Files.getFileStore(folder);
        long free = store.getUsableSpace();
        String text = free / MEBIBYTE + " MiB free";
        if (store.isReadOnly()) {
            findings.add(Finding.fail("disk", folder + " is on a file system that is mounted read-only"));
        } else if (free < LEAST_FREE) {
            findings.add(Finding.fail("disk", text + "; spends and new keys will fail when it is full, make room"));
        } else if (free < LITTLE_FREE) {
            findings.add(Finding.warn("disk", text + "; make room soon"));
        } else {
            findings.add(Finding.ok("disk", text));
        }
    }

    private void tokens(List<Finding> findings) throws IOException {
        for (String scope : List.of("read", "manage", "spend")) {
            Path file = datadir.resolve("token-" + scope);
            if (settings.http().tokenFlags().containsKey(scope)) {
                findings.add(Finding.ok("token " + scope, "configured"));
            } else if (!Files.exists(file)) {
                findings.add(Finding.ok("token " + scope, "the first start makes " + file));
            } else if (Files.readString(file).isBlank()) {
                findings.add(Finding.fail("token " + scope, file + " is empty; delete it and restart for a new one"));
            } else {
                findings.add(Finding.ok("token " + scope, file.toString()));
            }
        }
    }

    private void certificate(List<Finding> findings) {
        if (!settings.http().tls()) {
            return;
        }
        List<String> missing = CERTIFICATE_FILES.stream()
                .filter(name -> !Files.exists(datadir.resolve(name)))
                .toList();
        if (missing.isEmpty()) {
            findings.add(Finding.ok("certificate", datadir.resolve("cert.pem").toString()));
        } else if (missing.size() == CERTIFICATE_FILES.size()) {
            findings.add(Finding.ok("certificate", "the first start with --tls makes one"));
        } else {
            findings.add(
                    Finding.fail(
                            "certificate",
                            Finding.named(missing)
                                    + " missing beside the others; restore it, or delete all three and restart for a new certificate"));
        }
    }

    private void genesis(List<Finding> findings) {
        try {
            findings.add(new GenesisFile(datadir).read().map(this::pinned).orElseGet(this::notPinned));
        } catch (IllegalStateException | UncheckedIOException e) {
            findings.add(Finding.fail(GENESIS, e.getMessage()));
        }
    }

    private Finding pinned(Hash256 pinned) {
        return Finding.ok(GENESIS, "pinned to " + pinned);
    }

    private Finding notPinned() {
        return Finding.ok(
                GENESIS,
                settings.identity()
                        .genesis()
                        .map(expected -> "expected is " + expected)
                        .orElse("none pinned; the first one seen will be"));
    }
}
