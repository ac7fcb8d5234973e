package org.chainwalletd.boot;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigValueFactory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.pekko.actor.BootstrapSetup;

/**
 * Settings of Pekko: the result of {@code ConfigFactory.load()} on Pekko's {@code reference.conf} files and our {@code application.conf},
 * computed at build time ({@value #RESOURCE}). Finding, parsing and resolving them at each start would take longer than any other step except
 * key derivation.
 */
public final class PekkoSettings {
    /** Resource with the settings, written by a dedicated test, which also fails when it is outdated. */
    static final String RESOURCE = "pekko.json";

    /** Top-level keys that Pekko reads. */
    static final List<String> ROOTS = List.of("pekko", "ssl-config");

    private PekkoSettings() {}

    /** Creates the setup of a new actor system. System properties of Pekko, such as {@code -Dpekko.loglevel=DEBUG}, still take effect. */
    public static BootstrapSetup forSystem() {
        boolean overridden = System.getProperties().stringPropertyNames().stream()
                .anyMatch(name -> ROOTS.stream().anyMatch(root -> name.startsWith(root + ".")));
        if (overridden) {
            return BootstrapSetup.create(ConfigFactory.load());
        }
        return BootstrapSetup.create(workedOut())
                .withClassloader(new WithoutSearches(PekkoSettings.class.getClassLoader()));
    }

    static Config workedOut() {
        try (InputStream in = PekkoSettings.class.getResourceAsStream(RESOURCE);
                JsonParser json = new JsonFactory().createParser(in)) {
            json.nextToken();
            return ConfigValueFactory.fromMap(object(json)).toConfig();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + RESOURCE, e);
        }
    }

    private static Map<String, Object> object(JsonParser json) throws IOException {
        Map<String, Object> members = new LinkedHashMap<>();
        while (json.nextToken() != JsonToken.END_OBJECT) {
            String name = json.currentName();
            members.put(name, value(json, json.nextToken()));
        }
        return members;
    }

    private static Object value(JsonParser json, JsonToken token) throws IOException {
        return switch (token) {
            case START_OBJECT -> object(json);
            case START_ARRAY -> array(json);
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> json.getNumberValue();
            case VALUE_STRING -> json.getText();
            case VALUE_NULL -> null;
            default -> throw new IOException("unexpected " + token);
        };
    }

    private static List<Object> array(JsonParser json) throws IOException {
        List<Object> items = new ArrayList<>();
        for (JsonToken token = json.nextToken(); token != JsonToken.END_ARRAY; token = json.nextToken()) {
            items.add(value(json, token));
        }
        return items;
    }

    /**
     * Class loader that hides resources which Pekko would look up in every jar of the class path: the default settings, which are already
     * included, and the manifests, from which it compares the versions of its modules; the build pins those.
     */
    private static final class WithoutSearches extends ClassLoader {
        private static final Set<String> HIDDEN = Set.of("reference.conf", "META-INF/MANIFEST.MF");

        WithoutSearches(ClassLoader parent) {
            super(parent);
        }

        @Override
        public Enumeration<URL> getResources(String name) throws IOException {
            return HIDDEN.contains(name) ? Collections.emptyEnumeration() : super.getResources(name);
        }
    }
}
