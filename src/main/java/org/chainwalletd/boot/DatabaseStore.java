package org.chainwalletd.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.keyring.store.FolderStore;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.keyring.store.TableStore;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.DatadirLock;
import org.chainwalletd.store.KeyRows;
import org.chainwalletd.store.PostgresCluster;
import org.chainwalletd.store.PostgresDatabase;
import org.chainwalletd.store.PostgresRestore;
import org.chainwalletd.store.PostgresStore;
import org.chainwalletd.store.PostgresTenant;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.books.Books;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The store in a database, for a daemon that starts, for doctor and for the operator's commands. */
public final class DatabaseStore {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseStore.class);

    private DatabaseStore() {}

    /** Refuses a start on a database that cannot be used, before anything is made in the datadir. Blocks. */
    static void refuseEarly(Settings settings, Settings.Database database) throws IOException {
        if (settings.spend().storeRestored()) {
            throw new StartupException(
                    "--store-restored is for walletd.db in the datadir: run the command store restored instead");
        }
        look(settings, database);
    }

    /**
     * Opens the store. Blocks; the datadir is locked by this process.
     *
     * @throws org.chainwalletd.store.StoreException with what is to be done, in one sentence
     */
    static Store open(Settings settings, Settings.Database database) {
        try {
            PostgresDatabase connector = new PostgresDatabase(database);
            return PostgresStore.open(
                    settings.datadir(),
                    remembered(settings.datadir(), database, connector),
                    connector,
                    PostgresTenant.of(settings.datadir(), chain(settings)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Opens the keyring in the tables of the store, after entering the one that a datadir of an earlier release has in its wallet directory. Blocks.
     *
     * @param store what {@link #open} has returned
     * @param setup with the wallet directory
     * @param passphrase proved on the directory before anything of it is entered; stays open
     * @throws org.chainwalletd.keyring.store.KeyringException when the passphrase is not the directory's, or its keys are not those of the
     *     database; nothing is changed then
     */
    static KeyringStore keyring(Store store, KeyringSetup setup, SecretBytes passphrase) {
        TableStore keyring = new TableStore(((PostgresStore) store).keys());
        KeyringStore folder = new FolderStore(setup);
        if (store.stopped().isEmpty() && !folder.isFree()) {
            Keyring.prove(setup.withExecutors(KeyringSetup.Executors.onCallersThread()), passphrase);
            keyring.takeIn(folder, setup.wallets())
                    .ifPresent(keys ->
                            LOG.info("the {} keys of {} are kept in the database from now on", keys, setup.wallets()));
        }
        return keyring;
    }

    /**
     * Returns a keyring in a database, for one who only looks at it; empty when there is none. Blocks.
     *
     * @throws StartupException when the database cannot be read
     */
    public static Optional<KeyringStore> lookAtKeyring(Settings.Database database) {
        KeyRows rows = KeyRows.looking(new PostgresDatabase(database));
        try {
            return rows.head().map(head -> new TableStore(rows));
        } catch (StoreException e) {
            throw new StartupException(e.getMessage());
        }
    }

    /**
     * Opens the store and its keyring for a command that runs instead of the daemon; the datadir is locked by this process. Blocks.
     *
     * @param passphrase of the keyring; stays open
     * @param opened receives the store, which the caller closes
     * @throws StartupException when a start would be refused
     */
    public static KeyringStore keyringOffline(
            Settings settings,
            Settings.Database database,
            KeyringSetup setup,
            SecretBytes passphrase,
            Consumer<Store> opened) {
        try {
            Store store = open(settings, database);
            opened.accept(store);
            return keyring(store, setup, passphrase);
        } catch (StoreException e) {
            throw new StartupException(e.getMessage());
        }
    }

    /**
     * Looks at the database as a start would, without writing; returns why the start would spend nothing. Blocks.
     *
     * @throws org.chainwalletd.store.StoreException with the refusal of a start
     */
    public static Optional<String> look(Settings settings, Settings.Database database) throws IOException {
        PostgresDatabase connector = new PostgresDatabase(database);
        return PostgresStore.look(
                settings.datadir(),
                remembered(settings.datadir(), database, connector),
                connector,
                PostgresTenant.looking(settings.datadir(), chain(settings)));
    }

    /** Returns the commit that the books remember; before they are in the database they are a file of the datadir. */
    private static Optional<CommitMark> remembered(
            Path datadir, Settings.Database database, PostgresDatabase connector) {
        return Books.remembered(database.toString(), connector).or(() -> Books.remembered(datadir));
    }

    /**
     * Counts the keys of the keyring in a database, as a start would find them; empty when there is no keyring. Blocks.
     *
     * @throws StartupException when the keyring cannot be read, or is damaged
     */
    public static OptionalInt keys(Settings.Database database) {
        return entries(database).map(entries -> OptionalInt.of(entries.size())).orElseGet(OptionalInt::empty);
    }

    /**
     * Reads the addresses of the keyring that have each label; empty when there is no keyring in the database. Blocks.
     *
     * @throws StartupException when the keyring cannot be read
     */
    public static Optional<Map<String, List<Address>>> labels(Settings.Database database) {
        return entries(database)
                .map(entries -> entries.stream()
                        .filter(entry -> entry.label().isPresent())
                        .collect(Collectors.groupingBy(
                                entry -> entry.label().get(),
                                Collectors.mapping(KeyEntry::address, Collectors.toList()))));
    }

    private static Optional<List<KeyEntry>> entries(Settings.Database database) {
        try {
            return lookAtKeyring(database).map(keyring -> keyring.load().view().entries());
        } catch (KeyringException e) {
            throw new StartupException(e.getMessage());
        }
    }

    /** Opens the books beside the store, which is open. Blocks. */
    static Books openBooks(Settings settings, Settings.Database database) {
        return Books.openShared(
                settings.datadir(), database.toString(), new PostgresDatabase(database), Following.tables());
    }

    /**
     * Completes the store, which has lost payments, with the log of the datadir, while no daemon has that. Blocks.
     *
     * @param without names of the logs whose payments are accepted as forgotten
     * @param out receives one line at a time
     * @throws org.chainwalletd.store.StoreException when there is nothing to be restored, or the log cannot be used
     */
    public static void restore(Settings settings, Settings.Database database, Set<String> without, Consumer<String> out)
            throws IOException {
        Path datadir = settings.datadir();
        try (DatadirLock lock = DatadirLock.acquire(datadir)) {
            PostgresDatabase connector = new PostgresDatabase(database);
            PostgresRestore.Step step = PostgresStore.restore(
                    datadir, remembered(datadir, database, connector), without, database.toString(), connector);
            step.restored().ifPresent(restored -> {
                RestoredStore.tell(restored, out);
                if (!restored.complete()) {
                    RestoredStore.tellForgotten(
                            PostgresStore.unknown(
                                    database.toString(), connector, Books.spenders(database.toString(), connector, 0)),
                            out);
                }
            });
            step.missing()
                    .forEach(log ->
                            out.accept("still stopped: the log " + log.name() + " of the datadir " + log.datadir()
                                    + " is missing; run store restored there, or with --without " + log.name()));
            lock.check();
        }
    }

    /** Returns what a command asks and says beside the daemons of a database. */
    public static PostgresCluster cluster(Settings.Database database) {
        return new PostgresCluster(new PostgresDatabase(database));
    }

    /**
     * Counts silent daemons as having found their commits after a fail-over. Blocks; daemons may run meanwhile.
     *
     * @param out receives one line at a time
     * @throws org.chainwalletd.store.StoreException when nothing is to be confirmed, or the store is stopped
     */
    public static void confirmFailover(Settings.Database database, Consumer<String> out) {
        cluster(database)
                .confirmFailover()
                .forEach(silent -> out.accept("start " + silent.start() + " of the datadir " + silent.datadir()
                        + ", last heard " + silent.silentMillis() / 1_000
                        + " s ago, counts as having found its commits: payments go on"));
    }

    /** Settings of the chain as far as they are known before a node has answered. */
    private static Map<String, String> chain(Settings settings) {
        Map<String, String> chain = new LinkedHashMap<>();
        chain.put("brand", settings.chain().brand());
        settings.identity().network().ifPresent(network -> chain.put("network", network.word()));
        Optional<Hash256> genesis = settings.identity().genesis().or(() -> new GenesisFile(settings.datadir()).read());
        genesis.ifPresent(id -> chain.put("genesis", id.hex()));
        return chain;
    }
}
