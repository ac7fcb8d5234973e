package org.chainwalletd.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.keyring.LargeDatadir;

/**
 * From the start of the launcher's process to the first answer, against {@link BareServer} under the same launcher with the same flags and an
 * archive of classes made the same way. Ours has a datadir with keys, so it proves the passphrase before it binds.
 *
 * <p>Arguments: pairs (default 7), then words that select the rows: {@code archive}, {@code plain}, {@code node}, {@code big}; default all. The
 * JDKs are those of the variable {@code BENCH_JDKS}, separated by colons, else the one that runs this.
 */
public final class StartBench {
    private static final String PING = "{\"jsonrpc\":\"2.0\",\"method\":\"ping\",\"params\":{},\"id\":1}";
    private static final Pattern NEEDED = Pattern.compile(
            "(pekko-(?!http-jackson)|scala-|config-|slf4j-|logback-|ssl-config|parboiled|reactive-streams).*");
    private static final List<String> NO_NODE = List.of("--node-rpc", "http://127.0.0.1:1");
    private static final int KEYS = 5;

    private final Path work;
    private final Path packaged;
    private final int pairs;
    private final List<String> rows;

    private StartBench(Path work, Path packaged, int pairs, List<String> rows) {
        this.work = work;
        this.packaged = packaged;
        this.pairs = pairs;
        this.rows = rows;
    }

    public static void main(String[] words) throws Exception {
        int pairs = words.length > 0 ? Integer.parseInt(words[0]) : 7;
        List<String> rows =
                words.length > 1 ? List.of(words).subList(1, words.length) : List.of("archive", "plain", "node", "big");
        Path packaged = Path.of(System.getProperty("chainwalletd.home", "target/chain-walletd"));
        Path work = Files.createTempDirectory("start-bench");
        try {
            new StartBench(work, packaged, pairs, rows).run();
        } finally {
            delete(work);
        }
    }

    private void run() throws Exception {
        Path ours = work.resolve("ours");
        Path bare = work.resolve("bare");
        copy(packaged, ours);
        makeBare(bare);
        Path datadir = work.resolve("datadir");
        fill(new Installation(ours, Map.of("WALLETD_ARCHIVE", "off")), datadir);
        String jdks = Optional.ofNullable(System.getenv("BENCH_JDKS")).orElse(System.getProperty("java.home"));
        for (String jdk : jdks.split(":")) {
            measure(jdk, ours, bare, datadir);
        }
    }

    private void measure(String jdk, Path ours, Path bare, Path datadir) throws Exception {
        String release = new ProcessBuilder(jdk + "/bin/java", "--version")
                .start()
                .inputReader()
                .readLine()
                .split(" ")[1];
        String suffix = " jdk" + release.split("\\.")[0];
        if (rows.contains("plain")) {
            Map<String, String> environment = Map.of("JAVA_HOME", jdk, "WALLETD_ARCHIVE", "off");
            row("start without archive" + suffix, environment, ours, bare, arguments(datadir, NO_NODE));
        }
        Map<String, String> environment = Map.of("JAVA_HOME", jdk);
        for (Path folder : List.of(ours, bare)) {
            if (!new Installation(folder, environment).makeArchive()) {
                System.out.println("# no archive could be made of " + folder.getFileName() + suffix);
            }
        }
        if (rows.contains("archive")) {
            row("start, no node answers" + suffix, environment, ours, bare, arguments(datadir, NO_NODE));
        }
        if (rows.contains("node")) {
            withNode(environment, ours, bare, datadir, "start, node answers" + suffix);
        }
        if (rows.contains("big")) {
            row("start, 100,000 keys" + suffix, environment, ours, bare, arguments(big(ours), NO_NODE));
        }
    }

    /** A datadir with many keys; its tokens and store come with the first start. */
    private Path big(Path ours) throws Exception {
        Path datadir = work.resolve("big");
        if (!Files.exists(datadir)) {
            LargeDatadir.main(new String[] {datadir.toString(), "100000", Installation.PASSPHRASE});
            fill(new Installation(ours, Map.of("WALLETD_ARCHIVE", "off")), datadir);
        }
        return datadir;
    }

