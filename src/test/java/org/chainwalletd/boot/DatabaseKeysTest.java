package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.testkit.DaemonRig.params;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.store.files.CrashPoint;
import org.chainwalletd.store.files.DatadirLock;
import org.chainwalletd.store.postgres.KeyRows;
import org.chainwalletd.store.postgres.TestDatabase;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole daemon whose keys are in a PostgreSQL database: its start, and an unavailable database. */
@Tag("long")
class DatabaseKeysTest {
    private static final int BUSY = -32042;

    private static final String KEY_ROWS =
            "SELECT (SELECT count(*) FROM keys) + (SELECT count(*) FROM sealed) + (SELECT count(*) FROM keyring)";

    @TempDir
    Path folder;

    private final TestDatabase database = new TestDatabase();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    @AfterEach
    void close() throws IOException {
        threads.shutdownNow();
        database.close();
    }

    private Path datadir() {
        return folder.resolve("datadir");
    }

    private DaemonRig daemon() {
        return new DaemonRig(datadir(), ScriptedNode.refusing(), database.flags(folder));
    }

    private static String mint(DaemonRig daemon) {
        return daemon.newAddress();
    }

    @Test
    void a_wrong_passphrase_is_refused_before_the_keys_of_the_wallet_directory_are_entered() throws Exception {
        Path earlier = folder.resolve("earlier");
        String address;
        try (DaemonRig before = new DaemonRig(earlier, ScriptedNode.refusing())) {
            address = mint(before);
        }
        // Like a datadir whose payments were in the database before its keys.
        Files.createDirectory(datadir());
        Files.move(earlier.resolve("wallets"), datadir().resolve("wallets"));
        SecretBytes wrong = SecretBytes.takeOver("mistyped".getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> Daemon.start(
                        DaemonRig.settings(datadir(), ScriptedNode.refusing(), database.flags(folder)),
                        wrong,
                        line -> {},
                        DaemonRig.COST,
                        Clock.systemUTC()))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining("-32012 keystore locked: wrong passphrase");
        assertThat(wrong.isClosed()).isTrue();
        assertThat(database.number(KEY_ROWS)).isZero();
        assertThat(datadir().resolve("wallets")).exists();
        assertThat(datadir().resolve("wallets-moved")).doesNotExist();

        try (DaemonRig after = daemon()) {
            assertThat(after.call("sign_message", "address", address, "message", "mine")
                            .path("signature")
                            .asText())
                    .isNotEmpty();
        }
        assertThat(datadir().resolve("wallets")).doesNotExist();
    }

    @Test
    void while_the_database_is_unavailable_calls_that_need_its_keys_are_told_to_come_again_and_make_nothing() {
        String address;
        try (DaemonRig before = daemon()) {
            address = mint(before);
        }
        // The second process has no cached secret.
        try (DaemonRig daemon = daemon()) {
            database.leave();
            Map<String, Map<String, Object>> calls = new LinkedHashMap<>();
            calls.put("generate_standard_address", Map.of());
            calls.put("generate_independent_address", Map.of());
            calls.put("import_private_key", params("private_key", "33".repeat(32)));
            calls.put("sign_message", params("address", address, "message", "mine"));
            calls.put("reveal_private_key", params("address", address, "passphrase", DaemonRig.PASSPHRASE));
            calls.put("reveal_address_mnemonic", params("address", address, "passphrase", DaemonRig.PASSPHRASE));
            calls.put("export_address", params("address", address, "passphrase", "of the vault"));
            calls.put("set_label", params("address", address, "label", "renamed"));
            calls.put("delete_address", params("address", address, "passphrase", DaemonRig.PASSPHRASE, "force", true));
            Map<String, String> others = new LinkedHashMap<>();
            calls.forEach((method, params) -> {
                WalletdException.RpcError refused = daemon.refused(method, params);
                if (refused.code() != BUSY || !refused.getMessage().contains("cannot be reached at this moment")) {
                    others.put(method, refused.code() + " " + refused.getMessage());
                }
            });
            assertThat(others).isEmpty();
            assertThat(daemon.call("list_addresses").path("addresses")).hasSize(1);

            database.back();
            Await.until("keys are made again", () -> answers(daemon, "generate_standard_address", Map.of()));
            assertThat(daemon.call("list_addresses").path("addresses")).hasSize(2);
            calls.forEach(daemon::call);
            assertThat(daemon.call("list_addresses").path("addresses")).hasSize(4);
        }
    }

    @Test
    void a_key_that_was_made_when_the_database_went_is_reported_as_made() {
        try (DaemonRig daemon = daemon()) {
            CrashPoint.watch(point -> {
                if (point == CrashPoint.MINT_BEFORE_ANSWER) {
                    database.leave();
                }
            });
            WalletdException.RpcError refused = daemon.refused("generate_standard_address");
            CrashPoint.watch(null);

            String made =
                    daemon.call("list_addresses").at("/addresses/0/address").asText();
            assertThat(refused.code()).isEqualTo(-32603);
            assertThat(refused.getMessage())
                    .contains("address " + made + " was made, but what is paid there is not credited yet")
                    .contains("do not repeat the call");
            database.back();
            Await.until(
                    "it is watched",
                    () -> database.number("SELECT count(*) FROM watched WHERE encode(address, 'hex') = '" + made + "'")
                            == 1);
        } finally {
            CrashPoint.watch(null);
        }
    }

    /** The datadir lock and the token files are checked by threads of their own. */
    @Test
    void a_database_that_says_nothing_keeps_no_thread_from_the_files_of_the_datadir() throws Exception {
        try (DaemonRig daemon = daemon()) {
            database.fallSilent();
            List<CompletableFuture<JsonNode>> mints = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                mints.add(CompletableFuture.supplyAsync(() -> daemon.call("generate_standard_address"), threads));
            }
            Await.until("a thread for keys waits for the database", DatabaseKeysTest::waitsForRows);
            Files.delete(datadir().resolve(DatadirLock.FILE));
            Await.result(daemon.gaveUp());
            assertThat(mints).noneMatch(CompletableFuture::isDone);
            database.back();
        }
    }

    private static boolean waitsForRows() {
        return Thread.getAllStackTraces().entrySet().stream()
                .anyMatch(thread -> thread.getKey().getName().contains("key-rows")
                        && Arrays.stream(thread.getValue())
                                .anyMatch(frame -> frame.getClassName().equals(KeyRows.class.getName())));
    }

    private static boolean answers(DaemonRig daemon, String method, Map<String, ?> params) {
        try {
            daemon.call(method, params);
            return true;
        } catch (WalletdException.RpcError refused) {
            assertThat(refused.code()).as(refused.getMessage()).isEqualTo(BUSY);
            return false;
        }
    }
}
