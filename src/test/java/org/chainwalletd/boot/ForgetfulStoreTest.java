package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.doctor.DatadirCheck;
import org.chainwalletd.doctor.Finding;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.Coins;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A daemon whose store was emptied, or restored from a backup, pays nothing until the operator has restored it, and then no token twice. */
@Tag("long")
class ForgetfulStoreTest {
    private static final long INTERNAL_ERROR = -32603;

    @TempDir
    Path folder;

    @TempDir
    Path elsewhere;

    @AutoClose
    private Devnet devnet;

    private Party shop;
    private String paidBefore;
    private String paidAfter;

    /** State of the store, and of the files beside it. */
    private enum Loss {
        OLDER,
        OLDER_AND_NO_LOG,
        OLDER_WITH_ITS_LOG,
        OLDER_AND_AN_EARLIER_MARK,
        EMPTIED,
        EMPTIED_AND_NO_LOG,
        OLDER_AND_NO_BOOKS
    }

    /** A copy is made after the first payment; the second payment is in a block, so that the books know it. */
    @BeforeEach
    void payTwice() throws IOException {
        devnet = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(10));
        shop = new Party(7);
        try (DaemonRig daemon = DaemonRig.over(devnet, folder)) {
            Party payer = daemon.imported(1);
            daemon.fund(payer, 50_000, 60_000, 70_000);
            daemon.awaitFollowed();
            paidBefore = pay(daemon, "before");
            daemon.mine(1);
            daemon.awaitFollowed();
        }
        copy(folder, elsewhere, "walletd.db", "sent.log");
        try (DaemonRig daemon = DaemonRig.over(devnet, folder)) {
            paidAfter = pay(daemon, "after");
            daemon.mine(1);
            daemon.awaitFollowed();
        }
    }

    private static void copy(Path from, Path to, String... names) throws IOException {
        for (String name : names) {
            Files.copy(from.resolve(name), to.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    private Map<String, Object> payment(String token) {
        return DaemonRig.payment(
                new Party(1).address, shop.address, 1_000 + token.length(), "client_token", "token-of-" + token);
    }

    private String pay(DaemonRig daemon, String token) {
        return daemon.call("transfer", payment(token)).path("tx_id").asText();
    }

    private void lose(Loss loss) throws IOException {
        if (loss.name().startsWith("EMPTIED")) {
            Path other = Files.createDirectory(elsewhere.resolve("other"));
            SqliteStore.open(other).close();
            copy(other, folder, "walletd.db");
        } else {
            copy(elsewhere, folder, "walletd.db");
        }
        if (loss.name().endsWith("NO_LOG")) {
            Files.delete(folder.resolve("sent.log"));
        } else if (loss == Loss.OLDER_WITH_ITS_LOG) {
            copy(elsewhere, folder, "sent.log");
        } else if (loss == Loss.OLDER_AND_AN_EARLIER_MARK) {
            Files.delete(folder.resolve("sent.log"));
            Files.writeString(folder.resolve("store-id"), mark());
        } else if (loss == Loss.OLDER_AND_NO_BOOKS) {
            Files.delete(folder.resolve("books.db"));
        }
    }

    /** Mark that an older release wrote for a store that it created. */
    private static String mark() {
        String line = "ab".repeat(16) + " " + "0".repeat(16) + " m";
        CRC32 crc = new CRC32();
        crc.update(line.getBytes(StandardCharsets.ISO_8859_1));
        return line + String.format(" %08x\n", crc.getValue());
    }

    private List<String> doctor() {
        return new DatadirCheck(DaemonRig.settings(folder, devnet.uri()))
                .examine().stream().map(Finding::line).toList();
    }

    private void assertStopped() {
        assertThat(doctor()).anyMatch(line -> line.startsWith("FAIL  store: ") && line.contains("store restored"));
        try (DaemonRig daemon = DaemonRig.over(devnet, folder)) {
            daemon.awaitFollowed();
            for (String token : List.of("after", "new")) {
                assertThat(daemon.refusedUnsent((int) INTERNAL_ERROR, "transfer", payment(token)))
                        .contains("spending is stopped")
                        .contains("store restored");
            }
            assertThat(daemon.readiness().body()).contains("\"ready\":false").contains("so nothing is spent");
            assertThat(daemon.call("get_balance", "address", shop.address).isMissingNode())
                    .isFalse();
            assertThat(daemon.node().count("send_raw_transaction")).isZero();
        }
        assertThat(payments()).isEqualTo(2);
    }

    /** Returns the number of payments that the shop has according to the chain. */
    private int payments() {
        return Coins.of(devnet, shop.address).size()
                + devnet.ledger()
                        .pendingOf(Bytes.wrap(shop.address.toArray()))
                        .transactions()
                        .size();
    }

    @ParameterizedTest
    @EnumSource(Loss.class)
    void a_daemon_that_has_forgotten_a_payment_pays_nothing_and_reads_continue(Loss loss) throws IOException {
        lose(loss);

        assertStopped();
    }

    @ParameterizedTest
    @EnumSource(names = {"OLDER", "EMPTIED", "OLDER_AND_NO_BOOKS"})
    void after_it_is_restored_from_the_log_old_tokens_answer_what_they_paid(Loss loss) throws IOException {
        lose(loss);
        List<String> told = new ArrayList<>();

        RestoredStore.restore(folder, false, told::add);

        assertThat(told).anyMatch(line -> line.contains(paidAfter));
        assertThat(doctor()).anyMatch(line -> line.startsWith("ok    store: "));
        for (int start = 1; start <= 2; start++) {
            try (DaemonRig daemon = DaemonRig.over(devnet, folder)) {
                daemon.awaitFollowed();
                assertThat(pay(daemon, "after")).isEqualTo(paidAfter);
                assertThat(pay(daemon, "before")).isEqualTo(paidBefore);
                pay(daemon, "new-" + start);
                Await.until("it is ready", () -> daemon.readiness().body().contains("\"ready\":true"));
                daemon.mine(1);
                daemon.awaitFollowed();
            }
        }
        assertThat(payments()).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource(names = {"OLDER_AND_NO_LOG", "OLDER_WITH_ITS_LOG", "EMPTIED_AND_NO_LOG"})
    void a_log_that_does_not_know_them_is_abandoned_by_name_and_what_left_is_listed(Loss loss) throws IOException {
        lose(loss);
        assertThatThrownBy(() -> RestoredStore.restore(folder, false, line -> {}))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("--without sent.log");
        List<String> told = new ArrayList<>();

        RestoredStore.restore(folder, true, told::add);

        assertThat(told).contains("unknown: " + paidAfter);
        try (DaemonRig daemon = DaemonRig.over(devnet, folder)) {
            daemon.awaitFollowed();
            pay(daemon, "new");
        }
    }

    @Test
    void nobody_restores_a_store_that_a_daemon_has() {
        try (DaemonRig daemon = DaemonRig.over(devnet, folder)) {
            assertThatThrownBy(() -> RestoredStore.restore(folder, false, line -> {}))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("another process is using the datadir");
            assertThat(daemon.readiness().body()).isNotEmpty();
        }
    }
}
