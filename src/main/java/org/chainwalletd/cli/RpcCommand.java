package org.chainwalletd.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.cli.RpcParameters.Mistake;
import org.chainwalletd.cli.RpcParameters.SecretWords;
import org.chainwalletd.client.Transport;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.Settings;
import org.chainwalletd.observe.Printable;
import org.chainwalletd.rpc.MethodHelp;
import org.chainwalletd.rpc.Repetition;

/** Command that calls a running daemon from the shell. */
final class RpcCommand implements Command {
    private static final String HELP = "help";
    private static final String CLIENT_TOKEN = "client_token";
    private static final String DEFAULT_SCOPE = "read";
    private static final Duration TIMEOUT = Duration.ofSeconds(630);
    private static final String JSON = "json";
    private static final String TABLE = "table";

    /**
     * Option passed by the launcher script after it has called the daemon itself; the answer is on standard input, and nothing must be sent
     * again.
     */
    private static final String ANSWERED = "--answered";

    @Override
    public String word() {
        return "rpc";
    }

    @Override
    public String summary() {
        return "Calls a method of a running daemon and prints the result, for example: rpc get_balance address=..., or rpc get_balance '{\"address\": \"...\"}'. "
                + "Required parameters may also be given without their names, in their order. "
                + "rpc help lists the methods, rpc help METHOD or rpc METHOD --help describes one. "
                + "--output table and --coins print it for people. "
                + "A secret is never on the command line: passphrase=- reads it from standard input, --params - all parameters. "
                + "The token comes from WALLETD_AUTH_TOKEN, else, for a daemon on this machine, from the configuration or the datadir's token file; "
                + "URL and fingerprint from WALLETD_URL and WALLETD_FINGERPRINT, else from the configuration and the datadir.";
    }

    @Override
    public List<Flag> flags() {
        List<Flag> flags = new ArrayList<>(Connection.flags(DEFAULT_SCOPE));
        flags.addAll(List.of(
                new Flag(
                        "--params",
                        "file",
                        "the parameters as a JSON object in a file, - for standard input: keeps secrets"
                                + " out of the list of processes"),
                new Flag("--output", "form", "json, which is the default, or table: rows and columns for people"),
                new Flag("--raw", "", "print the result as JSON on one line"),
                new Flag("--coins", "", "print amounts in coins with eight decimals, not in base units"),
                new Flag(ANSWERED, "", "")));
        return flags;
    }

    @Override
    public List<String> arguments() {
        return List.of("method", "[params]...");
    }

    @Override
    public Optional<String> help(List<String> arguments) {
        ChainProfile chain = ChainProfile.of("chain");
        List<String> names =
                arguments.stream().filter(word -> !word.equals(HELP)).toList();
        if (names.isEmpty()) {
            return arguments.isEmpty() ? Optional.empty() : Optional.of(MethodHelp.of(RpcParameters.registry(chain)));
        }
        return RpcParameters.method(chain, names.get(0)).map(method -> MethodHelp.of(method, Lines.NAME + " rpc"));
    }

    private int help(Invocation invocation) {
        Optional<String> text = help(invocation.arguments());
        text.ifPresent(invocation.out()::print);
        return text.isPresent()
                ? ExitCode.OK
                : invocation.fail(
                        ExitCode.USAGE,
                        RpcParameters.unknown(invocation.arguments().get(1)));
    }

