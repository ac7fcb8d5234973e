package org.chainwalletd.boot;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.config.Option;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.SettingsLoader;
import org.chainwalletd.crypto.Argon2;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.store.files.TemporaryFolder;

/** Daemon with an embedded development chain, on free ports and a temporary datadir. */
final class TemporaryDaemon {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    /** Cheap key derivation: the keys are worthless and are deleted after the demonstration. */
    private static final Argon2 CHEAP = new Argon2(8, 1, 1);

    private TemporaryDaemon() {}

    /** Action that uses the daemon. */
    @FunctionalInterface
    interface Visit {
        void run(WalletdClient daemon, WalletdClient node);
    }

    static void run(Visit visit) {
        run(TemporaryDaemon::flags, daemon -> daemon.nodeUri().orElseThrow(), visit);
    }

    /** Runs a daemon on an already running development chain, with additional options. */
    static void runBeside(Devnet devnet, Map<String, String> more, Visit visit) {
        run(
                datadir -> {
                    Map<String, String> flags = new HashMap<>(more);
                    flags.put(Option.DATADIR.flag(), datadir.toString());
                    flags.put(Option.BIND.flag(), "127.0.0.1:0");
                    flags.put(Option.NODE_RPC.flag(), devnet.uri().toString());
                    flags.put(Option.EXPECT_GENESIS.flag(), devnet.genesisId().hex());
                    return flags;
                },
                daemon -> devnet.uri(),
                visit);
    }

    private static void run(Function<Path, Map<String, String>> flags, Function<Daemon, URI> nodeOf, Visit visit) {
        try (TemporaryFolder folder = TemporaryFolder.create("walletd-demo")) {
            Path datadir = folder.path().resolve("datadir");
            Settings settings = SettingsLoader.load(flags.apply(datadir), Map.of(), folder.path())
                    .settings();
            SecretBytes passphrase = SecretBytes.takeOver("demonstration only".getBytes(StandardCharsets.UTF_8));
            try (Daemon daemon = Daemon.start(settings, passphrase, line -> {}, CHEAP, Clock.systemUTC())) {
                String token = Files.readString(datadir.resolve("token-spend")).strip();
                visit.run(
                        new WalletdClient(daemon.uri(), token, Optional.empty(), TIMEOUT),
                        new WalletdClient(nodeOf.apply(daemon), "none", Optional.empty(), TIMEOUT));
            }
        } catch (IOException e) {
            throw new StartupException("no temporary datadir: " + e.getMessage());
        }
    }

    private static Map<String, String> flags(Path datadir) {
        return Map.of(
                Option.DATADIR.flag(), datadir.toString(),
                Option.BIND.flag(), "127.0.0.1:0",
                Option.DEVNET.flag(), "true",
                Option.DEVNET_BIND.flag(), "127.0.0.1:0",
                Option.DEVNET_BLOCK_INTERVAL.flag(), "1");
    }
}
