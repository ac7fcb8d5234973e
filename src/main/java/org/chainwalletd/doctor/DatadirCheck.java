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
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;
import org.chainwalletd.boot.DatabaseStore;
import org.chainwalletd.boot.StartupException;
import org.chainwalletd.boot.StartupRefusals;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.files.DatadirLock;
import org.chainwalletd.store.sql.SqliteStore;

/**
 * Check of the datadir (interface.md, section 1.4): existence, privacy, lock, free space, and its files as far as they can be checked from
 * outside.
 */
public final class DatadirCheck implements Doctor.Check {
    private static final String SUBJECT = "datadir";
    private static final String GENESIS = "genesis";
    private static final String STORE = "store";
    private static final long MEBIBYTE = 1024 * 1024;
    private static final long MIN_FREE = 64 * MEBIBYTE;
    private static final long LOW_FREE = 1024 * MEBIBYTE;
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
            if (Files.isDirectory(datadir) && !(Files.isReadable(datadir) && Files.isExecutable(datadir))) {
                findings.add(Finding.warn(
                        SUBJECT,
                        "nothing in it was looked at: it is private to the user " + Files.getOwner(datadir)
                                + ", so run doctor as that user or as root"));
            } else if (Files.isDirectory(datadir)) {
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
        if (settings.database().isPresent()) {
            store(findings);
        }
    }

    private void present(List<Finding> findings) throws IOException {
        modes(findings);
        lock(findings);
        space(datadir, findings);
        store(findings);
        keyring(findings);
        tokens(findings);
        certificate(findings);
        genesis(findings);
    }

    private void keyring(List<Finding> findings) {
        try {
            if (settings.database().isPresent()) {
                OptionalInt keys = DatabaseStore.keys(settings.database().get());
                if (keys.isPresent()) {
                    findings.add(Finding.ok(
                            "keyring",
                            keys.getAsInt() + " keys in " + settings.database().get()));
                    return;
                }
            }
        } catch (StartupException e) {
            findings.add(Finding.fail("keyring", e.getMessage()));
            return;
        }
        findings.addAll(new KeyringCheck(settings.wallets()).examine());
    }

    private void modes(List<Finding> findings) throws IOException {
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
                DatadirLock.isHeld(datadir)
                        ? Finding.warn("lock", "a daemon is running on the datadir; a second one would refuse to start")
                        : Finding.ok("lock", "no daemon is running on the datadir"));
    }

    private void store(List<Finding> findings) throws IOException {
        try {
            if (settings.database().isPresent()) {
                Settings.Database database = settings.database().get();
                findings.add(DatabaseStore.look(settings, database)
                        .map(stopped -> Finding.fail(STORE, stopped))
                        .orElseGet(() -> Finding.ok(STORE, database + " answers, and a start would use it")));
                return;
            }
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
        } else if (free < MIN_FREE) {
            findings.add(Finding.fail("disk", text + "; spends and new keys will fail when it is full, make room"));
        } else if (free < LOW_FREE) {
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

    /** Check of the wallet directory (interface.md, section 1.4): whether {@code state.json} and the key files agree. Unseals nothing. */
    static final class KeyringCheck implements Doctor.Check {
        private static final String SUBJECT = "keyring";
        private static final String EVM_KEY_FILE = "evm.key.enc";
        private static final String KEY_FILE = "[0-9a-f]{64}\\.key\\.enc";
        private static final int HEX_ADDRESS = 64;

        private final Path wallets;
        private final Path state;

        KeyringCheck(Path wallets) {
            this.wallets = wallets;
            this.state = wallets.resolve("state.json");
        }

        @Override
        public List<Finding> examine() {
            try {
                return Files.exists(wallets)
                        ? compare(sealedKeys())
                        : List.of(Finding.ok(SUBJECT, "there is none yet"));
            } catch (IOException e) {
                return List.of(Finding.fail(SUBJECT, wallets + " cannot be looked at: " + e));
            }
        }

        private List<Finding> compare(Set<String> sealed) {
            if (Files.exists(state)) {
                JsonNode listed = readState();
                return listed.isObject()
                        ? compare(listed, sealed)
                        : List.of(Finding.fail(SUBJECT, state + " cannot be read; restore it from a backup"));
            }
            return List.of(
                    sealed.isEmpty()
                            ? Finding.ok(SUBJECT, "it is empty")
                            : Finding.fail(
                                    SUBJECT,
                                    state + " is missing although there are " + sealed.size()
                                            + " key files; restore it from a backup"));
        }

        private List<Finding> compare(JsonNode listed, Set<String> sealed) {
            Set<String> unlisted = new HashSet<>(sealed);
            List<String> lost = new ArrayList<>();
            listed.path("imported").forEach(address -> {
                if (!unlisted.remove(address.asText())) {
                    lost.add(address.asText());
                }
            });
            List<Finding> findings = new ArrayList<>();
            findings.add(lost.isEmpty() ? complete(listed) : lost(lost));
            if (!unlisted.isEmpty()) {
                findings.add(
                        Finding.warn(
                                SUBJECT,
                                unlisted.size() + " key files are not listed in " + state
                                        + "; if they are not leftovers of an interrupted import, keep them and import their secrets"));
            }
            evmFinding(listed.path("evm_key").path("address").asText()).ifPresent(findings::add);
            return findings;
        }

        /** @param address address of the account-chain key; empty if none is listed */
        private Optional<Finding> evmFinding(String address) {
            Path current = wallets.resolve("imported").resolve(EVM_KEY_FILE);
            if (address.isEmpty()) {
                return Files.exists(current)
                        ? Optional.of(Finding.warn(
                                SUBJECT,
                                current + " holds an account-chain key that " + state
                                        + " does not name; the next one that is made keeps it by its address"))
                        : Optional.empty();
            }
            String digits = address.startsWith("0x") ? address.substring(2).toLowerCase(Locale.ROOT) : address;
            Path own = wallets.resolve("evm").resolve(digits + ".key.enc");
            return Files.exists(current) || Files.exists(own)
                    ? Optional.of(Finding.ok(SUBJECT, "the account-chain key " + address))
                    : Optional.of(Finding.fail(
                            SUBJECT,
                            "the account-chain key " + address + " is listed in " + state + " and " + current
                                    + " is missing; restore it from a backup"));
        }

        private Finding complete(JsonNode listed) {
            return Finding.ok(
                    SUBJECT,
                    listed.path("imported").size() + " keys of their own, "
                            + listed.path("derived").size() + " derived"
                            + (Files.exists(wallets.resolve("seed.enc")) ? " from a seed" : ""));
        }

        private Finding lost(List<String> addresses) {
            return Finding.fail(
                    SUBJECT,
                    addresses.size() + " keys are listed in " + state + " and have no file, " + Finding.named(addresses)
                            + "; restore them from a backup");
        }

        /** Reads the state; invalid JSON yields a missing node. */
        private JsonNode readState() {
            ObjectMapper json = new ObjectMapper();
            try {
                return json.readTree(state.toFile());
            } catch (IOException e) {
                return json.missingNode();
            }
        }

        private Set<String> sealedKeys() throws IOException {
            Set<String> addresses = new HashSet<>();
            Path imported = wallets.resolve("imported");
            if (Files.isDirectory(imported)) {
                try (Stream<Path> files = Files.list(imported)) {
                    files.map(file -> file.getFileName().toString())
                            .filter(name -> name.matches(KEY_FILE))
                            .forEach(name -> addresses.add(name.substring(0, HEX_ADDRESS)));
                }
            }
            return addresses;
        }
    }
}
