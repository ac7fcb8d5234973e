package org.chainwalletd.cli;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import org.chainwalletd.boot.Demo;

/** The narrated tour on a datadir and a chain of its own, which are gone afterwards. */
final class DemoCommand implements Command {
    @Override
    public String word() {
        return "demo";
    }

    @Override
    public String summary() {
        return "Shows the daemon at work in a minute: addresses, coins, a payment, an HTLC. Leaves nothing behind.";
    }

    @Override
    public List<Flag> flags() {
        return List.of(new Flag("--quiet", "", "print nothing"));
    }

    @Override
    public int run(Invocation invocation) {
        PrintStream out = invocation.option("--quiet").isPresent()
                ? new PrintStream(OutputStream.nullOutputStream())
                : invocation.out();
        Demo.runAlone(out);
        return ExitCode.OK;
    }
}
