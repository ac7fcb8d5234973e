package org.chainwalletd.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Await;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.Terminal;
import org.jline.utils.ScreenTerminal;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Live view on JLine's test terminal, as the user would see it. */
@Timeout(120)
class WatchTest {
    private static final Watch.Pace QUICK =
            new Watch.Pace(Duration.ofMillis(50), 2, Duration.ofMillis(20), Duration.ofMillis(100));
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final byte CTRL_C = 3;

    @AutoClose
    private PlayedDaemon daemon;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @BeforeEach
    void play() throws IOException {
        daemon = new PlayedDaemon();
    }

    @Test
    void the_screen_shows_what_is_read_and_what_is_heard() throws Exception {
        onScreen(100, 30, screen -> {
            screen.until(
                    "1,234",
                    "9.8.7",
                    "devnet",
                    "live",
                    "lag 4, a rescan has 77 blocks left",
                    "waits 12",
                    "heap 100 MiB");
            screen.until("http://node:1/", "answers", "in flight 2", "outpoints reserved 3", "accepted 41");
            screen.until("shop", "18,446,744,073,709,551,615", "locked_expired", "until 2,000");
            Await.until("somebody listens", () -> daemon.streams() == 1);
            daemon.credit("c1", 5_000);
            screen.until("credit", "confirmed 5,000 to adadadadad…adad by 7a7a7a7a7a…7a7a:1");
            daemon.status(1235, 0);
            screen.until("1,235", "in flight 0");
            screen.type('q');
        });
    }

    @Test
    void ctrl_c_ends_it_and_gives_the_terminal_back_as_it_was() throws Exception {
        ScreenTerminal.VirtualTerminal virtual = ScreenTerminal.withTerminal("test", "xterm", 80, 24);
        virtual.terminal().writer().print("$ chain-walletd watch");
        virtual.terminal().flush();
        Attributes before = virtual.terminal().getAttributes();

        CompletableFuture<Void> running = run(() -> watch().onScreen(virtual.terminal()));
        until(virtual, "1,234");
        assertThat(virtual.screen().toString()).doesNotContain("$ chain-walletd watch");
        virtual.terminal().processInputByte(CTRL_C);

        Await.outcome(running);
        assertThat(virtual.screen().toString())
                .contains("$ chain-walletd watch")
                .doesNotContain("1,234");
        assertThat(virtual.terminal().getAttributes().toString()).isEqualTo(before.toString());
    }

    @Test
    void nobody_waits_for_another_key_once_the_watch_has_ended() throws Exception {
        for (char end : new char[] {'q', CTRL_C}) {
            onScreen(100, 30, screen -> {
                screen.until("1,234");
                screen.type(end);
            });
            Await.until(
                    "the keyboard is let go",
                    () -> Thread.getAllStackTraces().keySet().stream()
                            .noneMatch(thread -> thread.getName().equals("watch-keys")));
        }
    }

    @Test
    void a_small_screen_and_one_that_changes_its_size_show_what_fits() throws Exception {
        onScreen(30, 4, screen -> {
            screen.until("1,234");
            assertThat(screen.text()).doesNotContain("balances");
            screen.resize(100, 30);
            screen.until("balances", "shop");
            screen.type('q');
        });
    }

    @Test
    void a_narrow_screen_leaves_out_columns_and_shortens_names_but_no_balance() throws Exception {
        onScreen(60, 30, screen -> {
            screen.until("in all 18,446,744,073,709,551,615", "shop", "evil", "locked_expired");
            assertThat(screen.text())
                    .containsPattern("shop +18,446,744,073,709,551,615")
                    .contains("answers")
                    .doesNotContain("address", "scans left", "accepted");
            screen.resize(36, 30);
            screen.until("18,446,744,073,709,551,615");
            screen.until("evil");
            Await.until("it is narrow", () -> !screen.text().contains("until 2,000"));
            assertThat(screen.text()).containsPattern("shop? *…? *18,446,744,073,709,551,615");
            screen.type('q');
        });
    }

    @Test
    void a_label_cannot_command_the_terminal() throws Exception {
        onScreen(100, 30, screen -> {
            screen.until("evil·[2Jlabel");
            screen.type('q');
        });
    }

    @Test
    void a_lost_stream_is_opened_again_with_the_last_id_and_what_is_missed_is_asked_for() throws Exception {
        onScreen(100, 30, screen -> {
            Await.until("somebody listens", () -> daemon.streams() == 1);
            daemon.credit("c41", 5_000);
            daemon.tell("event: tip\ndata: {\"height\":1234,\"block_id\":\"bb\"}\n\n");
            screen.until("tip", "confirmed 5,000");
            daemon.cutStreams();
            Await.until("it is opened again", () -> daemon.opened.size() >= 2 && daemon.streams() == 1);
            assertThat(daemon.opened.subList(0, 2)).containsExactly("", "c41");
            daemon.credit("c42", 6_000);
            screen.until("confirmed 6,000");
            screen.type('q');
        });
    }

    @Test
    void a_daemon_that_is_unavailable_is_reported_and_comes_back() throws Exception {
        URI address = daemon.uri();
        onScreen(100, 30, screen -> {
            screen.until("live");
            daemon.result("get_status", "{}");
            screen.until("something else than its result");
            daemon.status(4321, 0);
            screen.until("live", "4,321");
            daemon.close();
            screen.until("connection refused at " + address, "4,321");
            screen.type('q');
        });
    }

