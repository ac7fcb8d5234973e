package org.chainwalletd.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.config.Nearest;
import org.chainwalletd.config.Settings;
import org.chainwalletd.observe.Printable;
import org.chainwalletd.rpc.MethodHelp;
import org.chainwalletd.rpc.MethodRegistry;
import org.chainwalletd.rpc.RpcMethod;

/** Calls a running daemon from the shell. */
final class RpcCommand implements Command {
    private static final String HELP = "help";
    private static final String DEFAULT_SCOPE = "read";
    private static final Duration PATIENCE = Duration.ofSeconds(630);
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS);

    @Override
    public String word() {
        return "rpc";
    }

    @Override
    public String summary() {
        return "Calls a method of a running daemon and prints the result, for example: rpc get_balance address=..., or rpc get_balance '{\"address\": \"...\"}'. "
                + "Required parameters may also be given without their names, in their order. "
                + "rpc help lists the methods, rpc help METHOD or rpc METHOD --help describes one. "
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
                new Flag("--raw", "", "print the result on one line")));
        return flags;
    }

    @Override
    public List<String> arguments() {
        return List.of("method", "[params]...");
    }

    @Override
    public Optional<String> help(List<String> arguments) {
        MethodRegistry registry = RpcParameters.registry(ChainProfile.of("chain"));
        List<String> names =
                arguments.stream().filter(word -> !word.equals(HELP)).toList();
        if (names.isEmpty()) {
            return arguments.isEmpty() ? Optional.empty() : Optional.of(MethodHelp.of(registry));
        }
        return registry.methods().stream()
                .filter(method -> method.name().equals(names.get(0)))
                .findFirst()
                .map(method -> MethodHelp.of(method, Lines.NAME + " rpc"));
    }

    private int help(Invocation invocation) {
        Optional<String> text = help(invocation.arguments());
        text.ifPresent(invocation.out()::print);
        return text.isPresent()
                ? ExitCode.OK
                : invocation.fail(ExitCode.USAGE, unknown(invocation.arguments().get(1)));
    }

    private static String unknown(String method) {
        List<String> names = RpcParameters.registry(ChainProfile.of("chain")).methods().stream()
                .map(RpcMethod::name)
                .toList();
        return "there is no method " + Printable.text(method) + Nearest.colon(method, names)
                + "; rpc help lists them all";
    }

    @Override
    public int run(Invocation invocation) {
        String method = invocation.arguments().get(0);
        if (method.equals(HELP)) {
            return help(invocation);
        }
        Settings settings = invocation.configurationOfDaemon().settings();
        try {
            Map<String, Object> params = params(invocation, settings, method);
            WalletdClient client =
                    Connection.of(invocation, settings, DEFAULT_SCOPE).client(PATIENCE);
            print(invocation, client.call(method, params));
            return ExitCode.OK;
        } catch (Mistake | IllegalArgumentException e) {
            return invocation.fail(ExitCode.USAGE, e.getMessage());
        } catch (IOException e) {
            return invocation.fail(ExitCode.USAGE, "cannot read the parameters: " + e.getMessage());
        } catch (WalletdException.MethodNotFound e) {
            return invocation.fail(ExitCode.BAD_CALL, "error " + e.code() + ": " + unknown(method));
        } catch (WalletdException e) {
            return Connection.failed(invocation, e);
        }
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

    private static void print(Invocation invocation, JsonNode result) throws JsonProcessingException {
        boolean raw = invocation.option("--raw").isPresent();
        String json = (raw ? JSON.writer() : JSON.writerWithDefaultPrettyPrinter()).writeValueAsString(result);
        // JSON lets some of what steers a terminal stand in its strings as it is; escaped it is the same JSON.
        json.lines().map(Printable::text).forEach(invocation.out()::println);
    }
}
