package org.chainwalletd.http;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * How long the client of one connection may take for what is its turn, and since when it is owed nothing. Guarded by {@link Connection}; times
 * are nanoseconds of {@link System#nanoTime}.
 *
 * @param turn whose turn it is
 * @param writes how far the answer is
 */
record Deadlines(Turn turn, AnswerWrites writes, HttpLimits limits) {
    /** What a peer has for reading the last answer, and closing, before a stop ends the connection. */
    private static final long TO_READ_THE_LAST = TimeUnit.MILLISECONDS.toNanos(200);

    /** A client that takes no more of its answer, or does not close after its last, is as good as idle from then on. */
    private static final long TO_GO_ON = TimeUnit.SECONDS.toNanos(1);

    private static final Optional<String> READING = Optional.of("reading");

    /** What the client is late with; with sending its request before anything else. */
    Optional<String> late(long now) {
        boolean reading = writes.lateFor(limits.patience().write(), now);
        return reading && !turn.isClients()
                ? READING
                : turn.late(limits, now).or(() -> reading ? READING : Optional.empty());
    }

    /** Whether nothing has come for as long as a connection may be kept. */
    boolean idleTooLong(long now) {
        return turn.isIdleFor(limits.patience().keepAlive(), now);
    }

    /** Whether the peer has had its time for reading the last answer of a stop. */
    boolean hasReadTheLast(long now) {
        return turn.isClosing() && turn.lastsFor(now) > TO_READ_THE_LAST;
    }

    /**
     * Since when the daemon owes the client nothing: it waits for a request, or for a client that does not go on with reading or closing.
     * Empty while a request of it is in work, or an answer goes out.
     */
    OptionalLong quietSince(long now) {
        long lasts = quietFor(now);
        return lasts < 0 ? OptionalLong.empty() : OptionalLong.of(now - lasts);
    }

    /** Negative when it is not quiet. */
    private long quietFor(long now) {
        if (turn.isClosing()) {
            return turn.lastsFor(now) - TO_GO_ON;
        }
        if (!turn.isClients() || !turn.isAllAnswered()) {
            return -1;
        }
        if (writes.writing()) {
            return writes.lastsFor(now) - TO_GO_ON;
        }
        return writes.isAwaited() ? -1 : turn.lastsFor(now);
    }
}