    @Test
    void a_wrong_token_ends_it() throws Exception {
        daemon.status = 401;
        CompletableFuture<Void> running = run(() -> watch().inLines(lines()));

        assertThat(failureOf(running)).isInstanceOf(WalletdException.Authentication.class);
    }

    @Test
    void a_fault_of_its_threads_ends_it_and_is_reported() throws Exception {
        Duration tooLong = Duration.ofSeconds(Long.MAX_VALUE);
        Watch reading = new Watch(daemon.client(), daemon.uri(), new Watch.Pace(tooLong, 1, PAUSE, PAUSE));
        assertThat(failureOf(run(() -> reading.inLines(lines()))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a thread of the watch has failed")
                .hasCauseInstanceOf(ArithmeticException.class);

        daemon.streamStatus = 500;
        Watch listening = new Watch(daemon.client(), daemon.uri(), new Watch.Pace(PAUSE, 1, tooLong, tooLong));
        assertThat(failureOf(run(() -> listening.inLines(lines()))))
                .isInstanceOf(IllegalStateException.class)
                .hasCauseInstanceOf(ArithmeticException.class);
    }

    @Test
    void where_there_is_no_screen_each_happening_is_a_line_and_so_is_each_change() throws Exception {
        Watch watch = watch();
        CompletableFuture<Void> running = run(() -> watch.inLines(lines()));
        Await.until("somebody listens", () -> daemon.streams() == 1);
        untilPrinted(
                "status tip 1,234, lag 4, a rescan has 77 blocks left, waits 12, in flight 2, balance 18,446,744,073,709,551,615, open HTLCs 1");
        daemon.credit("c1", 5_000);
        untilPrinted("credit confirmed 5,000 to " + PlayedDaemon.ADDRESS + " by " + PlayedDaemon.TX + ":1");
        daemon.status(1235, 0);
        untilPrinted("status tip 1,235");
        watch.stop();
        Await.outcome(running);

        assertThat(printed()).matches("(?s)(\\S+Z (status|credit) [^\\n]*\\n)+").doesNotContain("\u001b");
        assertThat(printed().lines().filter(line -> line.contains("tip 1,235"))).hasSize(1);
    }

    @Test
    void it_ends_when_nobody_reads_its_lines_any_more() throws Exception {
        PrintStream closed = new PrintStream(new OutputStream() {
            @Override
            public void write(int one) throws IOException {
                throw new IOException("broken pipe");
            }
        });

        Await.outcome(run(() -> watch().inLines(closed)));
    }

    @Test
    void once_prints_what_is_known_and_ends() {
        watch().once(lines());

        assertThat(printed())
                .contains("tip 1,234", "live", "shop", "accepted 41", "oldest 5 min")
                .contains("not ready: the follower is 4 blocks behind\n")
                .contains("payouts  waiting 1,234  oldest 12 min  for coins 1,200  for next block 34\n")
                .doesNotContain("events", "contested", "paused", "\u001b");
    }

    private Watch watch() {
        WalletdClient client = new WalletdClient(daemon.uri(), "t", Optional.empty(), Duration.ofSeconds(5));
        return new Watch(client, daemon.uri(), QUICK);
    }

    private PrintStream lines() {
        return new PrintStream(printed, true, StandardCharsets.UTF_8);
    }

    private String printed() {
        return printed.toString(StandardCharsets.UTF_8);
    }

    private void untilPrinted(String text) {
        Await.until("'" + text + "' is printed", () -> printed().contains(text));
    }

    private static void until(ScreenTerminal.VirtualTerminal virtual, String... texts) {
        for (String text : texts) {
            try {
                Await.until(
                        "the screen shows " + text,
                        () -> virtual.screen().toString().contains(text));
            } catch (AssertionError inVain) {
                throw new AssertionError(inVain.getMessage() + "; it shows\n" + virtual.screen(), inVain);
            }
        }
    }

    private static CompletableFuture<Void> run(Runnable watching) {
        return CompletableFuture.runAsync(watching, work -> new Thread(work, "watching").start());
    }

    private static Throwable failureOf(CompletableFuture<Void> running) {
        try {
            Await.outcome(running);
        } catch (CompletionException e) {
            return e.getCause();
        }
        throw new AssertionError("it ended well");
    }

    /** User at the terminal. */
    private record Person(ScreenTerminal.VirtualTerminal virtual) {
        void until(String... texts) {
            WatchTest.until(virtual, texts);
        }

        String text() {
            return virtual.screen().toString();
        }

        void type(char key) {
            try {
                virtual.terminal().processInputByte(key);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        void resize(int columns, int rows) {
            virtual.screen().setSize(Size.of(columns, rows));
            virtual.terminal().setSize(Size.of(columns, rows));
            virtual.terminal().raise(Terminal.Signal.WINCH);
        }
    }

    private void onScreen(int columns, int rows, Consumer<Person> person) throws Exception {
        ScreenTerminal.VirtualTerminal virtual = ScreenTerminal.withTerminal("test", "xterm", columns, rows);
        CompletableFuture<Void> running = run(() -> watch().onScreen(virtual.terminal()));
        person.accept(new Person(virtual));
        Await.outcome(running);
    }
}
