package org.chainwalletd.boot;

import java.io.IOException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;

/** Setup of the development node from the settings, inside the daemon or in its own process. */
public final class DevnetSetup {
    private DevnetSetup() {}

    /**
     * Starts the node without a daemon.
     *
     * @throws StartupException when it cannot start, with one line that says what to do; nothing is created if its port is in use
     */
    public static Devnet startAlone(Settings settings) {
        Settings.Devnet wanted = settings.devnet().orElseThrow();
        try {
            StartupRefusals.requireUsable(settings.datadir());
            refuseEarly(wanted);
            return start(settings, wanted);
        } catch (IOException | RuntimeException e) {
            throw StartupRefusals.explain(e, settings);
        }
    }

    static void refuseEarly(Settings.Devnet wanted) {
        StartupRefusals.requireFree(wanted.bind(), "--devnet-bind");
    }

    static Devnet start(Settings settings, Settings.Devnet wanted) throws IOException {
        DevnetConfig easy = DevnetConfig.onDemand(settings.chain());
        return Devnet.start((wanted.work() ? easy.withWork() : easy)
                .withBind(wanted.bind())
                .withFolder(wanted.folder())
                .withBlockInterval(wanted.blockInterval())
                .withQuotas(wanted.quotas())
                .withPrompt(wanted.prompt())
                .withSeed(wanted.seed()));
    }
}
