package org.chainwalletd.store.postgres;

import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreSample;
import org.chainwalletd.store.sql.SqliteStore;

/**
 * A process that opens spends in a store on SQLite, or in the schema of a PostgreSQL server (its port and name), until it is killed, sixteen at a time, and prints the
 * number of each that it was told is durable.
 */
public final class WriterProcess {
    private static final int AT_ONCE = 16;

    private WriterProcess() {}

    public static void main(String[] args) throws InterruptedException {
        Path folder = Path.of(args[0]);
        Store store = args.length < 3
                ? SqliteStore.open(folder)
                : PostgresStore.open(
                        folder,
                        Optional.empty(),
                        args[3],
                        () -> PostgresServer.connect(Integer.parseInt(args[2]), args[3], ""));
        Semaphore free = new Semaphore(AT_ONCE);
        for (int i = Integer.parseInt(args[1]); ; i++) {
            int number = i;
            if (!free.tryAcquire(1, TimeUnit.MINUTES)) {
                throw new IllegalStateException("nothing is answered");
            }
            store.intents()
                    .open(StoreSample.intent(number, Optional.of("token-" + number), number), 0)
                    .thenAccept(opening -> {
                        System.out.println(opening instanceof Opening.Opened ? number : "refused " + opening);
                        free.release();
                    });
        }
    }
}
