package org.chainwalletd.watch;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.client.EventStream;
import org.chainwalletd.client.WalletdException;

/**
 * Messages of the threads of a {@link Watch} to the one that owns the board, and the end of them all. Bounded: a thread that sends too many waits.
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

        /** @param why reason why the stream is not open; empty when it is */
        record Stream(String why) implements Message {}

        /** Reports that the terminal has another size. */
        record Resized() implements Message {}
    }

    private final LinkedBlockingQueue<Message> messages = new LinkedBlockingQueue<>(BACKLOG);
    private final CountDownLatch over = new CountDownLatch(1);
    private volatile Throwable failure;

    void tell(Message message) {
        try {
            while (!isOver() && !messages.offer(message, LOOK_UP.toMillis(), TimeUnit.MILLISECONDS)) {
                // The drawing thread is slow, or has ended.
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Takes the next message; empty when none comes within {@code patience}, or after the end. */
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
     * Ends all threads for a reason; only the first call counts.
     *
     * @param reason null: the user has just seen enough
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
     * Does nothing when the user has just seen enough.
     *
     * @throws WalletdException the failure that ended all
     * @throws IllegalStateException for a fault of a thread, with it as the cause
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

    /** Sleeps for a time, but not beyond the end. */
    void rest(Duration length) {
        try {
            over.await(length.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
