package org.chainwalletd.blackbox;

import java.nio.file.Path;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.SeededKeyring;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Base of tests of the packaged daemon with a seeded keyring over a development chain, which outlives each process of the daemon. */
abstract class SeededDaemon {
    /** Exit code at a crash point. */
    static final int HALTED = 137;

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension(config -> config.withPrompt(false));

    @TempDir
    Path folder;

    @BeforeEach
    void makeKeyring() {
        SeededKeyring.in(datadir());
    }

    Path datadir() {
        return folder.resolve("datadir");
    }

    LauncherCall daemon() {
        return LauncherCall.daemon(datadir()).node(chain.uri()).and("--rebroadcast-interval-secs", "1");
    }
}
