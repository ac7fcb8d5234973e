package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.evm.EvmKeyChanges;
import org.chainwalletd.keyring.evm.EvmKeyFiles;
import org.chainwalletd.keyring.evm.NewEvmKey;
import org.chainwalletd.keyring.store.EvmKeyRecord;
import org.chainwalletd.keyring.store.Flows;
import org.chainwalletd.keyring.store.FolderStore;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyNote;
import org.chainwalletd.keyring.store.KeyTable;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.store.CrashPoint;

/**
 * A keyring without its actor, for subcommands that run instead of the daemon: everything happens on the caller's thread. The caller holds
 * the datadir's lock.
 */
final class OfflineKeyring {
    /** So many keys share one write of {@code state.json}. */
    private static final int BATCH = 100;

    private final KeyMaker maker;
    private final KeyWork work;
    private final KeyringStore store;
    private final SecretBytes passphrase;
    private final KeyTable table;
    private final EvmKeyChanges evmChanges;
    private EvmKeyChanges.Known evmKnown;
    private final List<KeyEntry> stored = new ArrayList<>();
    private final Map<Address, KeyNote> notes = new HashMap<>();

    /** Opens as the daemon does, with the same refusals. */
    OfflineKeyring(KeyringSetup setup, SecretBytes passphrase) {
        KeyringSetup here = setup.withExecutors(KeyringSetup.Executors.onCallersThread());
        this.store = new FolderStore(here);
        this.maker = new KeyMaker(here.sealer());
        this.work = new KeyWork(here, store);
        this.passphrase = passphrase;
        store.make();
        KeyringStore.Listing found =
                Flows.join(new KeyringLoader(here, store).load(CompletableFuture.completedFuture(null), passphrase));
        this.table = new KeyTable(found.view(), new AtomicReference<>());
        this.evmChanges = new EvmKeyChanges(new EvmKeyFiles(here, store), passphrase, this::recordEvmKey, here.clock());
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

    private void recordEvmKey(CrashPoint before, Optional<EvmKeyRecord> key) {
        record(KeyTable.Change.ofEvmKey(before, key, failure -> {}));
    }

    private void record(KeyTable.Change change) {
        KeyTable.Batch batch = table.prepare(List.of(change));
        store.record(batch);
        table.accept(batch);
    }

    boolean contains(EvmAddress address) {
        return evmKnown.has(address);
    }

    /** Takes in an account-chain key: as the current one when there is none, kept beside it otherwise. Closes it. */
    void store(NewEvmKey key) {
        try (key) {
            evmKnown = evmChanges.restore(evmKnown, List.of(key));
        }
    }

    /** Seals a key; it is listed after {@link #flush}, or earlier. */
    void store(NewKey key) {
        KeyEntry entry = key.entry();
        KeyNote note = key.note();
        Flows.join(work.storeAll(List.of(key), passphrase));
        stored.add(entry);
        notes.put(entry.address(), note);
        if (stored.size() == BATCH) {
            flush();
        }
    }

    /** Makes what was stored part of the keyring. */
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
        return maker.ofSecret(secretHex, Optional.empty());
    }
}
