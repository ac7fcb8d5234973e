package org.chainwalletd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A class of more than about 400 lines wants to be two, and one of more than 500 is not written. */
class ClassSizesTest {
    private static final int MOST_LINES = 500;

    /** What is long because there is so much of the same, and why that stands in one file. */
    private static final Map<String, String> TABLES = Map.of(
            "Option", "every setting once: a table of constants with little beside it",
            "AsyncWalletdMethods", "generated: a method for each method of the interface",
            "WalletdMethods", "generated: a method for each method of the interface");

    @Test
    void only_a_table_has_more_than_five_hundred_lines() throws IOException {
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            Set<String> large = files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> lines(file) > MOST_LINES)
                    .map(file -> file.getFileName().toString().replace(".java", ""))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(large).containsExactlyElementsOf(new TreeSet<>(TABLES.keySet()));
        }
    }

    private static long lines(Path file) {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
