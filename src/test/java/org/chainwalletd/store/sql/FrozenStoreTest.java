package org.chainwalletd.store.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.store.AccountSendSample;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.PayoutSample;
import org.chainwalletd.store.ReceiptStore.Bound;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreSample;
import org.chainwalletd.store.SwapSample;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Stores written by released versions, with the expected results of reading them. A new version of the schema adds a folder ({@code -Dfreeze=vN}
 * writes it) and never edits one.
 */
public class FrozenStoreTest {
    public static final Path FROZEN = Path.of("src/test/resources/frozen");
    private static final String NEWEST = "v20";

    /** Matches a line of the allowance report; the first versions have one line per spend. */
    private static final Pattern USED = Pattern.compile("^used .*amount=(\\d+)");

    /** Reports of a store by the sample file that contains them. The first versions lack the files of empty reports. */
    private static final Map<String, Function<Store, String>> TOLD = Map.of(
            "burials.txt", StoreSample::burials,
            "contested.txt", StoreSample::contested,
            "kept.txt", StoreSample::kept,
            "account.txt", AccountSendSample::read,
            "swaps.txt", SwapSample::read,
            "scans.txt", SwapSample::scans,
            "payouts.txt", PayoutSample::read);

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14", "v15", "v16",
                "v17", "v18", "v19", "v20"
            })
    void a_store_of_an_older_version_opens_with_everything_in_it(String version) throws IOException {
        Path sample = FROZEN.resolve(version).resolve("store");
        for (String name : List.of(SqliteStore.FILE_NAME, SentLog.FILE_NAME)) {
            if (Files.exists(sample.resolve(name))) {
                Files.copy(sample.resolve(name), folder.resolve(name));
            }
        }
        for (int start = 1; start <= 2; start++) {
            try (SqliteStore store = SqliteStore.open(folder)) {
                assertThat(store.stopped()).isEmpty();
                assertIsWhatIsExpected(store, sample);
            }
            assertThat(folder.resolve(SentLog.FILE_NAME)).exists();
        }
    }

    /** The log of each of these versions must remain sufficient for a later release to complete a store. */
    @ParameterizedTest
    @ValueSource(strings = {"v14", "v15", "v16", "v17", "v18", "v19", "v20"})
    void a_store_that_is_lost_is_completed_from_the_log_of_the_frozen_sample(String version) throws IOException {
        Path sample = FROZEN.resolve(version).resolve("store");
        Files.copy(sample.resolve(SentLog.FILE_NAME), folder.resolve(SentLog.FILE_NAME));

        SqliteStore.restore(folder, Optional.empty(), false, mark -> {});

        try (SqliteStore store = SqliteStore.open(folder)) {
            assertThat(store.stopped()).isEmpty();
            assertThat(restored(store, sample)).isEqualTo(Files.readString(sample.resolve("restored.txt")));
        }
    }

    private static String restored(Store store, Path sample) {
        return StoreSample.read(store)
                + StoreSample.kept(store)
                + AccountSendSample.read(store)
                + (Files.exists(sample.resolve("told.txt")) ? StoreSample.told(store) : "")
                + (Files.exists(sample.resolve("payouts.txt")) ? PayoutSample.read(store) : "");
    }

    /** Holds whichever part of the move was committed when the process died; no older release opens the file then. */
    @Test
    void a_move_to_the_newest_tables_that_was_broken_off_continues_at_the_next_start() throws Exception {
        Path sample = FROZEN.resolve("v2").resolve("store");
        boolean more = true;
        for (int commits = 0; more; commits++) {
            Path file =
                    Files.createDirectory(folder.resolve("after-" + commits)).resolve(SqliteStore.FILE_NAME);
            Files.copy(sample.resolve(SqliteStore.FILE_NAME), file);
            more = moveSome(file, commits);
            try (SqliteStore store = SqliteStore.open(file.getParent())) {
                assertIsWhatIsExpected(store, sample);
            }
        }
    }

    /** Makes one commit per start: on the older release's rows, then with some of their answers kept, then with all of them. */
    @ParameterizedTest
    @ValueSource(strings = {"v4", "v8", "v10"})
    void tokens_of_an_older_version_stay_bound_while_receipts_take_the_places_of_their_payments(String version)
            throws IOException {
        Path sample = FROZEN.resolve(version).resolve("store");
        Files.copy(sample.resolve(SqliteStore.FILE_NAME), folder.resolve(SqliteStore.FILE_NAME));
        Map<String, Bound> before = new LinkedHashMap<>();
        List<Intent> settled;
        try (SqliteStore store = SqliteStore.open(folder)) {
            settled = StoreSample.done(store.receipts().settled(Long.MAX_VALUE, 100));
            assertThat(settled).isNotEmpty();
            for (Intent payment : settled) {
                String token = payment.token().orElseThrow().token();
                before.put(token, bound(store, token));
            }
        }
        for (int kept = 1; kept <= settled.size(); kept++) {
            try (SqliteStore store = SqliteStore.open(folder)) {
                StoreSample.done(
                        store.receipts().keep(Map.of(settled.get(kept - 1).txId(), Bytes.parse("01"))));
            }
            try (SqliteStore store = SqliteStore.open(folder)) {
                for (int i = 0; i < settled.size(); i++) {
                    String token = settled.get(i).token().orElseThrow().token();
                    Bound now = bound(store, token);
                    assertThat(now.digest()).isEqualTo(before.get(token).digest());
                    assertThat(now instanceof Bound.ToReceipt).isEqualTo(i < kept);
                }
            }
        }
    }

    private static Bound bound(Store store, String token) {
        return StoreSample.done(store.receipts().bound(token, Long.MIN_VALUE)).orElseThrow();
    }

    private static boolean moveSome(Path file, int commits) throws SQLException {
        try (SqlSession session = new SqlSession(DriverManager.getConnection("jdbc:sqlite:" + file), Sqlite.DIALECT)) {
            Schema.upgrade(session, file.toString());
            assertThat(Schema.isNewest(session)).isTrue();
            EarlierRows rows = new EarlierRows(session);
            boolean more = true;
            for (int i = 0; i < commits; i++) {
                more = rows.moveSome(2);
            }
            return more;
        }
    }

    public static void assertIsWhatIsExpected(Store store, Path sample) throws IOException {
        List<String> expected = Files.readAllLines(sample.resolve("expected.txt"));
        assertThat(StoreSample.read(store).lines())
                .containsExactlyElementsOf(expected.stream()
                        .filter(line -> !line.startsWith("used "))
                        .toList());
        assertThat(sample.resolve("burials.txt")).exists();
        for (Map.Entry<String, Function<Store, String>> part : TOLD.entrySet()) {
            Path file = sample.resolve(part.getKey());
            assertThat(part.getValue().apply(store))
                    .as(part.getKey())
                    .isEqualTo(Files.exists(file) ? Files.readString(file) : "");
        }
        Path told = sample.resolve("told.txt");
        if (Files.exists(told)) {
            assertThat(StoreSample.told(store)).isEqualTo(Files.readString(told));
        } else {
            assertThat(StoreSample.done(store.history().after(0, 100)))
                    .isNotEmpty()
                    .allMatch(spend -> spend.details().equals(Intent.Details.NONE));
        }
        assertThat(StoreSample.used(store))
                .isEqualTo(expected.stream()
                        .map(USED::matcher)
                        .filter(Matcher::find)
                        .map(line -> new BigInteger(line.group(1)))
                        .reduce(BigInteger.ZERO, BigInteger::add));
    }

    @Test
    void the_newest_sample_is_what_this_version_writes() throws IOException {
        Path sample = FROZEN.resolve(System.getProperty("freeze", NEWEST)).resolve("store");
        try (SqliteStore store = SqliteStore.open(folder)) {
            StoreSample.write(store);
            AccountSendSample.write(store);
            SwapSample.write(store);
            PayoutSample.write(store);
        }
        try (SqliteStore store = SqliteStore.open(folder)) {
            if (System.getProperty("freeze") != null) {
                Files.createDirectories(sample);
                Files.writeString(
                        sample.resolve("expected.txt"),
                        StoreSample.read(store) + "used amount=" + StoreSample.used(store) + "\n");
                Files.writeString(sample.resolve("told.txt"), StoreSample.told(store));
                for (Map.Entry<String, Function<Store, String>> part : TOLD.entrySet()) {
                    Files.writeString(
                            sample.resolve(part.getKey()), part.getValue().apply(store));
                }
            }
            assertIsWhatIsExpected(store, sample);
        }
        if (System.getProperty("freeze") != null) {
            Files.copy(folder.resolve(SqliteStore.FILE_NAME), sample.resolve(SqliteStore.FILE_NAME));
            Files.copy(folder.resolve(SentLog.FILE_NAME), sample.resolve(SentLog.FILE_NAME));
            Files.delete(folder.resolve(SqliteStore.FILE_NAME));
            SqliteStore.restore(folder, Optional.empty(), false, mark -> {});
            try (SqliteStore store = SqliteStore.open(folder)) {
                Files.writeString(sample.resolve("restored.txt"), restored(store, sample));
            }
        }
    }
}
