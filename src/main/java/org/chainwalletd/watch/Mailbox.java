package org.chainwalletd.watch;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.client.EventStream;
import org.chainwalletd.client.WalletdException;

/**
 * Messages from the threads of a {@link Watch} to the thread that owns the board, and the signal that ends them all. Bounded: a sender blocks while
 * it is full.
 */
final class Mailbox {
    private static final int BACKLOG = 1_000;
    private static final Duration LOOK_UP = Duration.ofMillis(100);

    /** Message for the board. */
    sealed interface Message {
        record Read(Readings.Quick quick) implements Message {}

        record ReadMore(Readings.Slow slow) implements Message {}

        record Unreadable(String why) implements Message {}

        record Heard(EventStream.DaemonEvent event) implements Message {}

        /** @param why reason why the stream is not open; empty while it is */
        record Stream(String why) implements Message {}

        /** The size of the terminal has changed. */
        record Resized() implements Message {}
    }

    private final LinkedBlockingQueue<Message> messages = new LinkedBlockingQueue<>(BACKLOG);
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile Throwable failure;

    void tell(Message message) {
        try {
            while (!isOver() && !messages.offer(message, LOOK_UP.toMillis(), TimeUnit.MILLISECONDS)) {
                // The queue is full: the drawing thread is slow or has ended.
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the next message; empty if none arrives within {@code patience}, or after the end. */
    Optional<Message> next(Duration patience) throws InterruptedException {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!isOver()) {
            long left = Math.min(deadline - System.nanoTime(), LOOK_UP.toNanos());
            Message message = messages.poll(Math.max(0, left), TimeUnit.NANOSECONDS);
            if (message != null || System.nanoTime() >= deadline) {
                return Optional.ofNullable(message);
            }
        }
        return Optional.empty();
    }

    /**
     * Ends all threads; only the first call has an effect.
     *
     * @param reason null if the user ended the watch
     */
    synchronized void end(Throwable reason) {
        if (!isOver()) {
            failure = reason;
            over.countDown();
        }
    }

    boolean isOver() {
        return over.getCount() == 0;
    }

    /**
     * Throws the failure that ended the watch, if it was not the user.
     *
     * @throws WalletdException the failure that ended it
     * @throws IllegalStateException for a bug in a thread, with the original as its cause
     */
    void throwFailure() {
        Throwable reason = failure;
        if (reason instanceof WalletdException failed) {
            throw failed;
        }
        if (reason != null) {
            throw new IllegalStateException("a thread of the watch has failed: " + reason, reason);
        }
    }

    /** Sleeps for a time, or until the end. */
    void rest(Duration length) {
        try {
            over.await(length.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
