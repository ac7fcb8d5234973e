package org.chainwalletd.keyring;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.evm.EvmKeyChanges;
import org.chainwalletd.keyring.evm.EvmKeyFiles;
import org.chainwalletd.keyring.evm.NewEvmKey;
import org.chainwalletd.keyring.store.Flows;
import org.chainwalletd.keyring.store.FolderStore;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyNote;
import org.chainwalletd.keyring.store.KeyTable;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.keyring.store.SecretText;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.files.DatadirLock;

/**
 * Subcommand {@code migrate --from <dir>}: imports raw secrets (interface.md, section 1.2). Each file is named after its address, {@code
 * <64 hex>.key} or with another or no extension, and holds either 32 raw bytes or one secret of 64 hex characters as returned by {@code
 * reveal_private_key}. A file named after an account-chain address, {@code 0x<40 hex>.key}, holds an account-chain secret. Any other file
 * is refused and named, and the import continues. The source files are not changed.
 */
public final class Migrate {
    /** Account-chain address, with an optional extension. */
    private static final Pattern EVM_NAME = Pattern.compile("0[xX][0-9a-fA-F]{40}(\\..*)?");

    /** 64 characters and a line end. */
    private static final int LONGEST = 2 * Ed25519.SEED_LENGTH + 2;

    private final KeyringSetup setup;
    private final PrintStream out;
    private final PrintStream err;
    private int imported;
    private int present;
    private int refused;

    public Migrate(KeyringSetup setup, PrintStream out, PrintStream err) {
        this.setup = setup;
        this.out = out;
        this.err = err;
    }

    /**
     * @param passphrase of the keystore; closed here
     * @return exit code: 0 when every file was imported or its key was present already, 1 when some files were refused, 2 when the import
     *     could not start or stopped half way; it can then be run again
     */
    public int run(SecretBytes passphrase, Path from) {
        try (passphrase) {
            DatadirLock lock =
                    DatadirLock.acquire(setup.wallets().toAbsolutePath().getParent());
            try (lock) {
                return migrate(passphrase, from);
            }
        } catch (IOException | KeyringException e) {
            err.println("migrate: " + e.getMessage());
            return 2;
        }
    }

    private int migrate(SecretBytes passphrase, Path from) throws IOException {
        List<Path> files = filesIn(from);
        OfflineKeyring keyring = new OfflineKeyring(setup, passphrase);
        for (Path file : files) {
            take(keyring, file);
        }
        keyring.flush();
        out.println("migrated " + imported + " keys, " + present + " were there already, " + refused
                + " files were refused");
        return refused == 0 ? 0 : 1;
    }

