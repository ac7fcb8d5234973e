package org.chainwalletd.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Committed file that is generated from the code. {@code mvn test -Dtest='*Generated*' -Dregenerate=true} writes such files again; without the
 * property a difference fails the test.
 */
public final class GeneratedFile {
    private GeneratedFile() {}

    /**
     * Compares or writes a file.
     *
     * @param path relative to the project's root
     */
    public static void check(String path, String content) throws IOException {
        Path file = Path.of(path);
        if (Boolean.getBoolean("regenerate")) {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(file, content, StandardCharsets.UTF_8);
        }
        assertThat(file)
                .as("regenerate with: mvn test -Dtest='*Generated*' -Dregenerate=true")
                .hasContent(content);
    }
}
