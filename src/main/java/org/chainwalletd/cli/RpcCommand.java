package org.chainwalletd.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.boot.StartupException;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.HostPort;
import org.chainwalletd.config.Settings;

/** Calls a running daemon from the shell. */
final class RpcCommand implements Command {
    private static final Duration PATIENCE = Duration.ofSeconds(630);
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS);

    @Override
    public String word() {
        return "rpc";
    }

    @Override
    public String summary() {
        return "Calls a method of a running daemon and prints the result, for example: rpc get_balance '{\"address\": \"...\"}'. "
                + "The token comes from WALLETD_AUTH_TOKEN, else from the configuration or the datadir's token file; "
                + "URL and fingerprint from WALLETD_URL and WALLETD_FINGERPRINT, else from the configuration and the datadir.";
    }

    @Override
    public List<Flag> flags() {
        return List.of(
                new Flag("--url", "url", "the daemon; default WALLETD_URL, else the configured --bind"),
                new Flag("--scope", "scope", "which token file to use: read, manage or spend; default spend"),
                new Flag(
                        "--fingerprint",
                        "sha256:...",
                        "certificate to trust; default WALLETD_FINGERPRINT, else the datadir's when the URL is not given"));
    }

    @Override
    public List<String> arguments() {
        return List.of("method", "[params]");
    }

    @Override
    public int run(Invocation invocation) {
        Settings settings = invocation.configuration().settings();
        Map<String, Object> params;
        try {
            String text =
                    invocation.arguments().size() > 1 ? invocation.arguments().get(1) : "{}";
            JsonNode given = JSON.readTree(text);
            if (!given.isObject()) {
                return invocation.fail(
                        ExitCode.USAGE, "the parameters are no JSON object but " + kind(given) + ": give them by name");
            }
            params = JSON.convertValue(given, new TypeReference<>() {});
        } catch (JsonProcessingException e) {
            return invocation.fail(ExitCode.USAGE, "the parameters are no JSON object: " + e.getOriginalMessage());
        }
        try {
            WalletdClient client = new WalletdClient(
                    url(invocation, settings), token(invocation, settings), pin(invocation, settings), PATIENCE);
            JsonNode result = client.call(invocation.arguments().get(0), params);
            invocation.out().println(JSON.writerWithDefaultPrettyPrinter().writeValueAsString(result));
            return ExitCode.OK;
        } catch (WalletdException.RpcError e) {
            return invocation.fail(
                    ExitCode.FAILED,
                    "error " + e.code() + ": " + e.getMessage() + (e.data() == null ? "" : " " + e.data()));
        } catch (IllegalArgumentException | JsonProcessingException e) {
            return invocation.fail(ExitCode.USAGE, e.getMessage());
        }
    }

    private static String kind(JsonNode given) {
        return given.isMissingNode() ? "nothing" : given.getNodeType().name().toLowerCase(Locale.ROOT);
    }

    private static Optional<String> givenUrl(Invocation invocation) {
        return given(invocation, "--url", "WALLETD_URL");
    }

    private static Optional<String> given(Invocation invocation, String flag, String variable) {
        return invocation
                .option(flag)
                .or(() -> Optional.ofNullable(invocation.environment().get(variable)));
    }

    private static URI url(Invocation invocation, Settings settings) {
        Optional<String> given = givenUrl(invocation);
        if (given.isPresent()) {
            return URI.create(given.get());
        }
        Settings.Http http = settings.http();
        return URI.create((http.tls() ? "https://" : "http://") + HostPort.toReach(http.bind()) + "/");
    }

    private static String token(Invocation invocation, Settings settings) {
        String given = invocation.environment().get("WALLETD_AUTH_TOKEN");
        if (given != null) {
            return given;
        }
        String scope = invocation.option("--scope").orElse("spend");
        String configured = settings.http().tokenFlags().get(scope);
        if (configured != null) {
            return configured;
        }
        Path file = settings.datadir().resolve("token-" + scope);
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new StartupException("cannot read the token file " + file
                    + ": set WALLETD_AUTH_TOKEN, or name the daemon's datadir with --datadir");
        }
    }

    /** Who can read the token in the datadir of the configured daemon need not be told its fingerprint. */
    private static Optional<String> pin(Invocation invocation, Settings settings) {
        Optional<String> given = given(invocation, "--fingerprint", "WALLETD_FINGERPRINT");
        if (given.isPresent()
                || givenUrl(invocation).isPresent()
                || !settings.http().tls()) {
            return given;
        }
        Path file = settings.datadir().resolve("cert.fingerprint");
        try {
            return Optional.of(Files.readString(file).strip());
        } catch (IOException e) {
            throw new StartupException("cannot read the fingerprint of the daemon's certificate in " + file
                    + ": set WALLETD_FINGERPRINT, or name the daemon's datadir with --datadir");
        }
    }
}
