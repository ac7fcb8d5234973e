package org.chainwalletd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that tests follow one naming scheme, so that a list of them reads as a list of rules. */
class TestNamesTest {
    private static final Pattern TEST = Pattern.compile(
            "@(?:Test|TestFactory|ParameterizedTest|RepeatedTest|FuzzTest)\\b[^;]*?\\b(\\w+)\\([^()]*\\)\\s*(?:throws [\\w., ]+)?\\{");

    /** Words of a name; a protocol's word may be in capitals. */
    private static final Pattern WORDS = Pattern.compile("[a-z0-9]+(_([a-z0-9]+|[A-Z0-9]+))*");

    @Test
    void the_name_of_a_test_is_words_with_a_line_between_them() throws IOException {
        List<String> names = new ArrayList<>();
        List<String> others = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                Matcher test = TEST.matcher(Files.readString(file));
                while (test.find()) {
                    names.add(test.group(1));
                    if (!WORDS.matcher(test.group(1)).matches()) {
                        others.add(file.getFileName() + ": " + test.group(1));
                    }
                }
            }
        }
        assertThat(others).isEmpty();
        assertThat(names).hasSizeGreaterThan(1_500);
    }

    /** Tests with the tag run in the package phase; an untagged class named IT would never run. */
    @Test
    void every_black_box_test_is_tagged_to_be_run_with_the_package() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            assertThat(files.filter(path -> path.toString().endsWith("IT.java")))
                    .isNotEmpty()
                    .allSatisfy(file -> assertThat(Files.readString(file)).contains("\n@Tag(\"long\")\n"));
        }
    }

    /** A process has a single watcher of crash points, which concurrent tests would overwrite. */
    @Test
    void tests_that_run_beside_each_other_watch_no_crash_point() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
            List<String> beside = files.filter(path -> path.toString().endsWith("Test.java"))
                    .map(TestNamesTest::text)
                    .filter(text -> text.contains("\n@Execution(ExecutionMode.CONCURRENT)\n"))
                    .toList();
            assertThat(beside).isNotEmpty().noneMatch(text -> text.contains("CrashPoint"));
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void every_test_that_the_page_of_promises_names_exists() throws IOException {
        List<String> named = Pattern.compile("`(\\w+(?:Test|IT|Contract))`")
                .matcher(Files.readString(Path.of("src/site/markdown/promises.md")))
                .results()
                .map(match -> match.group(1))
                .toList();
        try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
            List<String> classes = files.map(path -> path.getFileName().toString())
                    .filter(name -> name.endsWith(".java"))
                    .map(name -> name.substring(0, name.length() - ".java".length()))
                    .toList();
            assertThat(classes).containsAll(named);
            assertThat(named).hasSizeGreaterThan(100);
        }
    }
}
