package org.chainwalletd.watch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.chainwalletd.client.EventStream;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.jline.terminal.Terminal;
import org.jline.utils.NonBlockingReader;

/**
 * Watches a daemon until the user ends it. One thread owns the board and its surface and receives all data as messages; {@link Poller} and {@link
 * EventListener} have one thread each. Requests to a daemon that does not answer are repeated with increasing pauses.
 */
public final class Watch {
    private static final Duration REDRAW = Duration.ofSeconds(1);
    private static final long KEY_WAIT_MILLIS = 100;

    private final WalletdClient daemon;
    private final String url;
    private final Pace pace;
    private final Mailbox mailbox = new Mailbox();

    /**
     * @param interval time between two readings
     * @param slowEvery balances and HTLCs are read on every {@code slowEvery}th reading
     * @param firstPause pause after a failure; doubled up to {@code longestPause}
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

    /** @param url URL of the daemon, for display */
    public Watch(WalletdClient daemon, URI url, Pace pace) {
        this.daemon = daemon;
        this.url = url.toString();
        this.pace = pace;
    }

    /** Ends a running watch, from any thread. */
    public void stop() {
        mailbox.end(null);
    }

    /**
     * Prints the present state once, in as many lines as needed.
     *
     * @throws WalletdException if the daemon does not answer, or refuses
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
     * Prints lines until {@link #stop}, or until the reader of the output has closed it.
     *
     * @throws WalletdException for a failure that is permanent: a wrong token, a wrong certificate
     */
    public void inLines(PrintStream out) {
        run(new Lines(out, Instant::now), out::checkError);
    }

    /**
     * Uses the whole terminal until {@link #stop}, an interrupt (Ctrl-C), or {@code q}; restores it at the end.
     *
     * @throws WalletdException for a failure that is permanent: a wrong token, a wrong certificate
     */
    public void onScreen(Terminal terminal) {
        terminal.handle(Terminal.Signal.INT, signal -> stop());
        terminal.handle(Terminal.Signal.WINCH, signal -> mailbox.tell(new Mailbox.Message.Resized()));
        start("watch-keys", () -> readKeys(terminal));
        run(new Screen(terminal, Instant::now), () -> false);
    }

    /**
     * Reads the keyboard, with a time-out: a read without one would hold the terminal, so that it could not be closed before another key is
     * pressed.
     */
    private void readKeys(Terminal terminal) {
        try {
            int key = NonBlockingReader.READ_EXPIRED;
            while (!mailbox.isOver() && key != NonBlockingReader.EOF) {
                key = terminal.reader().read(KEY_WAIT_MILLIS);
                if (key == 'q' || key == 'Q') {
                    stop();
                }
            }
        } catch (IOException e) {
            // There is no keyboard; signals still end the watch.
        }
    }

