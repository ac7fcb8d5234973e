package org.chainwalletd.cli;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.chainwalletd.boot.DevnetSetup;
import org.chainwalletd.config.Option;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.SettingsLoader;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.compare.Comparison;

/** Command that runs a development node without a daemon, for daemons and tests in other processes. */
final class DevnetCommand implements Command {
    private static final String COMPARE = "compare";

    @Override
    public String word() {
        return "devnet";
    }

    @Override
    public String summary() {
        return "Runs a development node of the chain alone until SIGTERM; its chain is kept in <datadir>/devnet. "
                + "devnet compare --with URL: asks it and another node the same questions, and tells where the answers differ.";
    }

    @Override
    public List<String> arguments() {
        return List.of("[compare]");
    }

    @Override
    public List<Flag> flags() {
        return List.of(
                new Flag(
                        "--with",
                        "URL",
                        "with compare: the other node, best a real one on a development network of its own"),
                new Flag("--pool", "", "bring a swap pool, and an account chain (anvil) unless one is named"),
                new Flag("--pool-evm-rpc", "URL", "development account chain for the pool, chain id 31337"),
                new Flag("--anvil", "PATH", "the program anvil, or a folder that has it below (default: on the PATH)"));
    }

    @Override
    public int run(Invocation invocation) {
        if (!invocation.arguments().isEmpty()) {
            return compare(invocation);
        }
        Map<String, String> flags = new LinkedHashMap<>(invocation.flags());
        flags.put(Option.DEVNET.flag(), "true");
        Settings settings = SettingsLoader.load(flags, invocation.environment(), invocation.home())
                .settings();
        Settings.Devnet wanted = settings.devnet().orElseThrow();
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        try (Devnet devnet = DevnetSetup.startAlone(settings);
                DevnetCounterparty counterparty = DevnetCounterparty.start(invocation, devnet)) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> endWell(stop, stopped), "stop"));
            invocation
                    .out()
                    .println("development node on " + devnet.uri() + " (chain in " + wanted.folder()
                            + "), its indexer on " + devnet.indexerUri());
            counterparty.describe(invocation.out());
            invocation.out().flush();
            stop.await();
        } catch (DevnetCounterparty.MissingException e) {
            return invocation.fail(ExitCode.FAILED, e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        stopped.countDown();
        return ExitCode.OK;
    }

    private static int compare(Invocation invocation) {
        Optional<URI> other = invocation.option("--with").flatMap(DevnetCommand::node);
        if (!invocation.arguments().equals(List.of(COMPARE)) || other.isEmpty()) {
            return invocation.fail(ExitCode.USAGE, "say devnet compare --with http://HOST:PORT");
        }
        List<Comparison.Finding> findings = new ArrayList<>();
        boolean coins;
        try {
            coins = Comparison.run(invocation.configuration().settings().chain(), other.get(), finding -> {
                findings.add(finding);
                print(invocation, finding);
            });
        } catch (IOException | IllegalArgumentException e) {
            return invocation.fail(
                    ExitCode.FAILED, "not compared to the end with " + other.get() + ": " + e.getMessage());
        }
        long different = findings.stream().filter(Comparison.Finding::differs).count();
        invocation.out().println(findings.size() + " questions, " + different + " answered differently");
        if (!coins) {
            invocation
                    .out()
                    .println(
                            "Payments and contracts were left out: the node lists no coins of the miner key of seed 32 x 03."
                                    + " Start it with that key to have them compared too.");
        }
        return different == 0 ? ExitCode.OK : ExitCode.FAILED;
    }

    private static Optional<URI> node(String text) {
        try {
            URI uri = new URI(text);
            return "http".equals(uri.getScheme()) && uri.getHost() != null ? Optional.of(uri) : Optional.empty();
        } catch (URISyntaxException e) {
            return Optional.empty();
        }
    }

    private static void print(Invocation invocation, Comparison.Finding finding) {
        if (finding.differs()) {
            invocation.out().println("DIFFERS " + finding.question());
            invocation.out().println("  here:  " + finding.ours());
            invocation.out().println("  there: " + finding.theirs());
        } else {
            invocation.out().println("same    " + finding.question());
        }
        invocation.out().flush();
    }

    /** Exits with code 0 on SIGTERM; the JVM would exit with 143. */
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
