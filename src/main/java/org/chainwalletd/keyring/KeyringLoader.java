package org.chainwalletd.keyring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.crypto.UnsealException;
import org.chainwalletd.keyring.KeyringException.Reason;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens the files of a keyring at start: reads {@code state.json} and the public keys, or a snapshot of exactly these, sees that every
 * listed key has its file, and proves the passphrase on one sealed file, at the same time. Nothing is unsealed beyond that one.
 *
 * <p>Damage stops the start with a message that names the file and the way out; nothing is replaced.
 */
final class KeyringLoader {
    private static final Logger LOG = LoggerFactory.getLogger(KeyringLoader.class);
    /** Up to this many key files are looked at before the start goes on; those of a larger keyring after it. */
    static final int CHECKED_AT_START = 1_000;

    private final KeyringSetup setup;
    private final KeyFolder folder;
    private final PublicKeyFiles publicKeys;
    private final Snapshot snapshot;

    KeyringLoader(KeyringSetup setup, KeyFolder folder, PublicKeyFiles publicKeys) {
        this.setup = setup;
        this.folder = folder;
        this.publicKeys = publicKeys;
        this.snapshot = new Snapshot(folder);
    }

    /**
     * @param seeded whether there is a legacy seed to derive keys from
     * @param hasSnapshot whether the next start can do without {@code state.json} as it is
     */
    record Loaded(KeyringView view, boolean seeded, boolean hasSnapshot) {}

    /** There is a keyring, an empty one if need be, when this is complete. Fails with {@link KeyringException}. */
    CompletableFuture<Void> make() {
        return CompletableFuture.runAsync(this::createFolders, setup.executors().disk());
    }

    /**
     * Fails with {@link KeyringException}: LOCKED for a wrong passphrase, STORAGE for damage.
     *
     * @param made the stage of {@link #make}
     */
    CompletableFuture<Loaded> load(CompletableFuture<Void> made, SecretBytes passphrase) {
        Executor disk = setup.executors().disk();
        Executor argon2 = setup.executors().argon2();
        CompletableFuture<Loaded> view = made.thenApplyAsync(done -> read(), disk);
        CompletableFuture<Proof> proved = made.thenApplyAsync(done -> prove(passphrase), argon2);
        return view.thenCombineAsync(proved, (read, proof) -> conclude(read, proof, passphrase), argon2);
    }

    private void createFolders() {
        try {
            folder.create();
            if (!Files.exists(folder.state())) {
                refuseLostState();
                new StateFile(folder.state()).write(KeyringView.of(List.of(), 0, Map.of()), false);
            }
        } catch (IOException e) {
            throw KeyFolder.storage("cannot open the keyring at", folder.state(), e);
        }
    }

    /** An empty one in its place would forget keys, and give the addresses of a seed out a second time. */
    private void refuseLostState() throws IOException {
        if (folder.anyKey().isPresent() || !publicKeys.load().isEmpty()) {
            throw new KeyringException(
                    Reason.STORAGE,
                    folder.state()
                            + " is missing although the keyring was in use; restore it from a backup. Without one,"
                            + " write one by hand whose \"imported\" lists the addresses in the names of the *.key.enc"
                            + " files, and, for a seeded keyring, whose \"next_index\" is above every index in use");
        }
    }

    private Loaded read() {
        Optional<KeyringView> described = snapshot.read().map(this::withLearntKeys);
        KeyringView view = described.orElseGet(this::readState);
        boolean seeded = folder.isSeeded();
        if (view.hasDerived() && !seeded) {
            throw new KeyringException(
                    Reason.STORAGE,
                    folder.seed() + " is missing although " + folder.state()
                            + " lists derived addresses; restore it from a backup");
        }
        if (view.size() <= CHECKED_AT_START) {
            try {
                checkFiles(view.imported());
            } catch (IOException e) {
                throw KeyFolder.storage("cannot read the files beside", folder.state(), e);
            }
        }
        return new Loaded(view, seeded, described.isPresent());
    }

    /** Public keys are learnt without a change of {@code state.json}. */
    private KeyringView withLearntKeys(KeyringView view) {
        return view.hasAllPublicKeys() ? view : view.with(knownKeys());
    }

