package org.chainwalletd.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.store.Payments.assertAnswer;
import static org.chainwalletd.store.Payments.assertBound;
import static org.chainwalletd.store.Payments.pay;
import static org.chainwalletd.store.StoreSample.done;
import static org.chainwalletd.store.StoreSample.intent;
import static org.chainwalletd.store.StoreSample.raw;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.store.AccountSendSample;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.IntentState;
import org.chainwalletd.store.Opening;
import org.chainwalletd.store.PayoutSample;
import org.chainwalletd.store.PayoutStore;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.StoreHistory;
import org.chainwalletd.store.StoreSample;
import org.chainwalletd.store.SwapSample;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.sql.QueueHistory;
import org.chainwalletd.store.sql.SentLog;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that move the payments of a datadir between its file and a database. */
abstract class MovedStores {
    static final Map<String, String> CHAIN = Map.of("brand", "chain");

    @TempDir
    Path folder;

    final List<Store> stores = new ArrayList<>();
    final SharedStores database = new SharedStores();
    Path datadir;

    private final boolean fromServer;
    private final int steps;
    /** Whether the store is moved at its next restart. */
    private boolean due;

    /**
     * @param fromServer whether stores are moved from a database into a file
     * @param steps of a history of a store
     */
    MovedStores(boolean fromServer, int steps) {
        this.fromServer = fromServer;
        this.steps = steps;
    }

    /** Simulates the death of the process. */
    private static final class Killed extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Moves the store of the datadir. */
    abstract void move() throws IOException;

    /** Returns a pattern of the message that rejects opening a database that must not pay. */
    abstract String refusal();

    @BeforeEach
    void make() throws IOException {
        datadir = Files.createDirectory(folder.resolve("datadir"));
    }

    @AfterEach
    void close() {
        CrashPoint.watch(null);
        stores.forEach(Store::close);
    }

    PostgresMove.Moved there() {
        return there(datadir, database);
    }

    static PostgresMove.Moved there(Path from, SharedStores to) {
        return PostgresMove.run(from, Optional.empty(), to, CHAIN);
    }

    SqliteStore file(Path in) {
        SqliteStore store = SqliteStore.open(in);
        stores.add(store);
        return store;
    }

    PostgresStore database(Path in) throws IOException {
        return database(in, database);
    }

    /** Opens the store as the daemon with this datadir does. */
    PostgresStore database(Path in, SharedStores to) throws IOException {
        PostgresStore store = PostgresStore.open(
                in, Optional.empty(), to, Optional.of(new PostgresMember(CHAIN)), false, SentLog.LEAST_TO_PRUNE);
        stores.add(store);
        PostgresMember.mark(in, to.name());
        return store;
    }

    void end(Store store) {
        stores.remove(store);
        store.close();
    }

    /** Makes a payment by the daemon of the datadir in the database, and ends it. */
    void paid(int number) throws IOException {
        Store store = database(datadir);
        pay(store, number);
        end(store);
    }

    /** Makes a payment by the daemon of the datadir in the file, and ends it. */
    void paidInFile(int number) {
        Store store = file(datadir);
        pay(store, number);
        end(store);
    }

    /** Asserts that the payments 1 to {@code last} are bound to their tokens. */
    static void assertPaid(Store store, int last) {
        assertBound(store, IntStream.rangeClosed(1, last).boxed().toList());
    }

    /** Puts this copy of the file into the datadir. */
    void putBack(Path older) throws IOException {
        Files.copy(older, SqliteStore.path(datadir), StandardCopyOption.REPLACE_EXISTING);
    }

    /** Opens the file and the database, unless they are rejected. */
    List<Store> openable() throws IOException {
        List<Store> opened = new ArrayList<>();
        try {
            opened.add(file(datadir));
        } catch (StoreException e) {
            assertThat(e).hasMessageContaining("--store");
        }
        try {
            opened.add(database(datadir));
        } catch (StoreException e) {
            assertThat(e).hasMessageMatching(refusal());
        }
        return opened;
    }

    void killAt(CrashPoint place) {
        killAt(place, this::move);
    }

