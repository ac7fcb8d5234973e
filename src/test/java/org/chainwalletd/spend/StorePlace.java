package org.chainwalletd.spend;

import java.nio.file.Path;
import java.util.Optional;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.postgres.SharedStores;
import org.chainwalletd.store.sql.SqliteStore;

/** Location of the store of a daemon with the datadir {@code folder}, with operations of an operator and failures. */
interface StorePlace {
    Store open(Path folder);

    /** Restores: the operator completes the store from the log of the datadir. */
    void restore(Path folder, boolean without);

    /** Backs the store up while no daemon has it open; running the result replaces the current store with the backup. */
    Runnable copy(Path folder);

    /** Removes the store completely. */
    void remove(Path folder);

    /** Kills the process that has the store open: nothing of it reaches the store any more. */
    void kill();

    /** Whether a restore changes anything before it is complete. */
    boolean restoresInSteps();

    /** Store in a file of the datadir. A kill is simulated by copies of the files. */
    static StorePlace file() {
        return new StorePlace() {
            @Override
            public Store open(Path folder) {
                return SqliteStore.open(folder);
            }

            @Override
            public void restore(Path folder, boolean without) {
                SqliteStore.restore(folder, Optional.empty(), without, mark -> {});
            }

            @Override
            public Runnable copy(Path folder) {
                StoreCopy copy = StoreCopy.of(folder);
                return copy::putBack;
            }

            @Override
            public void remove(Path folder) {
                StoreCopy.remove(folder);
            }

            @Override
            public void kill() {
                // The copies are put back unchanged.
            }

            @Override
            public boolean restoresInSteps() {
                return true;
            }
        };
    }

    /** Store on a PostgreSQL server. */
    static StorePlace server() {
        SharedStores server = new SharedStores();
        return new StorePlace() {
            @Override
            public Store open(Path folder) {
                return server.open(folder);
            }

            @Override
            public void restore(Path folder, boolean without) {
                server.restore(folder, without);
            }

            @Override
            public Runnable copy(Path folder) {
                server.backUp();
                return server::putBack;
            }

            @Override
            public void remove(Path folder) {
                server.empty();
            }

            @Override
            public void kill() {
                server.cut();
            }

            @Override
            public boolean restoresInSteps() {
                return false;
            }
        };
    }
}
