package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.chainwalletd.cli.Invocation;
import org.chainwalletd.cli.Program;
import org.chainwalletd.testkit.FreePort;
import org.chainwalletd.testkit.LauncherCall;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every command of the manual and of the README's first minute runs as printed: the blocks of a page marked {@code sh}, one after the other in one
 * bash, with the packaged launcher on the path. From the second call of {@code rpc} on, {@link RpcHere} answers in the launcher's place. Pages with
 * the same beginning share a daemon. Only the default ports are replaced by free ones, blocks are mined every second, and commands that build or
 * measure (Maven) are left to the build.
 */
@Tag("long")
class ManualIT {
    private static final Path PAGES = Path.of("src/site/markdown");
    private static final Pattern BLOCK = Pattern.compile("^```sh\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
    private static final String BUILD = "mvn -q -DskipTests package && ";
    /** Background processes of a page are stopped at its end. */
    private static final String STRICT =
            "set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true; wait || true' EXIT\n";

    private static final long PATIENCE_SECONDS = 300;

    @TempDir
    private Path folder;

    @TestFactory
    Stream<DynamicTest> the_commands_of_a_page_run() throws IOException {
        List<Path> pages = new ArrayList<>();
        try (Stream<Path> files = Files.list(PAGES)) {
            files.filter(file -> file.toString().endsWith(".md")).sorted().forEach(pages::add);
        }
        List<Story> stories = new ArrayList<>();
        pages.stream().filter(page -> !blocks(page).isEmpty()).forEach(page -> tell(page, stories));
        return stories.stream()
                .map(story -> DynamicTest.dynamicTest(
                        story.pages.stream()
                                .map(page -> page.getFileName().toString())
                                .collect(Collectors.joining(" and ")),
                        () -> run(story.pages.get(0), story.blocks)));
    }

    /** Blocks that run in sequence, over one daemon if possible. */
    private record Story(List<Path> pages, List<String> blocks) {}

    /** Adds a page. If it begins with the whole first block of another page, it continues with the daemon started there. */
    private static void tell(Path page, List<Story> stories) {
        List<String> blocks = blocks(page);
        String first = blocks.get(0);
        Optional<Story> same = stories.stream()
                .filter(story -> first.startsWith(story.blocks.get(0)))
                .findFirst();
        same.ifPresentOrElse(
                story -> {
                    blocks.set(0, first.substring(story.blocks.get(0).length()));
                    story.pages.add(page);
                    story.blocks.addAll(blocks);
                },
                () -> stories.add(new Story(new ArrayList<>(List.of(page)), blocks)));
    }

    @TestFactory
    Stream<DynamicTest> the_first_minute_of_the_readme_runs() {
        Path readme = Path.of("README.md");
        List<String> blocks = blocks(readme);
        String start = blocks.get(0).strip() + " &\n"
                + "until curl -sf http://127.0.0.1:7448/healthz; do kill -0 $!; sleep 0.2; done\n";
        return Stream.of(DynamicTest.dynamicTest(
                "README.md", () -> run(readme, List.of(start, blocks.get(1), blocks.get(2)))));
    }

    private static List<String> blocks(Path page) {
        try {
            Matcher found = BLOCK.matcher(Files.readString(page));
            List<String> blocks = new ArrayList<>();
            while (found.find()) {
                if (!found.group(1).startsWith("mvn ") || found.group(1).startsWith(BUILD)) {
                    blocks.add(found.group(1));
                }
            }
            return blocks;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void run(Path page, List<String> blocks) throws IOException, InterruptedException {
        Path home = Files.createDirectories(
                folder.toRealPath().resolve(page.getFileName().toString()));
        try (RpcHere rpc = new RpcHere(home)) {
            run(blocks, home, rpc);
        }
    }

    private static void run(List<String> blocks, Path home, RpcHere rpc) throws IOException, InterruptedException {
        Path bin = Files.createDirectories(home.resolve("bin"));
        Path launcher =
                LauncherCall.packageFolder().resolve("bin/chain-walletd").toAbsolutePath();
        rpc.writeScript(bin.resolve("chain-walletd"), launcher);
        String port = String.valueOf(FreePort.any());
        String nodePort = String.valueOf(FreePort.any());
        String script = STRICT
                + String.join("\n", blocks)
                        .replace(BUILD, "")
                        .replace("target/chain-walletd/bin/chain-walletd", "chain-walletd")
                        .replace("7448", port)
                        .replace("9334", nodePort);
        Launchers.runCommands(home, script, PATIENCE_SECONDS, nodePort, Map.of("WALLETD_BIND", "127.0.0.1:" + port));
    }

    /**
     * Shell script that replaces the launcher, for pages with many calls of {@code rpc} and {@code watch --once}. The first call of each, and every
     * other command, runs through the launcher; further calls, also of the pages that share the daemon, run in this process, from the launcher's
     * entry point in the JVM. {@link LauncherIT} tests what the launcher adds to a call.
     */
    private static final class RpcHere implements AutoCloseable {
        /** Options whose value is a path relative to the script's folder. */
        private static final Set<String> PATHS = Set.of("--datadir", "--params");

        private static final String SCRIPT = """
                #!/bin/bash
                word=${1:-}
                case "$word $*" in
                  'rpc '* | 'watch '*' --once'*) mkdir "$HOME/../$word-was-launched" 2>/dev/null && word= ;;
                  *) word= ;;
                esac
                if [ -z "$word" ]; then exec '%s' "$@"; fi
                call=$(mktemp -d "$HOME/call-XXXXXX") || exit 1
                printf '%%s\\0' "$@" >"$call/words"
                env -0 >"$call/environment"
                : >"$call/in"
                for word in "$@"; do
                  case $word in - | *=-) cat >"$call/in" ;; esac
                done
                code=$(curl -sSf "http://127.0.0.1:%d$call") || exit 1
                cat "$call/out"
                cat "$call/err" >&2
                rm -r "$call"
                exit "$code"
                """;

        private final Path folder;
        private final HttpServer server;

        /** @param folder working directory of the calls, which is also their {@code HOME}; the folders of the pages are siblings */
        RpcHere(Path folder) throws IOException {
            this.folder = folder;
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", this::answer);
            server.start();
        }

        void writeScript(Path script, Path launcher) throws IOException {
            Launchers.script(
                    script, SCRIPT.formatted(launcher, server.getAddress().getPort()));
        }

        private void answer(HttpExchange exchange) throws IOException {
            try (exchange) {
                Path call = Path.of(exchange.getRequestURI().getPath());
                assertThat(call).hasParent(folder);
                byte[] code = Integer.toString(run(call)).getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, code.length);
                exchange.getResponseBody().write(code);
            }
        }

        private int run(Path call) throws IOException {
            String[] words = parts(call.resolve("words")).toArray(String[]::new);
            for (int i = 1; i < words.length; i++) {
                if (PATHS.contains(words[i - 1]) && !words[i].equals("-")) {
                    words[i] = folder.resolve(words[i]).toString();
                }
            }
            Map<String, String> environment = parts(call.resolve("environment")).stream()
                    .collect(Collectors.toMap(
                            each -> each.substring(0, each.indexOf('=')),
                            each -> each.substring(each.indexOf('=') + 1)));
            try (InputStream in = Files.newInputStream(call.resolve("in"));
                    PrintStream out = printing(call.resolve("out"));
                    PrintStream err = printing(call.resolve("err"))) {
                return Program.run(words, environment, new Invocation.Streams(in, out, err));
            }
        }

        private static PrintStream printing(Path file) throws IOException {
            return new PrintStream(Files.newOutputStream(file), false, StandardCharsets.UTF_8);
        }

        /** Reads parts, each of which ends with a zero byte. */
        private static List<String> parts(Path file) throws IOException {
            String text = Files.readString(file);
            return text.isEmpty()
                    ? List.of()
                    : List.of(text.substring(0, text.length() - 1).split("\0", -1));
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }
}
