package org.chainwalletd.boot;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.config.ConfigurationException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.config.SettingsLoader;
import org.chainwalletd.crypto.SecretBytes;

/** A whole daemon inside the test, called over HTTP. */
final class DaemonRig implements AutoCloseable {
    static final String PASSPHRASE = "tests only";

    private final Daemon daemon;
    private final String token;
    private final WalletdClient client;

    /** @param more flags and their values */
    DaemonRig(Path datadir, URI node, String... more) {
        try {
            daemon = Daemon.start(settings(datadir, node, more), passphrase(), line -> {});
            token = Files.readString(datadir.resolve("token-spend")).strip();
            client = new WalletdClient(daemon.uri(), token, Optional.empty(), Duration.ofSeconds(100));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static Settings settings(Path datadir, URI node, String... more) {
        Map<String, String> flags = new HashMap<>(
                Map.of("--datadir", datadir.toString(), "--bind", "127.0.0.1:0", "--node-rpc", node.toString()));
        for (int i = 0; i < more.length; i += 2) {
            flags.put(more[i], more[i + 1]);
        }
        try {
            return SettingsLoader.load(flags, Map.of(), datadir).settings();
        } catch (ConfigurationException e) {
            throw new AssertionError(e);
        }
    }

    static SecretBytes passphrase() {
        return SecretBytes.takeOver(PASSPHRASE.getBytes(StandardCharsets.UTF_8));
    }

    JsonNode call(String method, Map<String, ?> params) {
        return client.call(method, params);
    }

    /** With the spend token. */
    WalletdClient client() {
        return client;
    }

    /** The metrics as their reader gets them. */
    String metrics() {
        HttpRequest request = HttpRequest.newBuilder(daemon.uri().resolve("/metrics"))
                .header("authorization", "Bearer " + token)
                .timeout(Duration.ofSeconds(10))
                .build();
        try {
            return HttpClient.newHttpClient()
                    .send(request, HttpResponse.BodyHandlers.ofString())
                    .body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        daemon.close();
    }
}
