package org.chainwalletd.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.chainwalletd.boot.DevelopmentNode;
import org.chainwalletd.config.Option;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.SettingsLoader;
import org.chainwalletd.devnet.Devnet;

/** Runs a development node alone, for daemons and tests in other processes. */
final class DevnetCommand implements Command {
    @Override
    public String word() {
        return "devnet";
    }

    @Override
    public String summary() {
        return "Runs a development node of the chain alone until SIGTERM; its chain is kept in <datadir>/devnet.";
    }

    @Override
    public List<Flag> flags() {
        return List.of(
                new Flag("--pool", "", "bring a swap pool, and an account chain (anvil) unless one is named"),
                new Flag("--pool-evm-rpc", "URL", "development account chain for the pool, chain id 31337"),
                new Flag("--anvil", "PATH", "the program anvil, or a folder that has it below (default: on the PATH)"));
    }

    @Override
    public int run(Invocation invocation) {
        Map<String, String> flags = new LinkedHashMap<>(invocation.flags());
        flags.put(Option.DEVNET.flag(), "true");
        Settings settings = SettingsLoader.load(flags, invocation.environment(), invocation.home())
                .settings();
        Settings.Devnet wanted = settings.devnet().orElseThrow();
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        try (Devnet devnet = DevelopmentNode.startAlone(settings);
                TrialGround ground = TrialGround.start(invocation, devnet)) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> endWell(stop, stopped), "stop"));
            invocation
                    .out()
                    .println("development node on " + devnet.uri() + " (chain in " + wanted.folder()
                            + "), its indexer on " + devnet.indexerUri());
            ground.describe(invocation.out());
            invocation.out().flush();
            stop.await();
        } catch (TrialGround.MissingException e) {
            return invocation.fail(ExitCode.FAILED, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        stopped.countDown();
        return ExitCode.OK;
    }

    /** The JVM would end with 143 after SIGTERM. */
    private static void endWell(CountDownLatch stop, CountDownLatch stopped) {
        stop.countDown();
        try {
            stopped.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(ExitCode.OK);
    }
}