    private void withNode(Map<String, String> environment, Path ours, Path bare, Path datadir, String name)
            throws Exception {
        List<String> words = List.of(
                "devnet",
                "--datadir",
                work.resolve("chain").toString(),
                "--devnet-bind",
                "127.0.0.1:0",
                "--devnet-block-interval",
                "0");
        try (Installation.Running node = new Installation(ours, environment).start(words)) {
            String line = node.lineWith("development node on");
            String uri = line.replaceFirst(".*(http://\\S+).*", "$1");
            row(name, environment, ours, bare, arguments(datadir, List.of("--node-rpc", uri, "--network", "devnet")));
        }
    }

    private void row(String name, Map<String, String> environment, Path ours, Path bare, List<String> words)
            throws Exception {
        String token =
                Files.readString(Path.of(words.get(1)).resolve("token-read")).strip();
        Installation daemon = new Installation(ours, environment);
        Installation floor = new Installation(bare, environment);
        Pairs clock = new Pairs();
        Pairs cpu = new Pairs();
        Pairs.interleave(
                pairs,
                () -> daemon.firstAnswer(words, token, PING),
                () -> floor.firstAnswer(List.of(), token, PING),
                (one, other) -> {
                    clock.add(one.millis(), other.millis());
                    cpu.add(one.cpuMillis(), other.cpuMillis());
                });
        System.out.println(clock.line(name + ", ms"));
        System.out.println(cpu.line(name + ", CPU ms"));
    }

    private static List<String> arguments(Path datadir, List<String> more) {
        List<String> arguments = new ArrayList<>(List.of("--datadir", datadir.toString()));
        arguments.addAll(more);
        return arguments;
    }

    /** The same launcher with another main class over the jars that a bare server needs. */
    private void makeBare(Path bare) throws IOException {
        Files.createDirectories(bare.resolve("bin"));
        Files.createDirectories(bare.resolve("lib"));
        Path launcher = bare.resolve("bin/chain-walletd");
        Files.writeString(
                launcher,
                Files.readString(packaged.resolve("bin/chain-walletd"))
                        .replace("org.chainwalletd.Main", BareServer.class.getName()));
        Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwxr-xr-x"));
        try (Stream<Path> jars = Files.list(packaged.resolve("lib"))) {
            for (Path jar : jars.filter(found ->
                            NEEDED.matcher(found.getFileName().toString()).matches())
                    .toList()) {
                Files.copy(jar, bare.resolve("lib").resolve(jar.getFileName()));
            }
        }
        String entry = BareServer.class.getName().replace('.', '/') + ".class";
        try (OutputStream file = Files.newOutputStream(bare.resolve("lib/chain-walletd-bare.jar"));
                JarOutputStream jar = new JarOutputStream(file)) {
            jar.putNextEntry(new JarEntry(entry));
            jar.write(
                    BareServer.class.getClassLoader().getResourceAsStream(entry).readAllBytes());
            jar.closeEntry();
        }
    }

    /** A datadir as it stands after some use: keys, tokens, store. */
    private static void fill(Installation daemon, Path datadir) throws Exception {
        List<String> words = arguments(datadir, List.of("--bind", "127.0.0.1:0", "--node-rpc", "http://127.0.0.1:1"));
        try (Installation.Running running = daemon.start(words)) {
            String uri = running.lineWith("ready on").replaceFirst(".*(http://\\S+).*", "$1");
            String token = Files.readString(datadir.resolve("token-manage")).strip();
            WalletdClient client = new WalletdClient(URI.create(uri), token, Optional.empty(), Duration.ofSeconds(60));
            for (int i = 0; i < KEYS; i++) {
                client.call("generate_standard_address", new LinkedHashMap<>(Map.of("label", "key " + i)));
            }
            running.stop();
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path :
                    all.filter(found -> !found.toString().contains(".cache")).toList()) {
                Files.copy(path, to.resolve(from.relativize(path).toString()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
