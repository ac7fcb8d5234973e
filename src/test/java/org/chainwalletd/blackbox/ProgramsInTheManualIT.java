package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.Dial;
import org.chainwalletd.testkit.LauncherCall;
import org.chainwalletd.testkit.SeededKeyring;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * The complete programs in the manual run as printed: each receives a deposit and pays once, although an answer is lost, the daemon is unavailable
 * for a moment and the program is killed in between. A language whose interpreter is not installed is skipped.
 */
@Tag("long")
class ProgramsInTheManualIT {
    private static final Path PAGES = Path.of("src/site/markdown");
    private static final long PRICE = 5_000;

    @TempDir
    static Path shared;

    @AutoClose
    private static DaemonProcess daemon;

    private static Wallet wallet;

    @BeforeAll
    static void start() {
        daemon = LauncherCall.daemonWithDevnet(SeededKeyring.in(shared.resolve("datadir")))
                .start();
        wallet = new Wallet(daemon, daemon);
    }

    /**
     * Program of the manual.
     *
     * @param needs command that succeeds if the language is installed
     * @param script bash script that builds the program and starts it with {@code exec}; {@code "$@"} are the program's arguments
     */
    private record Program(String language, String page, String file, String needs, String script) {
        /** Returns the block of the page that is a complete program in this language. */
        String source() throws IOException {
            return block(page, language, text -> text.contains("list_credits") || text.contains("ListCredits.of"));
        }

        /** Returns the part of the script that builds the program; a compiler's first run takes long. */
        String build() {
            return script.replaceAll("(?m)^exec .*$", "");
        }

        String start() {
            return script.replaceAll("(?m)^(javac|go build) .*$", "");
        }
    }

    @TestFactory
    Stream<DynamicTest> a_program_of_the_manual_receives_a_deposit_and_pays_once() {
        return Stream.of(
                        new Program(
                                "python",
                                "languages.md",
                                "shop.py",
                                "python3 --version",
                                "exec python3 shop.py \"$@\""),
                        new Program("js", "languages.md", "shop.mjs", "node --version", "exec node shop.mjs \"$@\""),
                        new Program(
                                "go",
                                "languages.md",
                                "shop.go",
                                "go version",
                                "go build -o shop shop.go\nexec ./shop \"$@\""),
                        new Program("java", "client.md", "Shop.java", "javac -version", javaScript()))
                .map(program -> DynamicTest.dynamicTest(program.language(), () -> run(program)));
    }

