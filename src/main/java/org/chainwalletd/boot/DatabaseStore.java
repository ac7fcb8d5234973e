package org.chainwalletd.boot;

import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.chainwalletd.access.TokenRows;
import org.chainwalletd.api.Scope;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.http.door.Tokens;
import org.chainwalletd.http.tls.TlsIdentity;
import org.chainwalletd.keeper.Keeper;
import org.chainwalletd.keyring.Keyring;
import org.chainwalletd.keyring.store.FolderStore;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringException;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.keyring.store.TableStore;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.files.DatadirLock;
import org.chainwalletd.store.postgres.KeyRows;
import org.chainwalletd.store.postgres.PostgresAgreed;
import org.chainwalletd.store.postgres.PostgresCluster;
import org.chainwalletd.store.postgres.PostgresDatabase;
import org.chainwalletd.store.postgres.PostgresMember;
import org.chainwalletd.store.postgres.PostgresMove;
import org.chainwalletd.store.postgres.PostgresMoveBack;
import org.chainwalletd.store.postgres.PostgresRestore;
import org.chainwalletd.store.postgres.PostgresStore;
import org.chainwalletd.store.sql.SqliteStore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Access to the store in a database, for daemon startup, doctor and operator commands. */
public final class DatabaseStore {
    private static final Logger LOG = LoggerFactory.getLogger(DatabaseStore.class);

    private DatabaseStore() {}

    /** Refuses a start on an unusable database, before anything is created in the datadir. Blocks. */
    static void refuseEarly(Settings settings, Settings.Database database) throws IOException {
        if (settings.spend().storeRestored()) {
            throw new StartupException(
                    "--store-restored is for walletd.db in the datadir: run the command store restored instead");
        }
        if (database.cluster().isPresent()) {
            DatabaseCluster.refuseEarly(database.cluster().get());
        }
        look(settings, database);
        Optional<PostgresAgreed> agreed = PostgresStore.agreed(new PostgresDatabase(database));
        if (agreed.isPresent()) {
            agreed.get().objectionToCaps(caps(settings)).ifPresent(objection -> {
                throw new StartupException("the store " + database + " " + objection);
            });
            DatabaseTokens.requireSame(settings, agreed.get());
            DatabaseIdentity.requireSame(settings, agreed.get());
        }
    }

    private static AllowanceStore.Limits caps(Settings settings) {
        Settings.Spend spend = settings.spend();
        return new AllowanceStore.Limits(spend.capPerTx(), spend.capPerPeriod(), spend.capPeriod());
    }

