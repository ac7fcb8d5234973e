package org.chainwalletd.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.chainwalletd.config.Settings;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.store.DatadirLock;

/** The datadir (interface.md, section 1.4): there, private, not in use, with room, and its files whole as far as one sees from outside. */
public final class DatadirCheck implements Check {
    private static final String SUBJECT = "datadir";
    private static final String KEYRING = "keyring";
    private static final long MEBIBYTE = 1024 * 1024;
    private static final long LEAST_FREE = 64 * MEBIBYTE;
    private static final long LITTLE_FREE = 1024 * MEBIBYTE;
    private static final int NAMED = 3;
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
        try {
            if (!Files.exists(datadir)) {
                absent(findings);
            } else if (!Files.isDirectory(datadir)) {
                findings.add(Finding.fail(SUBJECT, datadir + " is not a folder; name another with --datadir"));
            } else {
                present(findings);
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
        if (!Files.isWritable(parent)) {
            findings.add(Finding.fail(
                    SUBJECT,
                    datadir + " is not there and " + parent + " does not let it be made; make it, or name another"));
            return;
        }
        findings.add(
                Finding.ok(SUBJECT, datadir + " is not there yet; the first start makes it with an empty keyring"));
        space(parent, findings);
    }

    private void present(List<Finding> findings) throws IOException {
        modes(findings);
        lock(findings);
        space(datadir, findings);
        keyring(findings);
        tokens(findings);
        certificate(findings);
        genesis(findings);
    }

    private void modes(List<Finding> findings) throws IOException {
        if (!Files.isReadable(datadir) || !Files.isWritable(datadir) || !Files.isExecutable(datadir)) {
            findings.add(Finding.fail(
                    SUBJECT,
                    "this user cannot read and write " + datadir + "; run as its owner, "
                            + Files.getOwner(datadir).getName()));
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
            findings.add(Finding.warn(SUBJECT, "others may use " + named(open) + "; run: chmod -R go-rwx " + datadir));
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
        try {
            DatadirLock.acquire(datadir).close();
            findings.add(Finding.ok("lock", "no daemon is running on the datadir"));
        } catch (DatadirLock.HeldException e) {
            findings.add(
                    Finding.warn("lock", "a daemon is running on the datadir; a second one would refuse to start"));
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

    private void keyring(List<Finding> findings) throws IOException {
        Path wallets = datadir.resolve("wallets");
        Path state = wallets.resolve("state.json");
        if (!Files.exists(wallets)) {
            findings.add(Finding.ok(KEYRING, "there is none yet"));
            return;
        }
        Set<String> sealed = sealedKeys(wallets.resolve("imported"));
        if (!Files.exists(state)) {
            findings.add(
                    sealed.isEmpty()
                            ? Finding.ok(KEYRING, "it is empty")
                            : Finding.fail(
                                    KEYRING,
                                    state + " is missing although there are " + sealed.size()
                                            + " key files; restore it from a backup"));
            return;
        }
        JsonNode listed = readState(state, findings);
        if (listed == null) {
            return;
        }
        List<String> lost = new ArrayList<>();
        listed.path("imported").forEach(address -> {
            if (!sealed.remove(address.asText())) {
                lost.add(address.asText());
            }
        });
        if (!lost.isEmpty()) {
            findings.add(Finding.fail(
                    KEYRING,
                    lost.size() + " keys are listed in " + state + " and have no file, " + named(lost)
                            + "; restore them from a backup"));
        } else {
            findings.add(Finding.ok(
                    KEYRING,
                    listed.path("imported").size() + " keys of their own, "
                            + listed.path("derived").size() + " derived"
                            + (Files.exists(wallets.resolve("seed.enc")) ? " from a seed" : "")));
        }
        if (!sealed.isEmpty()) {
            findings.add(
                    Finding.warn(
                            KEYRING,
                            sealed.size() + " key files are not listed in " + state
                                    + "; if they are not leftovers of an interrupted import, keep them and import their secrets"));
        }
    }

    private static JsonNode readState(Path state, List<Finding> findings) {
        try {
            JsonNode read = new ObjectMapper().readTree(state.toFile());
            if (read.isObject()) {
                return read;
            }
        } catch (IOException e) {
            findings.add(Finding.fail(KEYRING, state + " cannot be read; restore it from a backup"));
            return null;
        }
        findings.add(Finding.fail(KEYRING, state + " is no JSON object; restore it from a backup"));
        return null;
    }

    private static Set<String> sealedKeys(Path imported) throws IOException {
        Set<String> addresses = new HashSet<>();
        if (Files.isDirectory(imported)) {
            try (Stream<Path> files = Files.list(imported)) {
                files.map(file -> file.getFileName().toString())
                        .filter(name -> name.matches("[0-9a-f]{64}\\.key\\.enc"))
                        .forEach(name -> addresses.add(name.substring(0, 64)));
            }
        }
        return addresses;
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
        List<String> missing = Stream.of("cert.pem", "cert.key", "cert.fingerprint")
                .filter(name -> !Files.exists(datadir.resolve(name)))
                .toList();
        if (!settings.http().tls()) {
            return;
        }
        if (missing.isEmpty()) {
            findings.add(Finding.ok("certificate", datadir.resolve("cert.pem").toString()));
        } else if (missing.size() == 3) {
            findings.add(Finding.ok("certificate", "the first start with --tls makes one"));
        } else {
            findings.add(
                    Finding.fail(
                            "certificate",
                            named(missing)
                                    + " missing beside the others; restore it, or delete all three and restart for a new certificate"));
        }
    }

    private void genesis(List<Finding> findings) {
        try {
            new GenesisFile(datadir)
                    .read()
                    .ifPresentOrElse(
                            pinned -> findings.add(
                                    settings.expectGenesis()
                                                    .filter(expected -> !expected.equals(pinned))
                                                    .isPresent()
                                            ? Finding.warn(
                                                    "genesis",
                                                    "the datadir was used with chain " + pinned
                                                            + " and --expect-genesis names another one")
                                            : Finding.ok("genesis", "pinned to " + pinned)),
                            () -> findings.add(Finding.ok(
                                    "genesis",
                                    settings.expectGenesis()
                                            .map(expected -> "expected is " + expected)
                                            .orElse("none pinned; the first one seen will be"))));
        } catch (IllegalStateException | UncheckedIOException e) {
            findings.add(Finding.fail("genesis", e.getMessage()));
        }
    }

    private static String named(List<String> all) {
        String first = String.join(", ", all.subList(0, Math.min(NAMED, all.size())));
        return all.size() > NAMED ? first + " and " + (all.size() - NAMED) + " more" : first;
    }
}
