package org.chainwalletd.watch;

import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.jline.terminal.Terminal;
import org.jline.utils.NonBlockingReader;

/**
 * Watches a daemon until somebody has seen enough. One thread owns the board and its surface and is told everything by messages; {@link Asking}
 * and {@link Listening} have a thread each. A daemon that is away is asked again, with longer and longer pauses.
 */
public final class Watch {
    private static final Duration REDRAW = Duration.ofSeconds(1);
    private static final long KEY_WAIT_MILLIS = 100;

    private final WalletdClient daemon;
    private final String url;
    private final Pace pace;
    private final Mailbox mailbox = new Mailbox();

    /**
     * @param interval between two readings
     * @param slowEvery every how many readings balances and HTLCs are asked for too
     * @param firstPause after a failure; doubled up to {@code longestPause}
     */
    public record Pace(Duration interval, int slowEvery, Duration firstPause, Duration longestPause) {
        public static Pace every(Duration interval) {
            return new Pace(interval, 10, Duration.ofSeconds(1), Duration.ofSeconds(30));
        }

        Duration longer(Duration pause) {
            Duration doubled = pause.multipliedBy(2);
            return doubled.compareTo(longestPause) < 0 ? doubled : longestPause;
        }
    }

    /** @param url of the daemon, to be shown */
    public Watch(WalletdClient daemon, URI url, Pace pace) {
        this.daemon = daemon;
        this.url = url.toString();
        this.pace = pace;
    }

    /** Ends a running watch, from any thread. */
    public void enough() {
        mailbox.end(null);
    }

    /**
     * Prints what is known now, once, in as many lines as it takes.
     *
     * @throws WalletdException when the daemon does not answer or refuses
     */
    public void once(PrintStream out) {
        Readings readings = new Readings(daemon);
        Board board = new Board(url, ZoneId.systemDefault());
        board.read(readings.quick(), Instant.now());
        board.read(readings.slow());
        board.rows(Instant.now()).forEach(row -> out.println(row.text()));
        out.flush();
    }

    /**
     * Prints lines until {@link #enough}, or until nobody reads them any more.
     *
     * @throws WalletdException what does not pass by itself: a wrong token, a wrong certificate
     */
    public void inLines(PrintStream out) {
        run(new Lines(out, Instant::now), out::checkError);
    }

    /**
     * Takes the whole terminal until {@link #enough}, an interrupt (Ctrl-C), or {@code q}; gives it back as it was.
     *
     * @throws WalletdException what does not pass by itself: a wrong token, a wrong certificate
     */
    public void onScreen(Terminal terminal) {
        terminal.handle(Terminal.Signal.INT, signal -> enough());
        terminal.handle(Terminal.Signal.WINCH, signal -> mailbox.tell(new Mailbox.Message.Resized()));
        start("watch-keys", () -> readKeys(terminal));
        run(new Screen(terminal, Instant::now), () -> false);
    }

    /** A read without a time-out would hold the terminal, which could not be closed before another key is pressed. */
    private void readKeys(Terminal terminal) {
        try {
            int key = NonBlockingReader.READ_EXPIRED;
            while (!mailbox.isOver() && key != NonBlockingReader.EOF) {
                key = terminal.reader().read(KEY_WAIT_MILLIS);
                if (key == 'q' || key == 'Q') {
                    enough();
                }
            }
        } catch (IOException e) {
            // No keyboard; signals still end the watch.
        }
    }

    private void run(Surface surface, BooleanSupplier unseen) {
        Board board = new Board(url, ZoneId.systemDefault());
        Asking asking = new Asking(new Readings(daemon), mailbox, pace);
        Listening listening = new Listening(daemon, mailbox, pace, asking::soon);
        start("watch-readings", asking);
        start("watch-events", listening);
        try (surface) {
            while (!mailbox.isOver() && !unseen.getAsBoolean()) {
                surface.show(board);
                Optional<Mailbox.Message> news = mailbox.next(REDRAW);
                while (news.isPresent()) {
                    take(news.get(), board, surface);
                    news = mailbox.next(Duration.ZERO);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            mailbox.end(null);
            listening.close();
        }
        mailbox.failure().ifPresent(failure -> {
            throw failure;
        });
    }

    private static void take(Mailbox.Message news, Board board, Surface surface) {
        if (news instanceof Mailbox.Message.Read read) {
            board.read(read.quick(), Instant.now());
        } else if (news instanceof Mailbox.Message.ReadMore read) {
            board.read(read.slow());
        } else if (news instanceof Mailbox.Message.Unreadable lost) {
            board.unreadable(lost.why());
        } else if (news instanceof Mailbox.Message.Stream stream) {
            board.stream(stream.why());
        } else if (news instanceof Mailbox.Message.Resized) {
            surface.resized();
        } else if (news instanceof Mailbox.Message.Heard heard) {
            Told.of(heard.event(), Instant.now()).ifPresent(happening -> {
                board.happened(happening);
                surface.happened(happening);
            });
        }
    }

    /** Whether asking again is of no use. */
    static boolean isFinal(WalletdException failure) {
        return failure instanceof WalletdException.FingerprintMismatch
                || failure instanceof WalletdException.Authentication;
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