    private static List<Path> filesIn(Path from) throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(from)) {
            found.forEach(files::add);
        } catch (IOException e) {
            throw new IOException("cannot read the folder " + from, e);
        }
        Collections.sort(files);
        return files;
    }

    private void take(OfflineKeyring keyring, Path file) {
        try {
            String name = file.getFileName().toString();
            if (EVM_NAME.matcher(name).matches()) {
                takeEvm(keyring, file, name);
                return;
            }
            NewKey key = keyring.keyOf(secretIn(file));
            if (!name.split("\\.", 2)[0].equalsIgnoreCase(key.address().hex())) {
                key.close();
                refuse(file, "its name is not the address of its secret");
            } else if (keyring.contains(key.address())) {
                key.close();
                present++;
            } else {
                keyring.store(key);
                imported++;
            }
        } catch (IOException e) {
            refuse(file, e.getMessage());
        }
    }

    private void takeEvm(OfflineKeyring keyring, Path file, String name) throws IOException {
        NewEvmKey key;
        try (SecretBytes hex = secretIn(file)) {
            key = NewEvmKey.ofSecret(SecretText.parseHex("the secret", hex));
        } catch (RefusedException e) {
            throw new IOException("it holds no secp256k1 secret", e);
        }
        if (!name.split("\\.", 2)[0].equalsIgnoreCase(key.address().toString())) {
            key.close();
            refuse(file, "its name is not the account-chain address of its secret");
        } else if (keyring.contains(key.address())) {
            key.close();
            present++;
        } else {
            keyring.store(key);
            imported++;
        }
    }

    private void refuse(Path file, String why) {
        refused++;
        err.println("refused " + file + ": " + why);
    }

    /** Returns the secret as 64 hex characters. */
    private static SecretBytes secretIn(Path file) throws IOException {
        try (SecretBytes content = read(file)) {
            if (content.length() == Ed25519.SEED_LENGTH) {
                return SecretText.hex(content);
            }
            return content.use(Migrate::revealed);
        }
    }

    private static SecretBytes revealed(byte[] text) throws IOException {
        int length = text.length;
        while (length > 0 && text[length - 1] <= ' ') {
            length--;
        }
        if (length != 2 * Ed25519.SEED_LENGTH || !isHex(text, length)) {
            throw new IOException("it holds neither 32 raw bytes nor one secret of 64 hex characters");
        }
        return SecretBytes.takeOver(Arrays.copyOf(text, length));
    }

    private static SecretBytes read(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            throw new IOException("it is not a file");
        }
        try {
            return SecretText.read(file, LONGEST + 1);
        } catch (IOException e) {
            throw new IOException("it cannot be read", e);
        }
    }

    private static boolean isHex(byte[] text, int length) {
        for (int i = 0; i < length; i++) {
            if (Character.digit((char) (text[i] & 0xff), 16) < 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Keyring without its actor, for subcommands that run instead of the daemon; everything happens on the caller's thread. The caller
     * holds the datadir's lock.
     */
    private static final class OfflineKeyring {
        /** Number of keys that share one write of {@code state.json}. */
        private static final int BATCH = 100;

        private final Sealer sealer;
        private final KeyWork work;
        private final KeyringStore store;
        private final SecretBytes passphrase;
        private final KeyTable table;
        private final EvmKeyChanges evmChanges;
        private EvmKeyChanges.Known evmKnown;
        private final List<KeyEntry> stored = new ArrayList<>();
        private final Map<Address, KeyNote> notes = new HashMap<>();

        /** Opens the keyring like the daemon, with the same failures. */
        OfflineKeyring(KeyringSetup setup, SecretBytes passphrase) {
            KeyringSetup here = setup.withExecutors(KeyringSetup.Executors.onCallersThread());
            this.store = FolderStore.open(here, true);
            this.sealer = here.sealer();
            this.work = new KeyWork(here, store);
            this.passphrase = passphrase;
            store.make();
            KeyringStore.Listing found = Flows.join(
                    new KeyringLoader(here, store).load(CompletableFuture.completedFuture(null), passphrase));
            this.table = new KeyTable(found.view(), new AtomicReference<>());
            this.evmChanges =
                    new EvmKeyChanges(new EvmKeyFiles(here, store), passphrase, this::recordEvmKey, here.clock());
            this.evmKnown = new EvmKeyChanges.Known(found.view().evmKey(), found.keptEvm(), seedsAddress(found));
        }

        boolean contains(Address address) {
            return table.contains(address)
                    || stored.stream().anyMatch(entry -> entry.address().equals(address));
        }

        private Optional<EvmAddress> seedsAddress(KeyringStore.Listing found) {
            if (!found.seeded()) {
                return Optional.empty();
            }
            try (SecretBytes secret = work.evmSecretOfSeed(passphrase)) {
                return Optional.of(EvmAddress.ofSecret(secret));
            }
        }

        private void recordEvmKey(CrashPoint before, KeyTable.Change.EvmKeyChange change) {
            record(KeyTable.Change.ofEvmKey(before, change, failure -> {}));
        }

        private void record(KeyTable.Change change) {
            KeyTable.Batch batch = table.prepare(List.of(change));
            store.record(batch);
            table.accept(batch);
        }

        boolean contains(EvmAddress address) {
            return evmKnown.has(address);
        }

        /** Imports an account-chain key: as the current one when there is none, otherwise as a kept key beside it. Closes it. */
        void store(NewEvmKey key) {
            try (key) {
                evmKnown = evmChanges.restore(evmKnown, List.of(key));
            }
        }

        /** Seals a key; it is listed at the next {@link #flush}, which a full batch triggers. */
        void store(NewKey key) {
            KeyEntry entry = key.entry();
            KeyNote note = key.note();
            Flows.join(work.storeAll(List.of(key), passphrase, () -> false));
            stored.add(entry);
            notes.put(entry.address(), note);
            if (stored.size() == BATCH) {
                flush();
            }
        }

        /** Lists the keys stored since the last flush. */
        void flush() {
            if (stored.isEmpty()) {
                return;
            }
            record(KeyTable.Change.adding(
                    CrashPoint.IMPORT_BEFORE_STATE, List.copyOf(stored), Map.copyOf(notes), failure -> {}));
            stored.clear();
            notes.clear();
        }

        NewKey keyOf(SecretBytes secretHex) {
            return NewKey.ofSecret(sealer, secretHex, Optional.empty());
        }
    }
}