    @Override
    public int run(Invocation invocation) {
        String method = invocation.arguments().get(0);
        if (method.equals(HELP)) {
            return help(invocation);
        }
        Settings settings = invocation.configurationOfDaemon().settings();
        boolean named = invocation.arguments().stream().anyMatch(word -> word.startsWith(CLIENT_TOKEN + "="));
        try {
            String form = form(invocation);
            boolean answered = invocation.option(ANSWERED).isPresent();
            Map<String, Object> params = answered ? Map.of() : params(invocation, settings, method);
            named |= params.containsKey(CLIENT_TOKEN);
            Connection connection = Connection.of(invocation, settings, DEFAULT_SCOPE);
            WalletdClient client = answered ? answered(invocation, connection) : connection.client(TIMEOUT);
            print(invocation, form, client.call(method, params), settings.chain());
            return ExitCode.OK;
        } catch (Mistake | IllegalArgumentException e) {
            return invocation.fail(ExitCode.USAGE, e.getMessage());
        } catch (IOException e) {
            return invocation.fail(ExitCode.USAGE, "cannot read the parameters: " + e.getMessage());
        } catch (WalletdException.MethodNotFound e) {
            return invocation.fail(ExitCode.BAD_CALL, "error " + e.code() + ": " + RpcParameters.unknown(method));
        } catch (WalletdException e) {
            return Connection.failed(invocation, e, repetition(settings.chain(), method, named));
        }
    }

    /** Kind of the call: a call with effects but without a {@code client_token} may repeat them. */
    private static Repetition repetition(ChainProfile chain, String method, boolean named) {
        return RpcParameters.method(chain, method)
                .map(known -> known.repetition(named))
                .orElse(Repetition.UNBOUND);
    }

    private static Map<String, Object> params(Invocation invocation, Settings settings, String method)
            throws Mistake, IOException {
        List<String> words =
                invocation.arguments().subList(1, invocation.arguments().size());
        Optional<String> file = invocation.option("--params");
        if (file.isPresent()) {
            if (!words.isEmpty()) {
                throw new Mistake("give the parameters with --params or as words, not both");
            }
            return RpcParameters.ofJson(text(invocation, file.get()));
        }
        RpcParameters parameters = new RpcParameters(settings.chain(), method, new SecretWords(invocation.streams()));
        return words.size() == 1 && words.get(0).startsWith("{")
                ? parameters.ofVisibleJson(words.get(0))
                : parameters.ofWords(words);
    }

    private static String text(Invocation invocation, String file) throws IOException {
        byte[] bytes = file.equals("-") ? invocation.streams().in().readAllBytes() : Files.readAllBytes(Path.of(file));
        return new String(bytes, StandardCharsets.UTF_8);
    }

    private static String form(Invocation invocation) throws Mistake {
        String form = invocation.option("--output").orElse(JSON);
        if (!form.equals(JSON) && !form.equals(TABLE)) {
            throw new Mistake("--output is json or table, not " + Printable.text(form));
        }
        if (form.equals(TABLE) && invocation.option("--raw").isPresent()) {
            throw new Mistake("give --raw or --output table, not both");
        }
        return form;
    }

    /**
     * Creates a client that returns the answer received by the launcher script: a line with the HTTP status, followed by the body; or 0 and
     * the reason why there is no answer.
     */
    private static WalletdClient answered(Invocation invocation, Connection connection) throws IOException {
        byte[] input = invocation.streams().in().readAllBytes();
        String[] parts = new String(input, StandardCharsets.UTF_8).split("\n", 2);
        int status = Integer.parseInt(parts[0]);
        CompletableFuture<Transport.Answer> answer = status == 0
                ? CompletableFuture.failedFuture(new IOException(parts[1].strip()))
                : CompletableFuture.completedFuture(
                        new Transport.Answer(status, parts[1].getBytes(StandardCharsets.UTF_8)));
        return WalletdClient.builder(connection.url(), connection.token())
                .transport((url, token, body, timeout) -> answer)
                .build();
    }

    private static void print(Invocation invocation, String form, JsonNode result, ChainProfile chain)
            throws JsonProcessingException {
        JsonNode shown = result;
        if (invocation.option("--coins").isPresent()) {
            shown = RpcParameters.method(chain, invocation.arguments().get(0))
                    .map(known -> ResultText.inCoins(result, known.result()))
                    .orElse(result);
        }
        boolean oneLine = invocation.option("--raw").isPresent();
        List<String> lines = form.equals(TABLE) ? ResultText.table(shown) : ResultText.json(shown, oneLine);
        lines.forEach(invocation.out()::println);
    }
}
