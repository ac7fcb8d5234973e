package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A datadir belongs to one chain and one store: a start with any other is refused before anything is served. */
class PinnedDatadirTest {
    @TempDir
    Path folder;

    @AutoClose
    private Devnet devnet;

    @BeforeEach
    void useOnce() throws IOException {
        devnet = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(3));
        try (DaemonRig daemon = new DaemonRig(folder, devnet.uri())) {
            daemon.awaitPinned(folder);
        }
    }

    private void assertRefused(String words, String... flags) {
        assertThatThrownBy(() -> new DaemonRig(folder, devnet.uri(), flags))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining(words);
    }

    @Test
    void a_store_that_is_gone_is_not_recreated_unless_the_operator_says_so() throws IOException {
        Files.delete(folder.resolve("walletd.db"));
        Files.deleteIfExists(folder.resolve("walletd.db-wal"));
        Files.deleteIfExists(folder.resolve("walletd.db-shm"));

        assertRefused("is missing although this datadir has worked with one");
        assertThat(folder.resolve("walletd.db")).doesNotExist();

        try (DaemonRig daemon = new DaemonRig(folder, devnet.uri(), "--store-restored", "true")) {
            assertThat(daemon.call("get_status")).isNotNull();
        }
        assertRefused("start without --store-restored", "--store-restored", "true");
    }

    @Test
    void an_expected_chain_that_is_not_the_pinned_one_is_refused() {
        String pinned = devnet.genesisId().hex();

        assertRefused(pinned, "--expect-genesis", "ab".repeat(32));

        try (DaemonRig daemon = new DaemonRig(folder, devnet.uri(), "--expect-genesis", pinned)) {
            assertThat(daemon.call("get_status")).isNotNull();
        }
    }
}
