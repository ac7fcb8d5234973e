package org.chainwalletd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that the prose of the manual is wrapped, so that pages can be read in a terminal and a change of one sentence is a small diff. */
class ManualLinesTest {
    private static final int WIDTH = 100;
    /** Pages written by {@code GeneratedReferenceTest} and {@code GeneratedConfigurationTest}. */
    private static final Set<String> GENERATED = Set.of("reference.md", "configuration.md");

    private static final Pattern LINK_TARGET = Pattern.compile("\\]\\([^)]*\\)|https?://\\S+");

    @Test
    void prose_lines_of_the_manual_have_at_most_100_characters() throws IOException {
        List<String> longer = new ArrayList<>();
        int pages = 0;
        try (Stream<Path> files = Files.list(Path.of("src/site/markdown"))) {
            for (Path page : files.sorted().toList()) {
                if (!GENERATED.contains(page.getFileName().toString())) {
                    pages++;
                    collectLongLines(page, longer);
                }
            }
        }
        assertThat(longer).as("lines to wrap").isEmpty();
        assertThat(pages).isGreaterThan(20);
    }

    /** Collects lines of prose that are too long; code, tables and link targets cannot be wrapped. */
    private static void collectLongLines(Path page, List<String> longer) throws IOException {
        boolean code = false;
        int number = 0;
        for (String line : Files.readAllLines(page)) {
            number++;
            if (line.strip().startsWith("```")) {
                code = !code;
            } else if (!code && !line.strip().startsWith("|")) {
                String prose = LINK_TARGET.matcher(line).replaceAll("");
                if (prose.codePointCount(0, prose.length()) > WIDTH) {
                    longer.add(page.getFileName() + ":" + number + ": " + line);
                }
            }
        }
        assertThat(code).as("%s ends inside of a block of code", page).isFalse();
    }
}
