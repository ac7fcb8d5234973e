package org.chainwalletd.cli;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.chainwalletd.chain.ChainProfile;
import org.junit.jupiter.api.Test;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks that the options, commands, methods, members and meters named in the manual exist in the program. */
class NamesInTheManualTest {
    /** History, which also names what no longer exists. */
    private static final String CHANGES = "changes.md";

    /** Options of curl, npm, tar and client generators. */
    private static final Set<String> OF_OTHER_PROGRAMS = Set.of(
            "--allowJs",
            "--checkJs",
            "--collapse-root-models",
            "--http2-prior-knowledge",
            "--input",
            "--input-file-type",
            "--insecure",
            "--output-model-type",
            "--prefix",
            "--skipLibCheck",
            "--strict",
            "--strip-components",
            "--unreachableDefinitions",
            "--use-schema-description",
            "--use-title-as-name");

    /** Names of the JVM, of PostgreSQL and its programs, of a client generator, and of a brand, which occur in no source. */
    private static final Set<String> OF_OTHERS = Set.of(
            "acct_timeout_sec",
            "alpha_amount",
            "alpha_to_gold",
            "by_alias",
            "coredump_filter",
            "hs_err",
            "our_alpha_address",
            "pg_ctl",
            "rate_alphas_per_unit",
            "synchronous_standby_names");

    private final String pages = pages();

    @Test
    void an_option_is_one_of_the_program() {
        Set<String> known = new TreeSet<>(OF_OTHER_PROGRAMS);
        CommandSpec root = new CommandLineParser(Lines.NAME, FullCommandLine.Commands.all())
                .grammar()
                .getCommandSpec();
        known.addAll(root.optionsMap().keySet());
        root.subcommands()
                .values()
                .forEach(command ->
                        known.addAll(command.getCommandSpec().optionsMap().keySet()));

        Set<String> named = found("(?<![\\w-])--[a-z][a-zA-Z0-9-]+", pages);
        assertThat(named).hasSizeGreaterThan(100);
        named.removeAll(known);
        assertThat(named).isEmpty();
    }

    @Test
    void an_option_of_a_sample_is_one_of_the_daemon() throws IOException {
        CommandSpec root = new CommandLineParser(Lines.NAME, FullCommandLine.Commands.all())
                .grammar()
                .getCommandSpec();
        String configuration = Files.readString(Path.of("src/site/markdown/configuration.md"));
        for (String sample : List.of("compose.yaml", "statefulset.yaml")) {
            String text = Files.readString(Path.of("conf", sample)).replaceAll("(?m)^ *#.*$", "");
            assertThat(found("(?<![\\w-])--[a-z][a-zA-Z0-9-]+", text))
                    .isNotEmpty()
                    .isSubsetOf(root.optionsMap().keySet());
            assertThat(found("(WALLETD_[A-Z_]+|CHAIN_NODE_RPC)", text))
                    .allSatisfy(name -> assertThat(configuration).contains(name));
        }
    }

    /** Command lines that no test runs, because they name hosts and keys that do not exist; ManualIT runs the others. */
    @Test
    void a_command_line_in_a_block_is_read() {
        CommandLineParser parser = new CommandLineParser(Lines.NAME, FullCommandLine.Commands.all());
        Set<String> lines = found("(?m)^chain-walletd(?! [0-9])(?: [^\\n\\\\|>&<()$]*(?:\\\\\\n)?)+", pages);
        assertThat(lines).hasSizeGreaterThan(20).allSatisfy(line -> {
            String[] words = line.replace("\\\n", " ")
                    .replaceAll("#.*|'[^']*'?", "x")
                    .strip()
                    .split("\\s+");
            try {
                parser.parse(List.of(words).subList(1, words.length).toArray(String[]::new));
            } catch (ParameterException e) {
                throw new AssertionError(line, e);
            }
        });
    }

    @Test
    void a_method_that_is_called_is_one_of_the_registry() {
        Set<String> methods =
                RpcParameters.ofAllMethods(ChainProfile.of("chain")).keySet();
        Set<String> called = found("(?m)^(?:.*[ (])?(?:chain-walletd )?rpc (?!help )([a-z]+_[a-z_]+)", pages);
        called.addAll(found("\"method\" ?: ?\"([a-z_]+_[a-z_]+)\"", pages));
        called.removeIf(method -> method.startsWith("devnet_"));
        assertThat(called).hasSizeGreaterThan(15).isSubsetOf(methods);
    }

    /** Checks that a name in code style is a method, a member, an enum word, or something else that occurs in a source. */
    @Test
    void a_name_in_words_is_one_of_the_sources() throws IOException {
        String sources = sources();
        Set<String> known = new TreeSet<>(OF_OTHERS);
        known.addAll(RpcParameters.ofAllMethods(ChainProfile.of("chain")).keySet());
        known.addAll(found("\\w+", sources));
        Set<String> named = found("`(?!walletd_|devnet_)([a-z]+(?:_[a-z0-9]+)+)\\b", pages);
        named.removeIf(name -> known.contains(name.toUpperCase(Locale.ROOT)) || known.contains(camelCase(name)));
        assertThat(named).hasSizeGreaterThan(50);
        named.removeAll(known);
        assertThat(named).isEmpty();
    }

    @Test
    void the_manual_has_all_meters_and_no_other() throws IOException {
        Set<String> meters = found("\"(walletd\\.[a-z.]+[a-z])\"", sources()).stream()
                .map(name -> name.replace('.', '_'))
                .collect(toSet());
        meters.removeAll(Set.of("walletd_db", "walletd_conf"));
        Set<String> named = found("(?<![-\\w])walletd_[a-z_]+[a-z]", pages);
        assertThat(named).hasSizeGreaterThan(50);
        assertThat(named).allMatch(name -> meters.stream().anyMatch(meter -> isOf(meter, name)));
        assertThat(meters).allMatch(meter -> named.stream().anyMatch(name -> isOf(meter, name)));
    }

    /** Prometheus appends the unit and the kind to a meter's name; the meters of nodes have prefixes. */
    private static boolean isOf(String meter, String name) {
        return name.equals(meter) || name.startsWith(meter + '_');
    }

    private static String camelCase(String name) {
        return Pattern.compile("_(\\w)")
                .matcher(name)
                .replaceAll(letter -> letter.group(1).toUpperCase(Locale.ROOT));
    }

    /** Returns the first group of each match, or the whole match without groups. */
    private static Set<String> found(String pattern, String text) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(place -> place.group(place.groupCount()))
                .collect(toSet());
    }

    private static String pages() {
        List<String> texts = new ArrayList<>(List.of(read(Path.of("README.md"))));
        try (Stream<Path> files = Files.list(Path.of("src/site/markdown"))) {
            files.filter(file -> !file.endsWith(CHANGES)).sorted().forEach(page -> texts.add(read(page)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return String.join("\n", texts);
    }

    private static String sources() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            return String.join(
                    "\n",
                    files.filter(file -> file.toString().endsWith(".java"))
                            .map(NamesInTheManualTest::read)
                            .toList());
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
