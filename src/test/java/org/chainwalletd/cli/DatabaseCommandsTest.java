package org.chainwalletd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.chainwalletd.boot.Daemon;
import org.chainwalletd.crypto.Argon2;
import org.chainwalletd.store.postgres.TestDatabase;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.OwnFiles;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Commands beside a keyring in a PostgreSQL database. The keyring is created once, because sealing has its full cost. */
@Tag("long")
@TestInstance(Lifecycle.PER_CLASS)
class DatabaseCommandsTest {
    private static final String KEYS = "SELECT count(*) FROM keys";
    private static final Party PARTY = new Party(7);

    @TempDir
    static Path folder;

    @RegisterExtension
    final DevnetExtension node = new DevnetExtension();

    private final TestDatabase database = new TestDatabase();
    private final Commands commands = new Commands();

    @BeforeAll
    void mint() {
        try (DaemonRig daemon = daemon()) {
            daemon.call("generate_standard_address", "label", "shop");
        }
    }

    @AfterAll
    void close() throws IOException {
        database.close();
    }

    /** Daemon whose sealed files have the same cost as those of the commands. */
    private DaemonRig daemon() {
        return DaemonRig.ofCost(Argon2.SPECIFIED, datadir(), database.flags(folder));
    }

    private Path datadir() {
        return folder.resolve("datadir");
    }

    private int run(String passphrase, String... words) {
        return run(database, datadir(), passphrase, words);
    }

    private int run(TestDatabase store, Path datadir, String passphrase, String... words) {
        commands.forget();
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--datadir", datadir.toString(), "--store", store.url()));
        all.addAll(List.of("--node-rpc", node.uri().toString()));
        return commands.run(
                "",
                Map.of("WALLETD_KEYSTORE_PASSPHRASE", passphrase, "WALLETD_STORE_PASSWORD", "any"),
                all.toArray(String[]::new));
    }

    @Test
    void migrate_imports_into_the_database_while_no_daemon_runs() throws Exception {
        Path files = Files.createDirectory(folder.resolve("files"));
        OwnFiles.secret(files.resolve(PARTY.address.hex() + ".key"), PARTY.secret());
        try (DaemonRig daemon = daemon()) {
            assertThat(run(daemon.token(), "migrate", "--from", files.toString()))
                    .as("whatever the passphrase")
                    .isEqualTo(2);
            assertThat(commands.err()).contains("migrate: ", "datadir").hasLineCount(1);
        }
        assertThat(run("mistyped", "migrate", "--from", files.toString())).isEqualTo(2);
        assertThat(commands.err()).contains("wrong passphrase").hasLineCount(1);
        assertThat(database.number(KEYS)).isEqualTo(1);

        assertThat(run(DaemonRig.PASSPHRASE, "migrate", "--from", files.toString()))
                .as(commands.err())
                .isZero();
        assertThat(commands.out()).contains("migrated 1 keys, 0 were there already");
        assertThat(run(DaemonRig.PASSPHRASE, "migrate", "--from", files.toString()))
                .isZero();
        assertThat(commands.out()).contains("migrated 0 keys, 1 were there already");
        assertThat(datadir().resolve("wallets")).doesNotExist();
        try (DaemonRig daemon = daemon()) {
            assertThat(daemon.call("sign_message", "address", PARTY.address, "message", "mine")
                            .path("pubkey")
                            .asText())
                    .isEqualTo(PARTY.key.toString());
        }
    }

    @Test
    void doctor_looks_at_the_keyring_and_the_passphrase_in_the_database_and_writes_nothing() {
        long commits = database.number("SELECT max(number) FROM commits");
        run(DaemonRig.PASSPHRASE, "doctor");
        assertThat(commands.out())
                .contains("answers, and a start would use it")
                .contains(database.number(KEYS) + " keys in postgresql://postgres@127.0.0.1")
                .doesNotContain("wrong passphrase");
        run("mistyped", "doctor");
        assertThat(commands.out()).contains("wrong passphrase");
        database.leave();
        assertThat(run(DaemonRig.PASSPHRASE, "doctor")).isEqualTo(ExitCode.FAILED);
        assertThat(commands.out()).contains("does not answer");
        assertThat(commands.err()).isEmpty();
        database.back();
        assertThat(database.number("SELECT max(number) FROM commits")).isEqualTo(commits);
        assertThat(datadir().resolve("wallets")).doesNotExist();
    }

    @Test
    void token_create_finds_the_addresses_of_a_label_in_the_database() {
        assertThat(run(DaemonRig.PASSPHRASE, "token", "create", "other", "--scope", "spend", "--from", "unknown"))
                .isNotZero();
        assertThat(commands.err()).contains("no address has the label unknown").hasLineCount(1);
        assertThat(run(DaemonRig.PASSPHRASE, "token", "create", "till", "--scope", "spend", "--from", "shop"))
                .as(commands.err())
                .isZero();
        assertThat(commands.out()).containsPattern("[0-9a-f]{64}");
        assertThat(run(DaemonRig.PASSPHRASE, "token", "list")).isZero();
        assertThat(commands.out()).contains("till", "from=1 addresses").doesNotContain("other");
    }

    @Test
    void store_restored_fails_as_long_as_a_log_is_missing_and_succeeds_in_any_order_and_as_often_as_it_is_said()
            throws IOException {
        try (TestDatabase store = new TestDatabase()) {
            Path one = folder.resolve("one");
            Path two = folder.resolve("two");
            new DaemonRig(one, node.uri(), store.flags(folder)).close();
            Daemon.start(
                            DaemonRig.settings(two, node.uri(), store.flags(folder)),
                            DaemonRig.passphrase(),
                            line -> {},
                            DaemonRig.COST,
                            Clock.systemUTC())
                    .close();
            store.backUp();
            try (DaemonRig daemon = new DaemonRig(one, node.uri(), store.flags(folder))) {
                daemon.call("generate_standard_address", "label", "lost");
            }
            store.putBack();

            assertThat(restored(store, two)).as("it lacks nothing").isEqualTo(ExitCode.OK);
            assertThat(commands.out()).contains("nothing was done");
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThat(restored(store, one)).isEqualTo(ExitCode.FAILED);
                assertThat(commands.err())
                        .hasLineCount(1)
                        .contains("still stopped", "the datadir " + two, "store restored", "--without");
            }
            assertThat(restored(store, two)).as(commands.err()).isEqualTo(ExitCode.OK);
            assertThat(commands.out()).contains("entered from sent.log", "1 keys are listed again");
            assertThat(restored(store, two)).isEqualTo(ExitCode.OK);
            assertThat(restored(store, one)).isEqualTo(ExitCode.OK);
            assertThat(commands.out()).contains("nothing was done");
        }
    }

    private int restored(TestDatabase store, Path datadir) {
        return run(store, datadir, DaemonRig.PASSPHRASE, "store", "restored");
    }
}
