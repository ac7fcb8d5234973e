package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.chainwalletd.cli.Invocation;
import org.chainwalletd.cli.Program;

/**
 * A shell script in the launcher's place, for pages with many calls of {@code rpc} and {@code watch --once}: the first one of each goes through
 * the launcher, and so does everything else; further calls, also of the pages beside it, run in this process, from where the launcher's JVM begins
 * too. What the launcher adds to a call is {@link LauncherIT}'s.
 */
final class RpcHere implements AutoCloseable {
    /** Options whose value is a path, which counts from the script's folder. */
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

    /** @param folder where the calls come from, which is their {@code HOME}; those of the pages lie beside each other */
    RpcHere(Path folder) throws IOException {
        this.folder = folder;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    void writeScript(Path script, Path launcher) throws IOException {
        Files.writeString(script, SCRIPT.formatted(launcher, server.getAddress().getPort()));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
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
                        each -> each.substring(0, each.indexOf('=')), each -> each.substring(each.indexOf('=') + 1)));
        try (InputStream in = Files.newInputStream(call.resolve("in"));
                PrintStream out = printing(call.resolve("out"));
                PrintStream err = printing(call.resolve("err"))) {
            return Program.run(words, environment, new Invocation.Streams(in, out, err));
        }
    }

    private static PrintStream printing(Path file) throws IOException {
        return new PrintStream(Files.newOutputStream(file), false, StandardCharsets.UTF_8);
    }

    /** Each part ends with a zero. */
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
