package org.chainwalletd;

import org.chainwalletd.cli.Invocation;
import org.chainwalletd.cli.Program;
import org.chainwalletd.observe.LogProvider;

/** Entry point of the launcher. */
public final class Main {
    private Main() {}

    public static void main(String[] words) {
        LogProvider.use();
        int code = Program.run(words, System.getenv(), new Invocation.Streams(System.in, System.out, System.err));
        System.exit(code);
    }
}
