package org.chainwalletd.watch;

import java.time.Duration;
import java.util.Optional;
import org.chainwalletd.client.EventStream;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;

/** Listens to the daemon's events, and comes back with the id of the last credit when the stream has ended. */
final class Listening implements Runnable, AutoCloseable {
    private static final Duration LOOK_UP = Duration.ofSeconds(10);

    private final WalletdClient daemon;
    private final Mailbox mailbox;
    private final Watch.Pace pace;
    private final Runnable changed;
    private Optional<String> last = Optional.empty();
    private Duration pause;
    private volatile EventStream open;

    /** @param changed is run at each event */
    Listening(WalletdClient daemon, Mailbox mailbox, Watch.Pace pace, Runnable changed) {
        this.daemon = daemon;
        this.mailbox = mailbox;
        this.pace = pace;
        this.changed = changed;
        pause = pace.firstPause();
    }

    @Override
    public void run() {
        while (!mailbox.isOver()) {
            try (EventStream events = daemon.events(last)) {
                open = events;
                mailbox.tell(new Mailbox.Message.Stream(""));
                hear(events);
            } catch (WalletdException failure) {
                lost(failure);
            }
        }
    }

    private void hear(EventStream events) {
        while (!mailbox.isOver()) {
            events.next(LOOK_UP).ifPresent(event -> {
                pause = pace.firstPause();
                last = event.id().or(() -> last);
                mailbox.tell(new Mailbox.Message.Heard(event));
                changed.run();
            });
        }
    }

    private void lost(WalletdException failure) {
        if (Watch.isFinal(failure)) {
            mailbox.end(failure);
            return;
        }
        if (failure instanceof WalletdException.InvalidParams) {
            // The id is of other books: what is told from now on is better than nothing.
            last = Optional.empty();
        }
        mailbox.tell(new Mailbox.Message.Stream(failure.getMessage()));
        mailbox.rest(pause);
        pause = pace.longer(pause);
    }

    @Override
    public void close() {
        EventStream events = open;
        if (events != null) {
            events.close();
        }
    }
}
