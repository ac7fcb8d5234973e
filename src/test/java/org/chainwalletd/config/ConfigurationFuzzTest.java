package org.chainwalletd.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * Hostile configuration files and flags are refused with lines that name the problem, never with another exception. A normal build replays
 * the corpus; {@code JAZZER_FUZZ=1 mvn test -Djazzer.hooks=true -Dtest='ConfigurationFuzzTest#files'} searches for new inputs.
 */
class ConfigurationFuzzTest {
    @FuzzTest(maxDuration = "5m")
    void files(byte[] content) throws IOException {
        Path file = Files.createTempFile("walletd", ".conf");
        try {
            Files.write(file, content);
            load(Map.of("--config", file.toString()));
        } finally {
            Files.delete(file);
        }
    }

    /** Lines of the form {@code flag value}. */
    @FuzzTest(maxDuration = "5m")
    void flags(byte[] lines) {
        Map<String, String> flags = new HashMap<>();
        for (String line : new String(lines, StandardCharsets.UTF_8).split("\n")) {
            String[] parts = line.split(" ", 2);
            flags.put(parts[0], parts.length > 1 ? parts[1] : "true");
        }
        load(flags);
    }

    private static void load(Map<String, String> flags) {
        try {
            assertThat(SettingsLoader.load(flags, Map.of(), Path.of("/nowhere")).settings())
                    .isNotNull();
        } catch (ConfigurationException refused) {
            assertThat(refused.problems())
                    .isNotEmpty()
                    .allSatisfy(problem -> assertThat(problem).isNotBlank());
        }
    }
}