    private PublicKeyFiles.Found knownKeys() {
        try {
            return publicKeys.load();
        } catch (IOException e) {
            throw KeyFolder.storage("cannot read the files beside", folder.state(), e);
        }
    }

    private KeyringView readState() {
        PublicKeyFiles.Found keys = knownKeys();
        Path file = folder.state();
        try {
            return StateReader.read(Files.readAllBytes(file), keys);
        } catch (IOException e) {
            throw new KeyringException(
                    Reason.STORAGE,
                    file + " cannot be read: " + e.getMessage()
                            + ". It is the only record of the keys: restore it from a backup; it was not changed");
        }
    }

    private void checkFiles(List<Address> listed) throws IOException {
        folder.clearHalfWritten(Instant.MAX);
        KeyFolder.Inventory found = folder.inventory(listed);
        if (!found.damaged().isEmpty()) {
            throw new KeyringException(
                    Reason.STORAGE,
                    "key files of " + found.damaged().size() + " listed addresses are missing or damaged: "
                            + folder.paths(found.damaged())
                            + ". Restore them from a backup, or, to go on without these keys, take"
                            + " their addresses out of \"imported\" in " + folder.state());
        }
        found.reportUnlisted(folder);
    }

    /** What trying the passphrase on one sealed file showed; {@code tried} is null when there is none to try. */
    private record Proof(boolean opened, Path tried) {}

    private Proof prove(SecretBytes passphrase) {
        try {
            if (folder.isSeeded()) {
                return attempt(SealedRole.SEED, folder.seed(), passphrase);
            }
            Optional<Path> key = folder.anyKey();
            if (key.isPresent()) {
                return attempt(SealedRole.IMPORTED, key.get(), passphrase);
            }
            return Files.exists(folder.check())
                    ? attempt(SealedRole.CHECK, folder.check(), passphrase)
                    : new Proof(true, null);
        } catch (IOException e) {
            throw KeyFolder.storage("cannot read", folder.state(), e);
        }
    }

    private Proof attempt(SealedRole role, Path file, SecretBytes passphrase) {
        try {
            setup.sealer().open(role, passphrase, folder.read(file)).close();
            return new Proof(true, file);
        } catch (UnsealException | KeyringException e) {
            return new Proof(false, file);
        }
    }

    /**
     * A file that does not open may be damaged: another one that does open says that the passphrase is right. The key file of no listed address
     * says nothing while there is a better one: somebody may have copied it here from a keyring with a passphrase of its own.
     */
    private Loaded conclude(Loaded loaded, Proof proof, SecretBytes passphrase) {
        KeyringView view = loaded.view();
        boolean ours = proof.tried() == null || isOurs(proof.tried(), view);
        if (proof.opened() && ours) {
            return loaded;
        }
        Optional<Path> another = better(proof.tried(), loaded);
        if (another.isEmpty() && proof.opened()) {
            return loaded;
        }
        SealedRole role = another.equals(Optional.of(folder.check())) ? SealedRole.CHECK : SealedRole.IMPORTED;
        if (another.isPresent() && attempt(role, another.get(), passphrase).opened()) {
            if (ours) {
                LOG.error("the sealed file {} is damaged or sealed under another passphrase", proof.tried());
            }
            return loaded;
        }
        Path refused = ours ? proof.tried() : another.orElse(proof.tried());
        String hint = refused.equals(folder.check())
                ? "; there is no key yet: to choose another passphrase, delete this file"
                : ", or the file is damaged and the only one to try";
        throw new KeyringException(
                Reason.LOCKED, "wrong passphrase: the sealed file " + refused + " does not open" + hint);
    }

    private boolean isOurs(Path file, KeyringView view) {
        return file.equals(folder.seed())
                || file.equals(folder.check())
                || KeyFolder.addressOf(file).filter(view::hasImported).isPresent();
    }

    /** A listed key's file other than {@code tried}, or in a keyring without keys the file that proves its passphrase. */
    private Optional<Path> better(Path tried, Loaded loaded) {
        KeyringView view = loaded.view();
        if (view.size() == 0 && !loaded.seeded() && !folder.check().equals(tried) && Files.exists(folder.check())) {
            return Optional.of(folder.check());
        }
        return view.entries().stream()
                .filter(KeyEntry::imported)
                .map(entry -> folder.key(entry.address()))
                .filter(file -> !file.equals(tried))
                .findFirst();
    }
}
