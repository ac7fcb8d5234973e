package org.chainwalletd.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.chainwalletd.testkit.GeneratedFile;
import org.chainwalletd.testkit.OwnFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GeneratedConfigurationTest {
    private static final String PAGE = "src/site/markdown/configuration.md";
    private static final String BEGIN = "<!-- options: generated -->\n";
    private static final String END = "<!-- end of options -->";

    @Test
    void the_sample_configuration_is_the_table_of_options() throws IOException {
        GeneratedFile.check("conf/walletd.conf", OptionTexts.sampleConfiguration());
    }

    @Test
    void the_sample_configuration_with_all_comments_opened_gives_the_defaults(@TempDir Path home) throws IOException {
        StringBuilder opened = new StringBuilder();
        for (String line : OptionTexts.sampleConfiguration().split("\n")) {
            opened.append(line.matches("  # [a-z-]+(\\.[a-z-]+)* = .*") ? line.replaceFirst("# ", "") : line)
                    .append('\n');
        }
        Path file = OwnFiles.of(Files.writeString(home.resolve("opened.conf"), opened));
        assertThat(ConfigFactory.parseFile(file.toFile()).entrySet()).hasSizeGreaterThan(25);
        Settings opened1 = SettingsLoader.load(Map.of("--config", file.toString()), Map.of(), home)
                .settings();
        assertThat(opened1)
                .usingRecursiveComparison()
                .isEqualTo(SettingsLoader.load(Map.of(), Map.of(), home).settings());
    }

    @Test
    void the_manual_page_has_the_table_of_options() throws IOException {
        String page = Files.readString(Path.of(PAGE));
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        assertThat(begin).isGreaterThan(BEGIN.length());
        GeneratedFile.check(
                PAGE,
                page.substring(0, begin) + "\n" + OptionTexts.markdownTable() + "\n"
                        + page.substring(page.indexOf(END)));
    }

    @Test
    void flags_variables_and_keys_are_unique() {
        List<Option> all = Option.all();
        Set<String> names = new HashSet<>();
        all.forEach(option -> {
            names.add(option.flag());
            names.add(option.key());
            names.add(option.variable("chain"));
        });
        assertThat(names).hasSize(3 * all.size());
    }
}