    private void run(Surface surface, BooleanSupplier unseen) {
        Board board = new Board(url, ZoneId.systemDefault());
        Poller poller = new Poller(new Readings(daemon), mailbox, pace);
        EventListener listener = new EventListener(daemon, mailbox, pace, poller::soon);
        start("watch-readings", poller);
        start("watch-events", listener);
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
            listener.close();
        }
        mailbox.throwFailure();
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
            EventText.of(heard.event(), Instant.now()).ifPresent(entry -> {
                board.happened(entry);
                surface.happened(entry);
            });
        }
    }

    /** Returns whether a retry is useless. */
    static boolean isFinal(WalletdException failure) {
        return failure instanceof WalletdException.FingerprintMismatch
                || failure instanceof WalletdException.Authentication;
    }

    /** Starts a thread. If it fails for another reason than the daemon, the watch ends: it would show stale data indefinitely. */
    private void start(String name, Runnable work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (RuntimeException | Error fault) {
                        mailbox.end(fault);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    /** Reads the daemon's data at intervals, and sooner after an event. */
    static final class Poller implements Runnable {
        private final Readings readings;
        private final Mailbox mailbox;
        private final Watch.Pace pace;
        private final LinkedBlockingQueue<Boolean> sooner = new LinkedBlockingQueue<>(1);

        Poller(Readings readings, Mailbox mailbox, Watch.Pace pace) {
            this.readings = readings;
            this.mailbox = mailbox;
            this.pace = pace;
        }

        /** Requests the next reading soon, because something has changed. */
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

    /** Formats the daemon's events as text. */
    static final class EventText {
        private static final ObjectMapper JSON = new ObjectMapper();

        private EventText() {}

        /** Returns the entry for an event; empty for events that are of no interest to the user. */
        static Optional<Board.LogEntry> of(EventStream.DaemonEvent event, Instant now) {
            if (event.kind().equals("resync")) {
                return Optional.empty();
            }
            return Optional.of(new Board.LogEntry(
                    now,
                    Row.sanitise(event.kind()),
                    Row.sanitise(words(event, name -> name)),
                    Row.sanitise(words(event, Row::brief))));
        }

        /** @param name formats a hash or address */
        private static String words(EventStream.DaemonEvent event, UnaryOperator<String> name) {
            JsonNode data;
            try {
                data = JSON.readTree(event.data());
            } catch (JsonProcessingException e) {
                return event.data();
            }
            return switch (event.kind()) {
                case "tip" ->
                    Row.number(data.path("height").asLong()) + "  "
                            + name.apply(data.path("block_id").asText());
                case "credit" ->
                    data.path("event").asText() + " "
                            + Row.number(data.path("amount").bigIntegerValue()) + " to "
                            + name.apply(data.path("address").asText()) + " by "
                            + name.apply(data.path("tx_id").asText()) + ":"
                            + data.path("output_index").asText();
                case "spend" ->
                    data.path("state").asText() + " " + data.path("method").asText() + " "
                            + name.apply(data.path("tx_id").asText()) + " from "
                            + name.apply(data.path("from").asText())
                            + (data.hasNonNull("reason")
                                    ? ": " + data.get("reason").asText()
                                    : "");
                case "htlc" ->
                    (data.hasNonNull("state") ? data.get("state").asText() : "gone") + " "
                            + name.apply(data.path("lock_tx_id").asText()) + ":"
                            + data.path("output_index").asText() + " with "
                            + Row.number(data.path("amount").bigIntegerValue()) + " until "
                            + Row.number(data.at("/params/timeout_height").asLong()) + " as "
                            + data.path("role").asText();
                case "payout" ->
                    data.path("state").asText() + " " + data.path("payout_id").asText()
                            + (data.path("count").asLong() > 1
                                    ? " and " + Row.number(data.path("count").asLong() - 1) + " more"
                                    : "")
                            + (data.hasNonNull("tx_id")
                                    ? " by " + name.apply(data.get("tx_id").asText())
                                    : "");
                default -> data.toString();
            };
        }
    }

    /** Receives the daemon's events. Reconnects with the id of the last credit when the stream ends. */
    static final class EventListener implements Runnable, AutoCloseable {
        private static final Duration LOOK_UP = Duration.ofSeconds(10);

        private final WalletdClient daemon;
        private final Mailbox mailbox;
        private final Watch.Pace pace;
        private final Runnable changed;
        private Optional<String> last = Optional.empty();
        private Duration pause;
        private volatile EventStream open;

        /** @param changed run at each event */
        EventListener(WalletdClient daemon, Mailbox mailbox, Watch.Pace pace, Runnable changed) {
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
                // The id belongs to other books: continue with new events only.
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

    /** Surface of plain lines, for pipes, files and dumb terminals: a line for each event, and one whenever the board's summary has changed. */
    static final class Lines implements Surface {
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
        public void happened(Board.LogEntry entry) {
            print(entry.at(), entry.kind(), entry.text());
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
}