    static void killAt(CrashPoint place, ThrowingCallable move) {
        CrashPoint.watch(point -> {
            if (point == place) {
                throw new Killed();
            }
        });
        assertThatThrownBy(move).isInstanceOf(Killed.class);
        CrashPoint.watch(null);
    }

    /** {@code -Dstore.steps=100000} runs longer. */
    @Test
    void spends_are_after_the_move_what_they_were_before() {
        StoreHistory history = new StoreHistory(opened(fromServer), this::reopened, Seeded.random("moved store"));
        walk(history::run, Integer.getInteger("store.steps", steps));
    }

    @Test
    void payouts_and_sweeps_are_after_the_move_what_they_were_before() {
        QueueHistory history =
                new QueueHistory(opened(fromServer), this::reopened, Optional.empty(), Seeded.random("moved queue"));
        walk(history::run, Integer.getInteger("store.steps", Math.min(steps, 200)));
    }

    private Store opened(boolean onServer) {
        if (!onServer) {
            return SqliteStore.open(datadir);
        }
        PostgresStore store = database.open(datadir, Optional.empty(), SentLog.LEAST_TO_PRUNE);
        database.run("SELECT set_config('walletd.commit', '0', false); UPDATE spends SET runner = " + store.start());
        return store;
    }

    private Store reopened(Store closing) {
        closing.close();
        boolean wasMoved = isMoved(closing);
        if (due && !wasMoved) {
            try {
                move();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
        return opened(fromServer != (due || wasMoved));
    }

    private boolean isMoved(Store store) {
        return store instanceof PostgresStore != fromServer;
    }

    /**
     * Runs a history of a store that is moved at one of its restarts and then continues normally.
     *
     * @param run continues for this number of steps, and returns the store
     */
    private void walk(IntFunction<Store> run, int count) {
        run.apply(count);
        due = true;
        Store last = run.apply(count / 10);
        while (!isMoved(last)) {
            last = run.apply(count / 10);
        }
        stores.add(run.apply(count / 4));
    }

    static void refused(ThrowingCallable act, String why) {
        assertThatThrownBy(act).isInstanceOf(StoreException.class).hasMessageContaining(why);
    }

    /** Writes rows of every kind. */
    static void fill(Path in) {
        try (SqliteStore store = SqliteStore.open(in)) {
            StoreSample.write(store);
            AccountSendSample.write(store);
            SwapSample.write(store);
            PayoutSample.write(store);
            done(store.rawSends().begin(raw(8), StoreSample.BEGUN));
            done(store.rawSends()
                    .end(
                            done(store.rawSends().begin(raw(9), StoreSample.BEGUN))
                                    .orElseThrow(),
                            IntentState.ACCEPTED,
                            StoreSample.BEGUN));
        }
        try (SqliteStore store = SqliteStore.open(in)) {
            done(store.allowance()
                    .govern(
                            new AllowanceStore.Limits(Optional.empty(), Optional.empty(), Duration.ofDays(1)),
                            Clock.fixed(Instant.ofEpochMilli(StoreSample.BEGUN), ZoneOffset.UTC),
                            () -> OptionalLong.of(StoreSample.BEGUN)));
            store.allowance().governTokens(name -> Optional.of(Amount.MAX));
            Intent named = intent(700, Optional.of("token-700"), 700)
                    .with(new Intent.Details(Optional.of("shop"), Optional.empty(), Optional.empty()));
            assertAnswer(store.intents().open(named, 0, true, () -> StoreSample.BEGUN), Opening.Opened.class);
        }
    }

    /** Returns everything that the samples read, and the order in which payouts have changed. */
    static List<String> read(Store store) {
        return List.of(
                StoreSample.read(store),
                StoreSample.burials(store),
                StoreSample.contested(store),
                StoreSample.kept(store),
                StoreSample.told(store),
                StoreSample.used(store).toString(),
                AccountSendSample.read(store),
                SwapSample.read(store),
                SwapSample.scans(store),
                PayoutSample.read(store),
                done(store.payouts().changes(PayoutStore.BEGINNING, 100)).toString(),
                done(store.allowance().remainingOf("shop")).toString(),
                done(store.sweeps().find("sweep-stopped")).toString());
    }

    static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.skip(1).toList()) {
                Path target = to.resolve(from.relativize(file));
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }
}