    /** Returns the lines of the page from where Maven has built the client. */
    private static String javaScript() {
        try {
            String lines = block("client.md", "sh", text -> text.contains("javac"));
            Path target = LauncherCall.packageFolder()
                    .resolveSibling("")
                    .toAbsolutePath()
                    .normalize();
            return lines.replaceAll("(?m)^mvn .*\n", "")
                    .replace("target/", target + File.separator)
                    .replaceAll("(?m)^java (.*) state\\.json .*$", "exec java $1 \"\\$@\"");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run(Program program) throws IOException, InterruptedException {
        Path folder = Files.createDirectories(shared.resolve(program.language()));
        Files.writeString(folder.resolve(program.file()), program.source());
        boolean installed = Await.exit(bash(folder, program.needs(), List.of(), "")) == 0;
        Assumptions.assumeTrue(installed, () -> "not installed: " + program.needs());
        assertThat(Await.exit(bash(folder, program.build(), List.of(), ""))).isZero();
        String till = wallet.derive();
        List<String> arguments = List.of("state.json", till, wallet.derive(), String.valueOf(PRICE));
        try (Relay relay = new Relay(daemon.awaitReady())) {
            Process first = bash(folder, program.start(), arguments, relay.uri());
            try {
                Await.until("the feed is asked", () -> relay.refusedOnce.get() || !first.isAlive());
                wallet.fund(till, 1_000_000);
                Await.until("the payment is sent", () -> {
                    wallet.mine(1);
                    return !relay.tokens.isEmpty() || !first.isAlive();
                });
            } finally {
                Await.exit(first.destroyForcibly());
            }
            assertThat(relay.tokens).as(said(folder)).isNotEmpty();

            String paid = lastLineOf(finished(folder, program, arguments, relay));
            assertThat(paid).matches("paid [0-9a-f]{64}");
            assertThat(lastLineOf(finished(folder, program, arguments, relay))).isEqualTo(paid);

            assertThat(relay.tokens).hasSizeGreaterThan(1);
            assertThat(relay.tokens.stream().distinct()).hasSize(1);
            assertThat(wallet.balance(arguments.get(2))).isEqualTo(PRICE);
        }
    }

    /** Returns the output of the program until it has ended successfully, while blocks are mined. */
    private String finished(Path folder, Program program, List<String> arguments, Relay relay)
            throws IOException, InterruptedException {
        Process process = bash(folder, program.start(), arguments, relay.uri());
        try {
            Await.until("the program has ended", () -> {
                wallet.mine(1);
                return !process.isAlive();
            });
        } finally {
            Await.exit(process.destroyForcibly());
        }
        assertThat(process.exitValue()).as(said(folder)).isZero();
        return said(folder);
    }

    private static Process bash(Path folder, String script, List<String> arguments, String url) throws IOException {
        List<String> command = new ArrayList<>(List.of("bash", "-ec", script, "program"));
        command.addAll(arguments);
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().put("WALLETD_URL", url);
        builder.environment().put("WALLETD_AUTH_TOKEN", daemon.token("spend"));
        builder.environment().put("SHOP_DEPTH", "2");
        builder.environment().put("GOTOOLCHAIN", "local");
        builder.environment()
                .merge(
                        "PATH",
                        Path.of(System.getProperty("java.home"), "bin").toString(),
                        (path, java) -> java + ":" + path);
        return builder.redirectOutput(folder.resolve("said").toFile()).start();
    }

    private static String said(Path folder) throws IOException {
        return Files.readString(folder.resolve("said"));
    }

    private static String lastLineOf(String text) {
        return text.lines().reduce((earlier, later) -> later).orElse("");
    }

    private static String block(String page, String language, Predicate<String> wanted) throws IOException {
        Matcher blocks = Pattern.compile("^```" + language + "\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL)
                .matcher(Files.readString(PAGES.resolve(page)));
        return blocks.results()
                .map(found -> found.group(1))
                .filter(wanted)
                .reduce((one, other) -> {
                    throw new AssertionError("two such blocks of " + language + " in " + page);
                })
                .orElseThrow(() -> new AssertionError("no such block of " + language + " in " + page));
    }

    /**
     * Proxy between program and daemon: answers the first request for credits with 503, and loses the answer of the first {@code transfer}, which
     * the daemon executes.
     */
    private static final class Relay implements AutoCloseable {
        private final HttpServer server;
        private final ExecutorService threads = Executors.newCachedThreadPool();
        private final HttpClient client = HttpClient.newHttpClient();
        private final ObjectMapper json = new ObjectMapper();
        private final URI behind;
        final AtomicBoolean refusedOnce = new AtomicBoolean();
        final Queue<String> tokens = new ConcurrentLinkedQueue<>();

        Relay(URI behind) throws IOException {
            this.behind = behind;
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.setExecutor(threads);
            server.createContext("/", this::pass);
            server.start();
        }

        String uri() {
            return "http://127.0.0.1:" + server.getAddress().getPort() + "/";
        }

        private void pass(HttpExchange exchange) throws IOException {
            try (exchange) {
                byte[] body = exchange.getRequestBody().readAllBytes();
                JsonNode call = json.readTree(body);
                String method = call.path("method").asText();
                if (method.equals("list_credits") && refusedOnce.compareAndSet(false, true)) {
                    exchange.sendResponseHeaders(503, -1);
                    return;
                }
                HttpResponse<byte[]> answer = client.send(
                        Dial.request(behind)
                                .header("content-type", "application/json")
                                .header(
                                        "authorization",
                                        exchange.getRequestHeaders().getFirst("authorization"))
                                .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray());
                if (method.equals("transfer")) {
                    boolean first = tokens.isEmpty();
                    tokens.add(call.at("/params/client_token").asText());
                    if (first) {
                        return;
                    }
                }
                exchange.sendResponseHeaders(answer.statusCode(), answer.body().length);
                exchange.getResponseBody().write(answer.body());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            server.stop(0);
            threads.shutdownNow();
        }
    }
}
