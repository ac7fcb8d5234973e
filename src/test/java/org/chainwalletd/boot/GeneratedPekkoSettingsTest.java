package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.io.IOException;
import java.net.URL;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.chainwalletd.testkit.GeneratedFile;
import org.junit.jupiter.api.Test;

class GeneratedPekkoSettingsTest {
    private static final String FILE = "src/main/resources/org/chainwalletd/boot/" + PekkoSettings.RESOURCE;

    @Test
    void the_settings_that_were_worked_out_are_those_of_the_configuration_files() throws IOException {
        Map<String, Object> settings = new TreeMap<>();
        Config loaded = loaded();
        PekkoSettings.ROOTS.forEach(
                root -> settings.put(root, loaded.getObject(root).unwrapped()));
        ObjectMapper json = new ObjectMapper()
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .enable(SerializationFeature.INDENT_OUTPUT);
        GeneratedFile.check(FILE, json.writeValueAsString(settings) + "\n");
    }

    @Test
    void reading_them_gives_the_same_configuration() {
        Config read = PekkoSettings.workedOut();
        Config loaded = loaded();
        assertThat(read.root().keySet()).containsExactlyInAnyOrderElementsOf(PekkoSettings.ROOTS);
        for (String root : PekkoSettings.ROOTS) {
            assertThat(read.getObject(root)).isEqualTo(loaded.getObject(root));
        }
    }

    /** Settings without the defaults of the test kit, which is not part of the daemon, and of the cluster, which has its own actor system. */
    private static Config loaded() {
        return ConfigFactory.load(new WithoutCluster())
                .withoutPath("pekko.actor.testkit")
                .withoutPath("pekko.test");
    }

    private static final class WithoutCluster extends ClassLoader {
        private static final Pattern MODULES = Pattern.compile(
                ".*/pekko-(cluster|coordination|distributed-data|pki|remote|serialization)[^/]*\\.jar!.*");

        WithoutCluster() {
            super(GeneratedPekkoSettingsTest.class.getClassLoader());
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            return Collections.enumeration(Collections.list(super.getResources(name)).stream()
                    .filter(url -> !MODULES.matcher(url.toString()).matches())
                    .toList());
        }
    }
}
