package org.chainwalletd.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.boot.StartupException;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.HostPort;
import org.chainwalletd.config.Settings;
import org.chainwalletd.rpc.ErrorCode;

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
        return "Calls a method of a running daemon and prints the result, for example: rpc get_balance address=..., or rpc get_balance '{\"address\": \"...\"}'. "
                + "The token comes from WALLETD_AUTH_TOKEN, else from the configuration or the datadir's token file; "
                + "URL and fingerprint from WALLETD_URL and WALLETD_FINGERPRINT, else from the configuration and the datadir.";
    }

    @Override
    public List<Flag> flags() {
        return List.of(
                new Flag("--url", "url", "the daemon; default WALLETD_URL, else the configured --bind"),
                new Flag(
                        "--params",
                        "file",
                        "the parameters as a JSON object in a file, - for standard input: keeps secrets"
                                + " out of the list of processes"),
                new Flag("--raw", "", "print the result on one line"),
                new Flag("--scope", "scope", "which token file to use: read, manage or spend; default spend"),
                new Flag(
                        "--fingerprint",
                        "sha256:...",
                        "certificate to trust; default WALLETD_FINGERPRINT, else the datadir's when the URL is not given"));
    }

    @Override
    public List<String> arguments() {
        return List.of("method", "[params]...");
    }

    @Override
    public int run(Invocation invocation) {
        Settings settings = invocation.configuration().settings();
        String method = invocation.arguments().get(0);
        try {
            Map<String, Object> params = params(invocation, settings, method);
            WalletdClient client = new WalletdClient(
                    url(invocation, settings), token(invocation, settings), pin(invocation, settings), PATIENCE);
            print(invocation, client.call(method, params));
            return ExitCode.OK;
        } catch (RpcParameters.Mistake | IllegalArgumentException e) {
            return invocation.fail(ExitCode.USAGE, e.getMessage());
        } catch (IOException e) {
            return invocation.fail(ExitCode.USAGE, "cannot read the parameters: " + e.getMessage());
        } catch (WalletdException.RpcError e) {
            return invocation.fail(
                    codeOf(e),
                    Program.oneLine(
                            "error " + e.code() + ": " + e.getMessage() + (e.data() == null ? "" : " " + e.data())));
        } catch (WalletdException.FingerprintMismatch e) {
            return invocation.fail(ExitCode.WRONG_CERTIFICATE, Program.oneLine(e.getMessage()));
        } catch (WalletdException e) {
            return invocation.fail(ExitCode.NO_ANSWER, Program.oneLine(e.getMessage()));
        }
    }

    private static Map<String, Object> params(Invocation invocation, Settings settings, String method)
            throws RpcParameters.Mistake, IOException {
        List<String> words =
                invocation.arguments().subList(1, invocation.arguments().size());
        Optional<String> file = invocation.option("--params");
        if (file.isPresent()) {
            if (!words.isEmpty()) {
                throw new RpcParameters.Mistake("give the parameters with --params or as words, not both");
            }
            return RpcParameters.ofJson(text(invocation, file.get()));
        }
        if (words.size() == 1 && isJson(words.get(0))) {
            return RpcParameters.ofJson(words.get(0));
        }
        return RpcParameters.ofWords(settings.chain(), method, words);
    }

    private static boolean isJson(String word) {
        return word.startsWith("{") || !word.contains("=");
    }

    private static String text(Invocation invocation, String file) throws IOException {
        byte[] bytes = file.equals("-") ? invocation.streams().in().readAllBytes() : Files.readAllBytes(Path.of(file));
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static void print(Invocation invocation, JsonNode result) throws JsonProcessingException {
        boolean raw = invocation.option("--raw").isPresent();
        invocation
                .out()
                .println((raw ? JSON.writer() : JSON.writerWithDefaultPrettyPrinter()).writeValueAsString(result));
    }

    /** By what the caller can do about it. */
    static int codeOf(WalletdException.RpcError error) {
        return switch (error.kind()) {
            case AUTHENTICATION -> ExitCode.UNAUTHORIZED;
            case UPSTREAM, INTERNAL -> ExitCode.TRY_AGAIN;
            case PARSE, METHOD_NOT_FOUND, INVALID_PARAMS -> ExitCode.BAD_CALL;
            default ->
                error.code() == ErrorCode.INVALID_REQUEST.code()
                        ? ExitCode.BAD_CALL
                        : passes(error) ? ExitCode.TRY_AGAIN : ExitCode.REFUSED;
        };
    }

    private static boolean passes(WalletdException.RpcError error) {
        return error.data("in_flight_reserved").map(JsonNode::asBoolean).orElse(false)
                || Arrays.stream(ErrorCode.values()).anyMatch(code -> code.code() == error.code() && code.retryable());
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
