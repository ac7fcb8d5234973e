package org.chainwalletd.http;

import java.time.Duration;

/** How far the answer that goes out on a connection is, as far as the socket takes it. Guarded by {@link Connection}. */
final class AnswerWrites {
    private boolean writing;
    private long since;
    private Runnable written;
    private boolean lastPieceOut;
    /** A write that began before the last piece of the answer was on its way. */
    private boolean earlierWrite;
    /** Answers over HTTP/1 that were given so far, and those of them that have begun to go out. */
    private int given;

    private int begun;

    void answerGiven() {
        given++;
    }

    /** Whether the bytes that come are those of an answer that somebody has given; asked once for each piece. */
    boolean isOfAnAnswer() {
        boolean ours = given != begun || isAwaited();
        begun = given;
        return ours;
    }

    /** Whether an answer over HTTP/1 is given and not all out, also while none of its pieces is being written. */
    boolean isUnderWay() {
        return writing || given != begun || isAwaited();
    }

    /** Whether somebody is to be told when the answer is out. */
    boolean isAwaited() {
        return written != null;
    }

    boolean writing() {
        return writing;
    }

    /** Whether the present piece waits longer for its reader than {@code deadline}. */
    boolean lateFor(Duration deadline, long now) {
        return writing && lastsFor(now) > deadline.toNanos();
    }

    /** How long the present piece waits: nanoseconds. */
    long lastsFor(long now) {
        return now - since;
    }

    void started() {
        writing = true;
        since = System.nanoTime();
    }

    /** Returns what is to run now. */
    Runnable done() {
        writing = false;
        Runnable ending = lastPieceOut && !earlierWrite ? end() : () -> {};
        earlierWrite = false;
        return ending;
    }

    /** Returns what was to run after an earlier answer. */
    Runnable whenWritten(Runnable next) {
        Runnable before = end();
        written = next;
        return before;
    }

    /** The last piece is on its way to the socket. */
    void lastPiece() {
        lastPieceOut = true;
        earlierWrite = writing;
    }

    /** The answer is out, or the connection gone. Returns what is to run now. */
    Runnable end() {
        Runnable taken = written == null ? () -> {} : written;
        written = null;
        lastPieceOut = false;
        return taken;
    }
}
