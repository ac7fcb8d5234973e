package org.chainwalletd.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.Payments;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.sql.SentLog;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.testkit.ChildJvm;

/**
 * Process that opens spends in a store on SQLite, or in the schema of a PostgreSQL server (its port and name), sixteen at a time until it is killed,
 * and prints the number of each spend reported as durable.
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
                        SharedStores.of(Integer.parseInt(args[2]), args[3]),
                        Optional.empty(),
                        true,
                        SentLog.LEAST_TO_PRUNE);
        Semaphore free = new Semaphore(AT_ONCE);
        for (int i = Integer.parseInt(args[1]); ; i++) {
            int number = i;
            if (!free.tryAcquire(1, TimeUnit.MINUTES)) {
                throw new IllegalStateException("nothing is answered");
            }
            Payments.asked(store, number).thenAccept(opening -> {
                System.out.println(opening instanceof Opening.Opened ? number : "refused " + opening);
                free.release();
            });
        }
    }

    /**
     * Runs the process until it dies at a crash point.
     *
     * @return the payments that it has reported as written
     */
    public static List<Integer> killedAt(String point, Object... arguments) throws IOException {
        Process process = ChildJvm.of(List.of("-Dwalletd.crash-point=" + point), WriterProcess.class, arguments)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        List<Integer> acknowledged = new ArrayList<>();
        for (String line : ChildJvm.lines(process, Integer.MAX_VALUE)) {
            assertThat(line).doesNotStartWith("refused");
            if (line.matches("[0-9]+")) {
                acknowledged.add(Integer.parseInt(line));
            }
        }
        assertThat(process.exitValue()).isEqualTo(137);
        return acknowledged;
    }
}
