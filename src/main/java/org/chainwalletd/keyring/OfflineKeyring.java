package org.chainwalletd.keyring;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
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
    private final List<KeyEntry> stored = new ArrayList<>();
    private final Map<Address, KeyNote> notes = new HashMap<>();

    /** Opens as the daemon does, with the same refusals. */
    OfflineKeyring(KeyringSetup setup, SecretBytes passphrase) {
        KeyringSetup here =
                setup.withExecutors(new KeyringSetup.Executors(Runnable::run, Runnable::run, Runnable::run));
        this.store = new FolderStore(here);
        this.maker = new KeyMaker(here, new Births());
        this.work = new KeyWork(here, store);
        this.passphrase = passphrase;
        try {
            KeyringView view = new KeyringLoader(here, store)
                    .load(store.make(), passphrase)
                    .join()
                    .view();
            this.table = new KeyTable(view, new AtomicReference<>());
        } catch (CompletionException e) {
            throw KeyringFailures.of(e);
        }
    }

    boolean contains(Address address) {
        return table.contains(address)
                || stored.stream().anyMatch(entry -> entry.address().equals(address));
    }

    /** Seals a key; it is listed after {@link #flush}, or earlier. */
    void store(NewKey key) {
        KeyEntry entry = key.entry();
        KeyNote note = key.note();
        try {
            work.store(key, passphrase).join();
        } catch (CompletionException e) {
            throw KeyringFailures.of(e);
        }
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
        Change change =
                Change.adding(CrashPoint.IMPORT_BEFORE_STATE, List.copyOf(stored), Map.copyOf(notes), failure -> {});
        KeyTable.Batch batch = table.prepare(List.of(change));
        try {
            store.record(batch).join();
        } catch (CompletionException e) {
            throw KeyringFailures.of(e);
        }
        table.accept(batch);
        stored.clear();
        notes.clear();
    }

    NewKey keyOf(SecretBytes secretHex) {
        try {
            return maker.ofSecret(secretHex, Optional.empty()).join();
        } catch (CompletionException e) {
            throw KeyringFailures.of(e);
        }
    }
}
