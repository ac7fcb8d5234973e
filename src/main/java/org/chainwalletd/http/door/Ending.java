package org.chainwalletd.http.door;

import java.util.Optional;

/** The ways in which one connection can be ended from outside of its streams. Safe for threads; what ends a connection runs on the caller's. */
public final class Ending {
    private static final Runnable NOTHING = () -> {};

    private Runnable finish = NOTHING;
    private Runnable hangUp = NOTHING;
    private Runnable abort = NOTHING;
    private Runnable giveUp = NOTHING;
    private Runnable lastWord = NOTHING;
    private Optional<Runnable> goodbye = Optional.empty();
    private boolean draining;

    /**
     * @param hangUp closes the connection; callable from any thread, also later
     * @param abort resets it, likewise
     */
    synchronized void opened(Runnable hangUp, Runnable abort) {
        this.finish = hangUp;
        this.hangUp = hangUp;
        this.abort = abort;
    }

    /** @param finish ends the connection once what is being written is out; callable from any thread */
    synchronized void finishesBy(Runnable finish) {
        this.finish = finish;
    }

    /** @param goodbye ends the connection politely where more than the end of the bytes belongs to that; callable from any thread */
    public synchronized void saysGoodbyeBy(Runnable goodbye) {
        this.goodbye = Optional.of(goodbye);
    }

    /** @param lastWord has what still comes dropped, and ends the connection in a moment; callable from any thread */
    synchronized void saysLastWordBy(Runnable lastWord) {
        this.lastWord = lastWord;
    }

    /** For a connection of which nothing more is read. */
    public synchronized Runnable lastWord() {
        return lastWord;
    }

    /** @param giveUp answers the request in work with 503, if there is one; callable from any thread */
    public synchronized void givesUpBy(Runnable giveUp) {
        this.giveUp = giveUp;
    }

    /** From now on the connection ends with the answer it works on. */
    synchronized void drains() {
        draining = true;
    }

    public synchronized boolean draining() {
        return draining;
    }

    /** For a connection that is idle. */
    synchronized Runnable politely() {
        return goodbye.orElse(finish);
    }

    /** For a connection of a stop whose last answer is given: where only the end of the bytes belongs to that, the answer's stream sees to it. */
    synchronized Runnable afterTheLast() {
        return draining ? goodbye.orElse(NOTHING) : NOTHING;
    }

    /** Once what is being written is out. */
    synchronized Runnable finish() {
        return finish;
    }

    /** Answers what is still in work with 503. */
    void giveUp() {
        Runnable ending;
        synchronized (this) {
            ending = giveUp;
        }
        ending.run();
    }

    /** Closes the connection at once; nothing of it may be in work. */
    void hangUp() {
        Runnable ending;
        synchronized (this) {
            ending = hangUp;
        }
        ending.run();
    }

    /** Ends the connection at once, whatever it is doing. */
    void abort() {
        Runnable ending;
        synchronized (this) {
            ending = abort;
        }
        ending.run();
    }
}
