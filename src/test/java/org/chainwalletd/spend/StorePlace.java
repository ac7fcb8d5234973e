package org.chainwalletd.spend;

import java.nio.file.Path;
import java.util.Optional;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.postgres.SharedStores;
import org.chainwalletd.store.sql.SqliteStore;

/** Where the store of a daemon with the datadir {@code folder} is kept, with what an operator, or bad luck, does to it. */
interface StorePlace {
    Store open(Path folder);

    /** The operator completes the store from the log of the datadir. */
    void restore(Path folder, boolean without);

    /** Backs the store up while no daemon has it open; running it puts the backup in the place of what is there. */
    Runnable copy(Path folder);

    /** Nothing of the store is there any more. */
    void remove(Path folder);

    /** The process that has the store open is killed: nothing of it reaches the store any more. */
    void kill();

    /** Whether a restore changes anything before it is complete. */
    boolean restoresInSteps();

    /** In a file of the datadir. A killed process is acted by copies of the files. */
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
                // The copies are put back as they were.
            }

            @Override
            public boolean restoresInSteps() {
                return true;
            }
        };
    }

    /** On a PostgreSQL server. */
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
                return server::goBack;
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
