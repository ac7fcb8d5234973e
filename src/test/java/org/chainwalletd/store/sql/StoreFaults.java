package org.chainwalletd.store.sql;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.files.AppendLog;
import org.chainwalletd.testkit.Await;

/** Makes the writes of a store fail, for tests of code that uses stores. */
public final class StoreFaults {
    private static final List<String> EVENTS = List.of(
            "INSERT ON spends",
            "UPDATE ON spends",
            "DELETE ON spends",
            "INSERT ON kept_spends",
            "UPDATE ON kept_spends");

    private StoreFaults() {}

    /** Makes every commit that touches a spend fail within SQLite, until called with {@code fail} false. */
    public static void failWrites(Store store, boolean fail) {
        // The change itself fails if it shares a commit with a write that still fails.
        Await.until(
                "the store has changed",
                () -> Await.result(((SqlStore) store)
                        .write(session -> set(session, fail))
                        .handle((done, failure) -> failure == null)));
    }

    /** Makes the commit of the transaction fail. */
    static Void cannotBeCommitted(SqlSession session) throws SQLException {
        session.execute("CREATE TABLE parents (x INTEGER PRIMARY KEY)");
        session.execute("CREATE TABLE children (x REFERENCES parents DEFERRABLE INITIALLY DEFERRED)");
        session.execute("INSERT INTO children VALUES (1)");
        return null;
    }

    /** Delays the results of further reads until the returned action is run. */
    public static Runnable holdReads(Store store) {
        CompletableFuture<Void> held = new CompletableFuture<>();
        ((SqlStore) store).read(session -> Await.result(held));
        return () -> held.complete(null);
    }

    /** Makes the log beside the store find its disk full until the returned action is run. */
    public static Runnable fillLogDisk(Store store) {
        return exchangeLog(store, Path.of("/dev/full"));
    }

    /** Makes the writes of the log impossible to force, and loses them, until the returned action is run. */
    public static Runnable loseLogWrites(Store store) {
        return exchangeLog(store, Path.of("/dev/null"));
    }

    /** Waits until the store has finished the pruning of its log that has begun. */
    public static void awaitPruning(Store store) {
        try {
            Field pruner = store.getClass().getDeclaredField("pruner");
            pruner.setAccessible(true);
            Await.result(CompletableFuture.runAsync(() -> {}, (Executor) pruner.get(store)));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static Runnable exchangeLog(Store store, Path device) {
        try {
            Field log = store.getClass().getDeclaredField("log");
            log.setAccessible(true);
            Field file = SentLog.class.getDeclaredField("log");
            file.setAccessible(true);
            Field channel = AppendLog.class.getDeclaredField("channel");
            channel.setAccessible(true);
            Object target = file.get(((Optional<?>) log.get(store)).orElseThrow());
            Object before = channel.get(target);
            channel.set(target, FileChannel.open(device, StandardOpenOption.WRITE));
            return () -> {
                try {
                    channel.set(target, before);
                } catch (ReflectiveOperationException e) {
                    throw new AssertionError(e);
                }
            };
        } catch (ReflectiveOperationException | IOException e) {
            throw new AssertionError(e);
        }
    }

    private static Void set(SqlSession session, boolean fail) throws SQLException {
        for (int i = 0; i < EVENTS.size(); i++) {
            session.execute("DROP TRIGGER IF EXISTS temp.fault_" + i);
            if (fail) {
                session.execute("CREATE TEMP TRIGGER fault_" + i + " BEFORE " + EVENTS.get(i)
                        + " BEGIN INSERT INTO a_disk_that_is_full VALUES (1); END");
            }
        }
        return null;
    }
}
