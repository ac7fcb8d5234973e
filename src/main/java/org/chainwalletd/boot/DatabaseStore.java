package org.chainwalletd.boot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.config.Settings;
import org.chainwalletd.node.GenesisFile;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.DatadirLock;
import org.chainwalletd.store.PostgresCluster;
import org.chainwalletd.store.PostgresDatabase;
import org.chainwalletd.store.PostgresRestore;
import org.chainwalletd.store.PostgresStore;
import org.chainwalletd.store.PostgresTenant;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.books.Books;

/** The store in a database, for a daemon that starts, for doctor and for the operator's commands. */
public final class DatabaseStore {
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
