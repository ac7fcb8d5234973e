package org.chainwalletd;

import org.chainwalletd.cli.Invocation;
import org.chainwalletd.cli.Program;

/** Entry point of the launcher. */
public final class Main {
    private Main() {}

    public static void main(String[] words) {
        int code = Program.run(words, System.getenv(), new Invocation.Streams(System.in, System.out, System.err));
        System.exit(code);
    }
}
