package org.chainwalletd.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The Java code in the manual is part of the client's examples, which are compiled and run; complete programs, with their imports, are run as
 * printed by {@code ProgramsInTheManualIT}.
 */
class JavaInTheManualTest {
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
    private static final Path PAGES = Path.of("src/site/markdown");

    @Test
    void every_block_that_names_the_client_is_part_of_an_example() throws IOException {
        String examples = all(Path.of("src/main/java/org/chainwalletd/client/example"));
        List<String> shown = new ArrayList<>();
        for (Matcher blocks = BLOCK.matcher(all(PAGES)); blocks.find(); ) {
            String block = bare(blocks.group(1));
            if (!block.contains("Devnet.start") && !block.startsWith("import ")) {
                shown.add(block);
            }
        }
        assertThat(shown)
                .isNotEmpty()
                .allSatisfy(block -> assertThat(bare(examples)).contains(block));
    }

    @Test
    void the_coordinates_of_the_page_are_those_of_the_build() throws IOException {
        String build = Files.readString(Path.of("pom.xml"));
        String page = bare(Files.readString(PAGES.resolve("client.md")));

        assertThat(page)
                .contains("<groupId>" + first("<groupId>(.*?)</groupId>", build) + "</groupId>\n<artifactId>"
                        + first("<artifactId>(.*?)</artifactId>", build) + "</artifactId>\n<version>"
                        + first("<version>(.*?)</version>", build) + "</version>\n<classifier>client</classifier>")
                .contains("<artifactId>jackson-databind</artifactId>\n<version>"
                        + first("<jackson.version>(.*?)</jackson.version>", build) + "</version>");
    }

    private static String first(String pattern, String text) {
        Matcher found = Pattern.compile(pattern).matcher(text);
        assertThat(found.find()).as(pattern).isTrue();
        return found.group(1);
    }

    private static String all(Path folder) throws IOException {
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().toList()) {
                text.append(Files.readString(file));
            }
        }
        return text.toString();
    }

    /** Removes the indentation. */
    private static String bare(String text) {
        return text.replaceAll("(?m)^ +", "");
    }
}
