package org.chainwalletd;

import org.chainwalletd.cli.Invocation;
import org.chainwalletd.cli.Program;
import org.chainwalletd.observe.LogProvider;
import org.slf4j.LoggerFactory;

/** Entry point of the launcher. */
public final class Main {
    private static final int FAILED = 1;

    private Main() {}

    public static void main(String[] words) {
        int code = FAILED;
        try {
            LogProvider.use();
            code = Program.run(words, System.getenv(), new Invocation.Streams(System.in, System.out, System.err));
        } catch (RuntimeException | Error e) {
            // An exception that reached the JVM would end only this thread; other threads would keep the process alive.
            LoggerFactory.getLogger(Main.class).error("the program failed", e);
        } finally {
            System.exit(code);
        }
    }
}
