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
    /** Every key, phrase and seed file: 32 bytes, sealed. */
    static final int SEALED_LENGTH = SealedBlob.OVERHEAD + 32;

    private final Path wallets;
    private final Path imported;

    /** @param wallets {@code <datadir>/wallets} */
    public KeyFolder(Path wallets) {
        this.wallets = wallets;
        this.imported = wallets.resolve(IMPORTED);
    }

    /** Makes the folders (0700) and clears away what a crash left of half written files. */
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

    /** Not beside the keys of addresses, so that whoever lists them need not look at a hundred thousand others. */
    private Path keptEvmFolder() {
        return wallets.resolve(EVM);
    }

    /** The addresses that have a key file by their own name. */
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

    /** @throws IOException when a keyring was made here before */
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

    /** In this order. The snapshot may still name an address that goes; the next upkeep makes another one. */
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

    /**
     * @throws KeyringException with {@link Reason#LOCKED} that names a file which is missing or no sealed file
     */
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

    /** Finds one of the 1:1 keys, whichever the file system names first. */
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

    /** Something that the passphrase can be proved on. */
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
     * Result of one look at all key files.
     *
     * @param damaged listed addresses whose file is missing or has another length than a sealed key
     * @param unlisted addresses with a file that are not listed
     */
    record Inventory(Set<Address> damaged, Set<Address> unlisted) {
        void reportUnlisted(KeyFolder folder) {
            if (!unlisted.isEmpty()) {
                LOG.warn(
                        "{} key files belong to no listed address and are left alone (a crash before their address was given out, a"
                                + " deletion that a crash cut short, or copied here by hand): {}",
                        unlisted.size(),
                        folder.paths(unlisted));
            }
        }
    }

    /** Compares the folder with the list and looks at each listed file. */
    Inventory inventory(Collection<Address> listed) throws IOException {
        Inventory found = unlistedBeside(listed);
        listed.stream().filter(address -> !isWhole(address)).forEach(found.damaged()::add);
        return found;
    }

    /** Compares the names in the folder with the list; only missing files count as damaged. */
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

    /** The first few key files by name. */
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

    /** Removes what was left half written before {@code start} of writing a key or phrase. */
    void clearHalfWritten(Instant start) throws IOException {
        String[] names = imported.toFile().list((folder, name) -> name.startsWith(".") && name.endsWith(".tmp"));
        for (String name : names == null ? new String[0] : names) {
            Path temp = imported.resolve(name);
            if (isOlder(temp, start)) {
                Files.deleteIfExists(temp);
            }
        }
    }

    /** Whether {@code file} is there and was written before {@code start}, as far as the clocks of file systems tell. */
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
