package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.keyring.InitSeeded;
import org.chainwalletd.keyring.Migrate;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** An address may be paid as soon as a caller knows it: the books watch it by then, whatever the origin of its key. */
@Tag("long")
@Timeout(180)
class NewKeysTest {
    private static final PrintStream NOWHERE = new PrintStream(OutputStream.nullOutputStream());

    /** Secret of address A in the vectors. */
    private static final String SECRET = "01".repeat(32);

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    @TempDir
    Path first;

    @TempDir
    Path second;

    private final List<String> keys = new ArrayList<>();

    @Test
    void keys_that_are_made_here_are_watched_when_they_are_returned() throws Exception {
        assertThat(new InitSeeded(offline(first), NOWHERE, NOWHERE).run(DaemonRig.passphrase(), Optional.empty()))
                .isZero();
        try (DaemonRig daemon = new DaemonRig(first, chain.uri(), "--key-pool", "1")) {
            watched(first, daemon.call("generate_address"));
            watched(first, daemon.call("generate_independent_address"));
            // Does not wait for the pool: the key may or may not come from it.
            watched(first, daemon.call("generate_standard_address"));
            Await.until("a key is ready in the pool", () -> daemon.metric("walletd_keyring_pool_keys") == 1);
            watched(first, daemon.call("generate_standard_address"));

            assertPaymentsAreTold(daemon);
        }
    }

    @Test
    void keys_that_are_brought_are_watched_when_they_are_returned() throws Exception {
        try (DaemonRig source = new DaemonRig(first, chain.uri());
                DaemonRig daemon = new DaemonRig(second, chain.uri())) {
            watched(second, daemon.call("import_private_key", "private_key", SECRET));
            watched(second, daemon.call("import_mnemonic", "mnemonic", phrase(source, "independent")));
            watched(second, daemon.call("import_standard_mnemonic", "mnemonic", phrase(source, "standard")));
            source.call("generate_standard_address");
            JsonNode vault = source.call("export_vault", "passphrase", "vault");
            JsonNode imported = daemon.call(
                    "import_vault", "vault_hex", vault.get("vault_hex").asText(), "passphrase", "vault");
            assertThat(imported.get("imported")).isNotEmpty();
            for (JsonNode address : imported.get("imported")) {
                watched(second, address.asText());
            }

            assertPaymentsAreTold(daemon);
        }
    }

    @Test
    void a_key_that_came_while_the_daemon_was_stopped_is_watched_before_it_serves() throws Exception {
        new DaemonRig(first, chain.uri()).close();
        String address = Vectors.text(Vectors.row("addresses.json", "A"), "address");
        Files.writeString(second.resolve(address + ".key"), SECRET);
        assertThat(new Migrate(offline(first), NOWHERE, NOWHERE).run(DaemonRig.passphrase(), second))
                .isZero();

        try (DaemonRig daemon = new DaemonRig(first, chain.uri())) {
            watched(first, address);

            assertPaymentsAreTold(daemon);
        }
    }

    @Test
    void new_books_beside_an_old_keyring_are_read_from_the_birth_of_its_oldest_key() throws Exception {
        String address;
        try (DaemonRig daemon = new DaemonRig(first, chain.uri())) {
            Await.until("the chain is followed, which gives births", () -> follows(daemon));
            address = daemon.newAddress();
            chain.fund(Address.parse(address), 7_000);
        }
        Files.delete(first.resolve(Books.FILE_NAME));
        chain.mine(20);

        try (DaemonRig daemon = new DaemonRig(first, chain.uri())) {
            Await.until(
                    "the old payment is told",
                    () -> daemon.call("list_credits")
                            .get("credits")
                            .findValuesAsText("address")
                            .contains(address));
        }
    }

    private static boolean follows(DaemonRig daemon) {
        try {
            return daemon.call("get_follower_status").get("lag").asLong() == 0;
        } catch (WalletdException.RpcError notYet) {
            return false;
        }
    }

    private static JsonNode phrase(DaemonRig daemon, String kind) {
        String address = daemon.call("generate_" + kind + "_address", Map.of())
                .get("address")
                .asText();
        return daemon.call("reveal_address_mnemonic", "address", address, "passphrase", DaemonRig.PASSPHRASE)
                .get("mnemonic");
    }

    private KeyringSetup offline(Path datadir) {
        Settings settings = DaemonRig.settings(datadir, chain.uri());
        return KeyringSetup.offline(settings.chain(), settings.wallets()).withCost(DaemonRig.COST);
    }

    private void watched(Path datadir, JsonNode answer) throws SQLException {
        watched(datadir, answer.get("address").asText());
    }

    /** Reads the books directly, as they would be found after a crash at this moment. */
    private void watched(Path datadir, String address) throws SQLException {
        keys.add(address);
        try (Connection books = DriverManager.getConnection("jdbc:sqlite:" + datadir.resolve(Books.FILE_NAME));
                PreparedStatement query = books.prepareStatement("SELECT 1 FROM watched WHERE address = ?")) {
            query.setBytes(1, HexFormat.of().parseHex(address));
            assertThat(query.executeQuery().next()).as(address).isTrue();
        }
    }

    private void assertPaymentsAreTold(DaemonRig daemon) {
        Set<String> unpaid = new HashSet<>(keys);
        keys.forEach(key -> chain.fund(Address.parse(key), 7_000));
        Await.until("every payment is in the feed", () -> {
            daemon.call("list_credits")
                    .get("credits")
                    .forEach(credit -> unpaid.remove(credit.get("address").asText()));
            return unpaid.isEmpty();
        });
    }
}
