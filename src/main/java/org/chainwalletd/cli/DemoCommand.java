package org.chainwalletd.cli;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import org.chainwalletd.boot.Demo;
import org.chainwalletd.boot.SwapDemo;
import org.chainwalletd.observe.LogSetup;

/** Narrated tour with a temporary datadir and chain. */
final class DemoCommand implements Command {
    @Override
    public String word() {
        return "demo";
    }

    @Override
    public String summary() {
        return "Shows the daemon at work in a minute: addresses, coins, a payment, an HTLC; with --swap a sell and a buy with a"
                + " pool, for which it needs an account chain for development. Leaves nothing behind.";
    }

    @Override
    public List<Flag> flags() {
        return List.of(
                new Flag("--quiet", "", "print nothing"),
                new Flag("--swap", "", "show two swaps instead"),
                new Flag("--pool-evm-rpc", "URL", "with --swap: development account chain, chain id 31337"),
                new Flag(
                        "--anvil",
                        "PATH",
                        "with --swap: the program anvil, or a folder that has it below (default: on the PATH)"));
    }

    @Override
    public int run(Invocation invocation) {
        PrintStream out = invocation.option("--quiet").isPresent()
                ? new PrintStream(OutputStream.nullOutputStream())
                : invocation.out();
        // Log lines between the steps would obscure the tour.
        LogSetup.warningsOnly();
        if (invocation.option("--swap").isEmpty()) {
            Demo.runAlone(out);
            return ExitCode.OK;
        }
        try {
            SwapDemo.runAlone(out, devnet -> DevnetCounterparty.begin(invocation, devnet));
            return ExitCode.OK;
        } catch (DevnetCounterparty.MissingException e) {
            return invocation.fail(ExitCode.FAILED, e.getMessage());
        }
    }
}
