package org.chainwalletd.devnet.wire;

import java.time.InstantSource;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;

/** Acts when the clock, which a test may set by hand, has reached a time. Thread-safe; the actions must be short. */
final class Alarms {
    private final InstantSource clock;
    private final PriorityQueue<Alarm> pending = new PriorityQueue<>(Comparator.comparingLong(Alarm::at));

    Alarms(InstantSource clock) {
        this.clock = clock;
    }

    record Alarm(long at, Runnable action) {}

    /** Has {@code action} run once {@code millis} milliseconds from now have passed. */
    Alarm in(long millis, Runnable action) {
        return at(clock.millis() + millis, action);
    }

    private synchronized Alarm at(long time, Runnable action) {
        Alarm alarm = new Alarm(time, action);
        pending.add(alarm);
        notifyAll();
        return alarm;
    }

    synchronized void cancel(Alarm alarm) {
        pending.remove(alarm);
    }

    /** Waits until the clock has reached {@code time}. */
    void await(long time) throws InterruptedException {
        CountDownLatch reached = new CountDownLatch(1);
        at(time, reached::countDown);
        reached.await();
    }

    /** Rechecks the clock, for clocks that are set by hand. */
    synchronized void clockMoved() {
        notifyAll();
    }

    /** Runs the actions that are due, until the thread is interrupted. */
    void run() {
        try {
            while (true) {
                next().action().run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized Alarm next() throws InterruptedException {
        while (pending.isEmpty() || pending.peek().at() > clock.millis()) {
            wait(pending.isEmpty() ? 0 : Math.max(1, pending.peek().at() - clock.millis()));
        }
        return pending.remove();
    }
}
