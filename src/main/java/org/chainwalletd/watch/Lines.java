package org.chainwalletd.watch;

import java.io.PrintStream;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Supplier;

/** A line for each thing that happens, and one whenever what the board sums up has changed: for pipes, files and dumb terminals. */
final class Lines implements Surface {
    private final PrintStream out;
    private final Supplier<Instant> clock;
    private String last = "";

    Lines(PrintStream out, Supplier<Instant> clock) {
        this.out = out;
        this.clock = clock;
    }

    @Override
    public void show(Board board) {
        String summary = board.summary();
        if (!summary.equals(last)) {
            last = summary;
            print(clock.get(), "status", summary);
        }
    }

    @Override
    public void happened(Board.Happening happening) {
        print(happening.at(), happening.kind(), happening.text());
    }

    private void print(Instant at, String kind, String text) {
        out.println(at.truncatedTo(ChronoUnit.SECONDS) + " " + kind + " " + text);
        out.flush();
    }

    @Override
    public void close() {
        out.flush();
    }
}
