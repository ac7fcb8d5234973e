package org.chainwalletd.keyring.store;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.config.FileAccess;
import org.chainwalletd.crypto.SealedBlob;
import org.chainwalletd.crypto.SealedBlob.UnsealException;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.store.KeyringException.Reason;
import org.chainwalletd.store.files.AtomicFiles;
import org.chainwalletd.store.files.FileFailures;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Names, reads and writes the sealed files of the wallet directory (interface.md, section 1.4). Blocking. */
public final class KeyFolder {
    static final String STATE = "state.json";
    static final String SEED = "seed.enc";

    private static final Logger LOG = LoggerFactory.getLogger(KeyFolder.class);
    private static final int NAMED = 5;
    private static final String CHECK = "check.enc";
    private static final String SNAPSHOT = "state.snapshot";
    private static final String IMPORTED = "imported";
    private static final String PUBLIC_KEYS = "pubkeys";
    private static final String EVM = "evm";
    private static final String KEY_SUFFIX = ".key.enc";
    private static final String PHRASE_SUFFIX = ".mnemonic.enc";
    private static final int HEX_ADDRESS = 2 * Address.LENGTH;
    /** Length of every key, phrase and seed file: 32 sealed bytes. */
    static final int SEALED_LENGTH = SealedBlob.OVERHEAD + 32;

    private final Path wallets;
    private final Path imported;

    /** @param wallets {@code <datadir>/wallets} */
    public KeyFolder(Path wallets) {
        this.wallets = wallets;
        this.imported = wallets.resolve(IMPORTED);
    }

    /** Creates the folders (0700) and deletes half-written files left by a crash. */
    public void create() throws IOException {
        AtomicFiles.createFolder(imported);
        refuseOneThatOthersChange();
        AtomicFiles.removeLeftovers(wallets);
        AtomicFiles.removeLeftovers(publicKeys());
        AtomicFiles.removeLeftovers(keptEvmFolder());
    }

    private void refuseOneThatOthersChange() throws IOException {
        Optional<String> objection = FileAccess.changeable(wallets);
        if (objection.isPresent()) {
            throw new KeyringException(Reason.STORAGE, objection.get());
        }
    }

    public Path state() {
        return wallets.resolve(STATE);
    }

    Path seed() {
        return wallets.resolve(SEED);
    }

    public Path snapshot() {
        return wallets.resolve(SNAPSHOT);
    }

    public Path publicKeys() {
        return wallets.resolve(PUBLIC_KEYS);
    }

    public Path key(Address address) {
        return path(SealedPlace.key(address));
    }

    public Path path(SealedPlace place) {
        String owner = place.owner().hex();
        return switch (place.kind()) {
            case SEED -> seed();
            case CHECK -> wallets.resolve(CHECK);
            case KEY -> imported.resolve(owner + KEY_SUFFIX);
            case PHRASE -> imported.resolve(owner + PHRASE_SUFFIX);
            case EVM_KEY -> imported.resolve(EVM + KEY_SUFFIX);
            case EVM_PHRASE -> imported.resolve(EVM + PHRASE_SUFFIX);
            case KEPT_EVM_KEY -> keptEvmFolder().resolve(owner + KEY_SUFFIX);
            case KEPT_EVM_PHRASE -> keptEvmFolder().resolve(owner + PHRASE_SUFFIX);
        };
    }

    /** Kept account-chain keys have their own folder, so that listing them need not scan a hundred thousand address keys. */
    private Path keptEvmFolder() {
        return wallets.resolve(EVM);
    }

