package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicBoolean;
import org.chainwalletd.devnet.pool.PoolConduct;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.TwoChains;
import org.chainwalletd.testkit.evm.EvmEndpoint;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A daemon whose swaps are unattended reports this where its operator looks. */
@Timeout(180)
class SwapStandstillTest {
    private static final String WHY = "the swap journal cannot be read, swaps stand still";

    @TempDir
    Path datadir;

    private void rename(String from, String to) {
        try (Connection rival = DriverManager.getConnection("jdbc:sqlite:" + datadir.resolve(SqliteStore.FILE_NAME));
                Statement statement = rival.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 5000");
            statement.execute("ALTER TABLE " + from + " RENAME TO " + to);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void readyz_is_503_while_the_swap_journal_cannot_be_read_and_200_once_it_was() {
        try (TwoChains chains = TwoChains.startNow(PoolConduct.HONEST, config -> config)) {
            EvmEndpoint second = chains.evm().newEndpoint();
            chains.rounds(4);
            AtomicBoolean hidden = new AtomicBoolean();
            // The contract is checked after the start has read the journal, and before the engine does.
            second.before("eth_getCode", () -> {
                if (hidden.compareAndSet(false, true)) {
                    rename("swaps", "hidden_swaps");
                }
            });
            try (DaemonRig daemon = new DaemonRig(
                    datadir, chains.chain().uri(), chains.flags(second).toArray(String[]::new))) {
                Await.until(
                        "it says what is wrong", () -> daemon.readiness().body().contains(WHY));
                assertThat(daemon.readiness().statusCode()).isEqualTo(503);

                rename("hidden_swaps", "swaps");

                Await.until("it is ready", () -> daemon.readiness().statusCode() == 200);
                assertThat(daemon.readiness().body()).doesNotContain("swap");
            }
        }
    }
}