    /**
     * Opens the store for a daemon; other daemons may share it. Blocks; this process must hold the datadir lock.
     *
     * @throws org.chainwalletd.store.StoreException with the remedy, in one sentence
     */
    static Store open(Settings settings, Settings.Database database) {
        try {
            PostgresDatabase connector = new PostgresDatabase(database);
            PostgresStore store = PostgresStore.open(
                    settings.datadir(),
                    remembered(settings.datadir(), connector),
                    connector,
                    new PostgresMember(chain(settings)));
            // Not earlier: a datadir that was refused may continue with its previous store.
            PostgresMember.mark(settings.datadir(), database.toString());
            pin(settings, store.agreed());
            return store;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts the background work under the lease of the store, see {@link DatabaseKeeping}. Blocks. */
    static DatabaseKeeping keep(Store store, Keeper keeper, MeterRegistry meters, Runnable failed) {
        return DatabaseKeeping.start((PostgresStore) store, keeper, meters, failed);
    }

    /**
     * Opens the keyring in the tables of the store, after importing the keyring that a datadir of an earlier release has in its wallet
     * directory. Blocks.
     *
     * @param store result of {@link #open}
     * @param setup with the wallet directory
     * @param passphrase verified against the directory before anything is imported; stays open
     * @throws org.chainwalletd.keyring.store.KeyringException when the passphrase does not open the directory, or its keys are not those of
     *     the database; nothing is changed then
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
     * Returns the keyring in a database for read-only use; empty if there is none. Blocks.
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
     * Opens the store and its keyring for a command that runs instead of the daemon; this process must hold the datadir lock. Blocks.
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
     * Checks the database like a start, without writing; returns the reason why a daemon would spend nothing. Blocks.
     *
     * @throws org.chainwalletd.store.StoreException with the refusal of a start
     */
    public static Optional<String> look(Settings settings, Settings.Database database) throws IOException {
        PostgresDatabase connector = new PostgresDatabase(database);
        return PostgresStore.look(
                settings.datadir(),
                remembered(settings.datadir(), connector),
                connector,
                new PostgresMember(chain(settings)));
    }

    /** Returns the commit mark recorded in the books; until the books are in the database, they are a file of the datadir. */
    private static Optional<CommitMark> remembered(Path datadir, PostgresDatabase connector) {
        return Books.remembered(connector).or(() -> Books.remembered(datadir));
    }

    /**
     * Counts the keys of the keyring in a database, as a start would find them; empty if there is no keyring. Blocks.
     *
     * @throws StartupException when the keyring cannot be read, or is damaged
     */
    public static OptionalInt keys(Settings.Database database) {
        return entries(database).map(entries -> OptionalInt.of(entries.size())).orElseGet(OptionalInt::empty);
    }

    /**
     * Reads the labels of the keyring with their addresses; empty if there is no keyring in the database. Blocks.
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

    /** Pins the genesis recorded in the database, if the datadir has none pinned. */
    private static void pin(Settings settings, PostgresAgreed agreed) {
        GenesisFile file = new GenesisFile(settings.datadir());
        agreed.value(PostgresAgreed.GENESIS)
                .filter(genesis -> file.read().isEmpty())
                .map(Hash256::parse)
                .ifPresent(file::write);
    }

    /** Returns the file that pins the genesis; pinning a new one also records it for all daemons of the store. */
    static GenesisFile genesis(Settings settings, Store store) {
        return new GenesisFile(
                settings.datadir(),
                genesis -> ((PostgresStore) store).agree(values -> {
                    String other = values.putIfAbsent(PostgresAgreed.GENESIS, genesis.hex());
                    if (other != null && !other.equals(genesis.hex())) {
                        throw new IllegalStateException("the daemons of the database are on the chain with genesis "
                                + other + ": name a node of that chain");
                    }
                    return values;
                }));
    }

    /**
     * Returns the tokens of a daemon whose store is open. Blocks.
     *
     * @param console receives new tokens
     * @throws StartupException when a token of this daemon differs from that of the database
     */
    static HttpFrontend.TokenPlaces tokens(Settings settings, Store store, Consumer<String> console)
            throws IOException {
        PostgresStore shared = (PostgresStore) store;
        return DatabaseTokens.open(settings, shared::agreed, shared::agree, console);
    }

    /** Opens the certificate of a daemon whose store is open, see {@link DatabaseIdentity#open}. Blocks. */
    static TlsIdentity identity(Settings settings, Store store, Keyring keyring, List<String> names)
            throws IOException {
        PostgresStore shared = (PostgresStore) store;
        return DatabaseIdentity.open(settings, shared::agreed, shared::agree, keyring::tlsIdentity, names);
    }

    /** Shared settings of a database that {@link #set} can change. */
    public static final List<String> CHANGEABLE =
            List.of("caps", "read-token", "manage-token", "spend-token", "tls-certificate");

    /**
     * Makes a setting of this configuration or datadir the shared one of all daemons, which may be running. Blocks.
     *
     * @param name element of {@link #CHANGEABLE}
     * @throws StartupException when this configuration does not have it
     */
    public static void set(Settings settings, Settings.Database database, String name) throws IOException {
        PostgresCluster cluster = cluster(database);
        try {
            set(settings, cluster, name);
        } catch (Tokens.TokenException | TlsIdentity.TlsException e) {
            throw new StartupException(e.getMessage());
        }
    }

    private static void set(Settings settings, PostgresCluster cluster, String name) throws IOException {
        switch (name) {
            case "caps" -> {
                String caps = caps(settings).words();
                cluster.agree(values -> {
                    values.put(PostgresAgreed.CAPS, caps);
                    return values;
                });
            }
            case "tls-certificate" -> DatabaseIdentity.set(settings, cluster::agree);
            default ->
                DatabaseTokens.set(
                        settings,
                        cluster::agree,
                        Scope.valueOf(name.replace("-token", "").toUpperCase(Locale.ROOT)));
        }
    }

    /** Returns the named tokens in a database, for a command. */
    public static TokenRows namedTokens(Settings.Database database) {
        PostgresCluster cluster = cluster(database);
        return new DatabaseTokens(cluster::agreed, cluster::agree);
    }

    /** Replaces a classic token of all daemons by a random one, stores it in a file of this datadir and returns it. Blocks. */
    public static String rotate(Settings settings, Settings.Database database, Scope scope) {
        return DatabaseTokens.rotate(settings, cluster(database)::agree, scope);
    }

    /** Opens the books that belong to the open store. Blocks. */
    static Books openBooks(Settings settings, Settings.Database database, Store store) {
        return Books.openShared(
                settings.datadir(),
                new PostgresDatabase(database),
                Following.tables(),
                OptionalLong.of(((PostgresStore) store).start()));
    }

    /**
     * Completes a store that has lost payments from the sent log of the datadir, while no daemon uses the datadir. May be repeated at any
     * time, and for the datadirs in any order. Blocks.
     *
     * @param without names of the logs whose payments are accepted as forgotten
     * @param out receives one line at a time
     * @throws org.chainwalletd.store.StoreException when the log cannot be used
     * @throws StartupException when this log was read and others are missing, with their names and the remedy
     */
    public static void restore(Settings settings, Settings.Database database, Set<String> without, Consumer<String> out)
            throws IOException {
        Path datadir = settings.datadir();
        try (DatadirLock lock = DatadirLock.acquire(datadir)) {
            PostgresDatabase connector = new PostgresDatabase(database);
            PostgresRestore.Step step =
                    PostgresStore.restore(datadir, remembered(datadir, connector), without, connector);
            step.restored().ifPresent(restored -> {
                RestoredStore.report(restored, out);
                if (!restored.complete()) {
                    RestoredStore.reportForgotten(PostgresStore.unknown(connector, Books.spenders(connector, 0)), out);
                }
            });
            lock.check();
            if (!step.missing().isEmpty()) {
                throw new StartupException(stillStopped(database, step.missing()));
            }
            if (step.restored().isEmpty()) {
                out.accept("the store " + database + " has everything that the datadir " + datadir.toAbsolutePath()
                        + " remembers, and is not stopped: nothing was done. When another datadir's command misses the log of"
                        + " this one, run this again");
            }
        }
    }

    private static String stillStopped(Settings.Database database, List<PostgresRestore.Log> missing) {
        return "the store " + database + " is still stopped, because these logs are missing: "
                + missing.stream()
                        .map(log -> log.name() + " of "
                                + (log.datadir().isEmpty()
                                        ? "a datadir that only other logs tell of"
                                        : "the datadir " + log.datadir()))
                        .collect(Collectors.joining(", "))
                + "; run for each of these datadirs, in any order: chain-walletd --datadir ... store restored; or give up a"
                + " log that is lost, here, with --without and its name: its payments stay forgotten";
    }

    /**
     * Moves the payments of {@code walletd.db} into the database, while no daemon uses the datadir. Blocks.
     *
     * @param out receives one line at a time
     * @throws org.chainwalletd.store.StoreException when they cannot be moved, or the move must be run again
     */
    public static void move(Settings settings, Settings.Database database, Consumer<String> out) throws IOException {
        Path datadir = settings.datadir();
        if (!Files.exists(datadir.resolve(SqliteStore.FILE_NAME))) {
            throw new StartupException("there is no " + datadir.resolve(SqliteStore.FILE_NAME) + " to be moved");
        }
        StartupRefusals.requireSameChain(datadir, settings.identity().genesis());
        try (DatadirLock lock = DatadirLock.acquire(datadir)) {
            PostgresMove.Moved moved = PostgresMove.run(
                    datadir, Books.remembered(datadir), new PostgresDatabase(database), chain(settings));
            lock.check();
            if (moved.before()) {
                out.accept("the payments were moved to " + database + " before: nothing was done");
            } else if (!moved.rows().isEmpty()) {
                out.accept("rows: " + PostgresMove.words(moved.rows()));
                out.accept("compared with " + SqliteStore.FILE_NAME + ": all numbers of rows, and " + moved.compared()
                        + " payments and other entries");
            }
            out.accept("start with --store " + database + "; " + SqliteStore.FILE_NAME
                    + " is marked as moved and pays nothing any more");
        }
    }

    /**
     * Moves payments, keys, books and tokens of the database back into files of the datadir, which must be the last one that uses the
     * database, while no daemon is running. Blocks.
     *
     * @param out receives one line at a time
     * @throws org.chainwalletd.store.StoreException when they cannot be moved, or the move must be run again
     * @throws StartupException likewise
     */
    public static void moveBack(Settings settings, Settings.Database database, Consumer<String> out)
            throws IOException {
        Path datadir = settings.datadir();
        if (!Files.isDirectory(datadir)) {
            throw new StartupException(
                    "there is no datadir " + datadir + ": name the one that works with the database");
        }
        StartupRefusals.requireSameChain(datadir, settings.identity().genesis());
        try (DatadirLock lock = DatadirLock.acquire(datadir)) {
            PostgresDatabase connector = new PostgresDatabase(database);
            Beside beside = new Beside(settings, database, connector, out);
            PostgresMoveBack.Moved moved =
                    PostgresMoveBack.run(datadir, remembered(datadir, connector), connector, chain(settings), beside);
            lock.check();
            if (moved.before()) {
                out.accept("the payments of " + database + " were moved back before: nothing was done");
            } else if (!moved.rows().isEmpty()) {
                out.accept("rows: " + PostgresMove.words(moved.rows()));
                out.accept("compared with " + database + ": all numbers of rows, " + moved.compared()
                        + " payments and other entries, and all keys");
            }
            moved.others()
                    .forEach(other -> out.accept("the datadir " + other
                            + " has worked with the database too: its daemon is refused from now on"));
            out.accept("start without --store; the database is marked as moved and pays nothing any more");
        } catch (KeyringException e) {
            throw new StartupException(e.getMessage());
        }
    }

    /** Abandons a move back that has not yet marked the database. Blocks. */
    public static void giveUpMoveBack(Settings.Database database, Consumer<String> out) {
        PostgresMoveBack.giveUp(new PostgresDatabase(database));
        out.accept("the move back is given up: start with --store " + database);
    }

    /** Data in the database besides the payments: keys, books, tokens and certificate. */
    private record Beside(
            Settings settings, Settings.Database database, PostgresDatabase connector, Consumer<String> out)
            implements PostgresMoveBack.Beside {
        @Override
        public void require() throws IOException {
            PostgresAgreed agreed = PostgresStore.agreed(connector).orElseThrow();
            agreed.objectionToCaps(caps(settings)).ifPresent(objection -> {
                throw new StartupException("the store " + database + " " + objection);
            });
            DatabaseTokens.requireMovable(settings, agreed);
            DatabaseIdentity.requireHere(settings, agreed);
            boolean books = Books.requireMovable(connector, Following.tables());
            requireFree(books, settings.datadir().resolve(Books.FILE_NAME));
            boolean keys = KeyRows.looking(connector).head().isPresent();
            if (!folder(settings.wallets()).isFree()) {
                requireFree(keys, settings.wallets());
            }
        }

        /** @param there whether the database has data that the first start on it imported from this path */
        private static void requireFree(boolean there, Path place) {
            if (there && Files.exists(place)) {
                throw new StartupException(
                        place + " is in the way of what the database has: start and stop the daemon on it"
                                + " once, which takes over what is there; or move it away");
            }
        }

        private KeyringStore.Fillable folder(Path wallets) {
            return new FolderStore(KeyringSetup.offline(settings.chain(), wallets));
        }

        @Override
        public void copy(Path made, CommitMark commit) throws IOException {
            try {
                copyAll(made, commit);
            } catch (KeyringException | StoreException e) {
                // The database is already reserved; the move itself reports how to continue.
                throw new IOException(e.getMessage(), e);
            }
        }

        private void copyAll(Path made, CommitMark commit) throws IOException {
            Books.moveBack(connector, made, Following.tables(), commit)
                    .ifPresent(rows -> out.accept("books: " + rows + " rows"));
            // A keyring that no start has imported stays where it is.
            if (folder(settings.wallets()).isFree()) {
                Path wallets = made.resolve(settings.wallets().getFileName());
                new TableStore(KeyRows.looking(connector))
                        .putOut(folder(wallets))
                        .ifPresent(keys -> out.accept("keys: " + keys));
            }
            PostgresAgreed agreed = PostgresStore.agreed(connector).orElseThrow();
            DatabaseTokens.moveBack(settings, agreed, made);
            pin(settings, agreed);
        }

        @Override
        public void putAside(Path folder, Path name) {
            out.accept("the folder " + folder + " was in the way of a new one and is " + name + " now");
        }
    }

    /** Returns access to the shared settings and state of a database, for commands that run beside its daemons. */
    public static PostgresCluster cluster(Settings.Database database) {
        return new PostgresCluster(new PostgresDatabase(database));
    }

    /**
     * Counts silent daemons as having found their commits after a failover. Blocks; daemons may be running.
     *
     * @param out receives one line at a time
     * @throws org.chainwalletd.store.StoreException when there is nothing to confirm, or the store is stopped
     */
    public static void confirmFailover(Settings.Database database, Consumer<String> out) {
        cluster(database)
                .confirmFailover()
                .forEach(silent -> out.accept("start " + silent.start() + " of the datadir " + silent.datadir()
                        + ", last heard " + silent.silentMillis() / 1_000
                        + " s ago, counts as having found its commits: payments go on"));
    }

    /** Properties of the chain that are known before a node has answered. */
    private static Map<String, String> chain(Settings settings) {
        Map<String, String> chain = new LinkedHashMap<>();
        chain.put("brand", settings.chain().brand());
        settings.identity().network().ifPresent(network -> chain.put("network", network.word()));
        Optional<Hash256> genesis = settings.identity().genesis().or(() -> new GenesisFile(settings.datadir()).read());
        genesis.ifPresent(id -> chain.put(PostgresAgreed.GENESIS, id.hex()));
        return chain;
    }
}