    /** Returns the account-chain addresses that have a key file named after them. */
    Set<EvmAddress> keptEvm() throws IOException {
        Set<EvmAddress> kept = new HashSet<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(keptEvmFolder(), "*" + KEY_SUFFIX)) {
            for (Path file : files) {
                evmAddressIn(file.getFileName().toString()).ifPresent(kept::add);
            }
        } catch (NoSuchFileException e) {
            return kept;
        }
        return kept;
    }

    private static Optional<EvmAddress> evmAddressIn(String name) {
        try {
            return Optional.of(EvmAddress.parse("0x" + name.substring(0, name.length() - KEY_SUFFIX.length())));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    boolean isSeeded() {
        return Files.exists(seed());
    }

    /** @throws IOException when a keyring was created here before */
    void requireFree() throws IOException {
        if (!isFree()) {
            throw new IOException("there is a keyring already at " + wallets);
        }
    }

    public boolean isFree() throws IOException {
        return !Files.exists(state()) && !isSeeded() && anyKey().isEmpty() && !hasEvmKey();
    }

    private boolean hasEvmKey() {
        return Files.exists(path(SealedPlace.EVM_KEY));
    }

    /**
     * Deletes the files in the given order, and the snapshot before them, which may still name a deleted address; the next upkeep writes a
     * new one.
     */
    void delete(List<SealedPlace> places) {
        Path file = snapshot();
        try {
            AtomicFiles.delete(file);
            for (SealedPlace place : places) {
                file = path(place);
                AtomicFiles.delete(file);
            }
        } catch (IOException e) {
            throw storage("cannot remove", file, e);
        }
    }

    void write(Path file, SealedBlob blob) {
        try {
            if (file.startsWith(keptEvmFolder())) {
                AtomicFiles.createFolder(keptEvmFolder());
            }
            AtomicFiles.write(file, blob.toBytes());
        } catch (IOException e) {
            throw storage("cannot write", file, e);
        }
    }

    /** @throws KeyringException with {@link Reason#LOCKED} and the name of the file when it is missing or not a sealed file */
    public SealedBlob read(Path file) {
        return readIfThere(file)
                .orElseThrow(() -> new KeyringException(
                        Reason.LOCKED, "the sealed file " + file + " is missing; restore it from a backup"));
    }

    Optional<SealedBlob> readIfThere(Path file) {
        try {
            return Optional.of(SealedBlob.parse(Files.readAllBytes(file)));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (UnsealException e) {
            throw new KeyringException(
                    Reason.LOCKED,
                    "the sealed file " + file + " is damaged: " + e.getMessage() + "; restore it from a backup");
        } catch (IOException e) {
            if (Files.isDirectory(file)) {
                throw new KeyringException(
                        Reason.LOCKED, "the sealed file " + file + " is a folder; restore it from a backup");
            }
            throw storage("cannot read", file, e);
        }
    }

    /** Returns any one of the 1:1 keys, the first in directory order. */
    Optional<Address> anyKey() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(imported, "*" + KEY_SUFFIX)) {
            for (Path file : files) {
                Optional<Address> address = addressIn(file.getFileName().toString());
                if (address.isPresent()) {
                    return address;
                }
            }
            return Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    /** Returns a sealed file that the passphrase can be verified against. */
    Optional<SealedPlace> anySealed() throws IOException {
        if (isSeeded()) {
            return Optional.of(SealedPlace.SEED);
        }
        Optional<Address> key = anyKey();
        if (key.isPresent()) {
            return key.map(SealedPlace::key);
        }
        if (hasEvmKey()) {
            return Optional.of(SealedPlace.EVM_KEY);
        }
        return Files.exists(path(SealedPlace.CHECK)) ? Optional.of(SealedPlace.CHECK) : Optional.empty();
    }

    /**
     * Result of a check of all key files.
     *
     * @param damaged listed addresses whose file is missing or does not have the length of a sealed key
     * @param unlisted addresses with a file that are not listed
     */
    record Inventory(Set<Address> damaged, Set<Address> unlisted) {
        void reportUnlisted(KeyFolder folder) {
            if (!unlisted.isEmpty()) {
                LOG.warn(
                        "{} key files belong to no listed address and are left alone (a crash before their address was given out, a"
                                + " deletion interrupted by a crash, or copied here by hand): {}",
                        unlisted.size(),
                        folder.paths(unlisted));
            }
        }
    }

    /** Compares the folder with the list and checks each listed file's length. */
    Inventory inventory(Collection<Address> listed) throws IOException {
        Inventory found = unlistedBeside(listed);
        listed.stream().filter(address -> !isWhole(address)).forEach(found.damaged()::add);
        return found;
    }

    /** Compares the file names in the folder with the list; only missing files count as damaged. */
    Inventory unlistedBeside(Collection<Address> listed) throws IOException {
        Set<Address> unlisted = addressesOnDisk();
        Set<Address> missing = new LinkedHashSet<>();
        for (Address address : listed) {
            if (!unlisted.remove(address)) {
                missing.add(address);
            }
        }
        return new Inventory(missing, unlisted);
    }

    boolean isWhole(Address address) {
        try {
            return Files.size(key(address)) == SEALED_LENGTH;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the paths of the first few key files, for messages. */
    String paths(Collection<Address> addresses) {
        List<String> paths = addresses.stream()
                .limit(NAMED)
                .map(address -> key(address).toString())
                .toList();
        return String.join(", ", paths) + (addresses.size() > NAMED ? " …" : "");
    }

    private Set<Address> addressesOnDisk() throws IOException {
        Set<Address> addresses = new HashSet<>();
        String[] names = imported.toFile().list();
        if (names == null) {
            throw new IOException("cannot read the folder " + imported);
        }
        for (String name : names) {
            addressIn(name).ifPresent(addresses::add);
        }
        return addresses;
    }

    /** Removes temporary files of keys and phrases whose writing was interrupted before {@code start}. */
    void clearHalfWritten(Instant start) throws IOException {
        String[] names = imported.toFile().list((folder, name) -> name.startsWith(".") && name.endsWith(".tmp"));
        for (String name : names == null ? new String[0] : names) {
            Path temp = imported.resolve(name);
            if (isOlder(temp, start)) {
                Files.deleteIfExists(temp);
            }
        }
    }

    /** Whether {@code file} exists and was last written at least a second before {@code start}, a margin for coarse file timestamps. */
    static boolean isOlder(Path file, Instant start) {
        try {
            return Files.getLastModifiedTime(file).toInstant().isBefore(start.minusSeconds(1));
        } catch (IOException e) {
            return false;
        }
    }

    private static Optional<Address> addressIn(String name) {
        if (!name.endsWith(KEY_SUFFIX) || name.length() != HEX_ADDRESS + KEY_SUFFIX.length()) {
            return Optional.empty();
        }
        try {
            return Optional.of(Address.parse(name.substring(0, HEX_ADDRESS)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    static KeyringException storage(String what, Path file, IOException e) {
        return new KeyringException(Reason.STORAGE, what + " " + file + ": " + FileFailures.describe(e));
    }
}
