package org.chainwalletd.devnet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.devnet.ledger.LedgerView.Tip;
import org.chainwalletd.testkit.ManualClock;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The chain in its folder: restarts, crashes and foreign files. */
class RestartTest {
    private static final ChainProfile CHAIN = ChainProfile.of("chain");

    @TempDir
    Path folder;

    private DevnetConfig config;
    private Path log;

    @BeforeEach
    void configure() {
        config = DevnetConfig.onDemand(CHAIN)
                .withFolder(folder)
                .withFirstBlocks(5)
                .withClock(new ManualClock(Instant.parse("2026-11-21T12:00:00Z")));
        log = folder.resolve("blocks.log");
    }

    @Test
    void a_chain_survives_a_restart_with_payments_and_reorganisations() throws IOException {
        Tip before;
        Hash256 paid;
        Hash256 stateRoot;
        try (Devnet devnet = Devnet.start(config)) {
            paid = devnet.faucet(ChainHarness.A.address, Amount.of(5_000));
            devnet.mine(2);
            devnet.reorg(1);
            devnet.mine(1);
            before = devnet.tip();
            stateRoot = devnet.ledger().stateRoot();
        }
        try (Devnet devnet = Devnet.start(config)) {
            assertThat(devnet.tip()).isEqualTo(before);
            assertThat(devnet.ledger().stateRoot()).isEqualTo(stateRoot);
            assertThat(devnet.ledger().transaction(paid)).isPresent();
            assertThat(devnet.mine(1)).hasSize(1);
            devnet.reorg(3);
            assertThat(devnet.tip().height()).isEqualTo(before.height() + 2);
        }
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(log)))
                .isEqualTo("rw-------");
    }

    @Test
    void a_record_that_a_crash_cut_off_is_dropped() throws IOException {
        Tip before;
        try (Devnet devnet = Devnet.start(config)) {
            before = devnet.tip();
            devnet.mine(1);
        }
        byte[] whole = Files.readAllBytes(log);
        int lastRecord = 247 + 1 + 12;
        for (int kept : List.of(1, 11, 12, 100, lastRecord - 1)) {
            Files.write(log, Arrays.copyOf(whole, whole.length - lastRecord + kept));
            try (Devnet devnet = Devnet.start(config)) {
                assertThat(devnet.tip()).as("%s bytes of the last record", kept).isEqualTo(before);
                devnet.mine(1);
                assertThat(devnet.tip().height()).isEqualTo(before.height() + 1);
            }
        }
    }

    @Test
    void zeros_that_a_power_cut_left_at_the_end_are_dropped() throws IOException {
        Tip before;
        try (Devnet devnet = Devnet.start(config)) {
            before = devnet.tip();
        }
        Files.write(log, new byte[5_000], StandardOpenOption.APPEND);
        try (Devnet devnet = Devnet.start(config)) {
            assertThat(devnet.tip()).isEqualTo(before);
        }
    }

    @Test
    void damage_in_the_middle_is_refused_and_nothing_is_changed() throws IOException {
        Devnet.start(config).close();
        byte[] whole = Files.readAllBytes(log);
        for (int at : List.of(0, 5, 9, 20, 200, 220, 400)) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 0x10;
            Files.write(log, damaged);
            assertThatThrownBy(() -> Devnet.start(config))
                    .as("damage at byte %s", at)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(log.toString())
                    .hasMessageMatching("(?s).*(restore it from a copy|choose another folder).*");
            assertThat(Files.readAllBytes(log)).isEqualTo(damaged);
        }
    }

    @Test
    void a_folder_of_another_brand_is_refused() throws IOException {
        Devnet.start(config).close();
        DevnetConfig alpha = DevnetConfig.onDemand(ChainProfile.of("alpha")).withFolder(folder);
        assertThatThrownBy(() -> Devnet.start(alpha))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("devnet blocks 1 chain c2ce5a16")
                .hasMessageContaining("choose another folder");
    }

    @Test
    void a_folder_in_use_is_refused() throws IOException {
        try (Devnet first = Devnet.start(config)) {
            assertThatThrownBy(() -> Devnet.start(config))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is in use by another development node");
            assertThat(first.mine(1)).hasSize(1);
        }
    }

    @Test
    void an_address_in_use_is_refused_and_leaves_the_folder_free() throws IOException {
        try (Devnet other = Devnet.start(DevnetConfig.onDemand(CHAIN).withFirstBlocks(0))) {
            DevnetConfig taken = config.withBind(
                    new InetSocketAddress("127.0.0.1", other.uri().getPort()));
            assertThatThrownBy(() -> Devnet.start(taken))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(
                            "cannot listen on 127.0.0.1:" + other.uri().getPort())
                    .hasMessageContaining("--devnet-bind");
        }
        Devnet.start(config).close();
    }

    @Test
    void the_same_seed_and_clock_make_the_same_chain() throws IOException {
        DevnetConfig seeded =
                DevnetConfig.onDemand(CHAIN).withClock(config.clock()).withSeed(OptionalLong.of(7));
        try (Devnet one = Devnet.start(seeded);
                Devnet two = Devnet.start(seeded);
                Devnet other = Devnet.start(seeded.withSeed(OptionalLong.of(8)))) {
            for (Devnet devnet : List.of(one, two, other)) {
                devnet.faucet(ChainHarness.A.address, Amount.of(5_000));
                devnet.mine(3);
            }
            assertThat(one.tip()).isEqualTo(two.tip());
            assertThat(one.tip().id()).isNotEqualTo(other.tip().id());
        }
    }
}
