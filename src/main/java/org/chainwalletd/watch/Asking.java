package org.chainwalletd.watch;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.client.WalletdException;

/** Asks the daemon at intervals, and sooner when an event says that something has changed. */
final class Asking implements Runnable {
    private final Readings readings;
    private final Mailbox mailbox;
    private final Watch.Pace pace;
    private final LinkedBlockingQueue<Boolean> sooner = new LinkedBlockingQueue<>(1);

    Asking(Readings readings, Mailbox mailbox, Watch.Pace pace) {
        this.readings = readings;
        this.mailbox = mailbox;
        this.pace = pace;
    }

    /** Something has changed. */
    void soon() {
        sooner.offer(true);
    }

    @Override
    public void run() {
        Duration pause = pace.firstPause();
        int round = 0;
        while (!mailbox.isOver()) {
            try {
                mailbox.tell(new Mailbox.Message.Read(readings.quick()));
                if (round++ % pace.slowEvery() == 0) {
                    mailbox.tell(new Mailbox.Message.ReadMore(readings.slow()));
                }
                pause = pace.firstPause();
                await(pace.interval());
            } catch (WalletdException failure) {
                if (Watch.isFinal(failure)) {
                    mailbox.end(failure);
                } else {
                    mailbox.tell(new Mailbox.Message.Unreadable(failure.getMessage()));
                    mailbox.rest(pause);
                    pause = pace.longer(pause);
                    round = 0;
                }
            }
        }
    }

    private void await(Duration interval) {
        try {
            sooner.poll(interval.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
