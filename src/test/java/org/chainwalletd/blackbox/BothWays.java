package org.chainwalletd.blackbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.chainwalletd.api.Call;
import org.chainwalletd.cli.ExitCode;
import org.chainwalletd.client.WalletdException;
import org.chainwalletd.testkit.Commands;
import org.chainwalletd.testkit.DaemonProcess;
import org.chainwalletd.testkit.JsonSchemas;
import org.chainwalletd.wire.Binder;
import org.chainwalletd.wire.Json;

/**
 * Calls a daemon through the typed Java client and through the command line, compares parameters and results with the method's description in
 * {@code rpc.discover}, and records which methods were called. The command line runs in this process; {@link LauncherIT} tests what the launcher
 * adds.
 */
final class BothWays {
    private static final ObjectMapper JSON = new ObjectMapper().enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS);

    private final DaemonProcess daemon;
    private final Path datadir;
    private final JsonNode document;
    private final Map<String, JsonNode> described = new LinkedHashMap<>();
    private final Set<String> byClient = new TreeSet<>();
    private final Set<String> byCommandLine = new TreeSet<>();

    BothWays(DaemonProcess daemon, Path datadir) {
        this.daemon = daemon;
        this.datadir = datadir;
        document = daemon.call("rpc.discover", Map.of());
        assertThat(JsonSchemas.againstOpenRpc(document)).isEmpty();
        document.get("methods")
                .forEach(method -> described.put(method.get("name").asText(), method));
    }

    /** Returns the names of all methods of the daemon. */
    Set<String> all() {
        return new TreeSet<>(described.keySet());
    }

    /** Returns the names of all methods that were called in both ways. */
    Set<String> called() {
        Set<String> both = new TreeSet<>(byClient);
        both.retainAll(byCommandLine);
        return both;
    }

    /** Also counts the methods that were called at another daemon. */
    void alsoCalledBy(BothWays other) {
        byClient.addAll(other.byClient);
        byCommandLine.addAll(other.byCommandLine);
    }

    /** Makes the same call in both ways; returns the client's result. */
    <R> R same(Call<R> call) {
        return each(call, call).get(0);
    }

    /** Makes one call in each way, for methods whose effect is possible only once; returns both results. */
    <R> List<R> each(Call<R> first, Call<R> second) {
        return List.of(byClient(first), byCommandLine(second));
    }

    <R> R byClient(Call<R> call) {
        checkParams(name(call), params(call));
        R answer = daemon.client("spend").call(call);
        byClient.add(name(call));
        return answer;
    }

    @SuppressWarnings("unchecked") // the declared result of the call
    <R> R byCommandLine(Call<R> call) {
        checkParams(name(call), params(call));
        R answer = (R)
                Binder.lenient(type(call).result().asSubclass(Record.class)).bind(printed(name(call), params(call)));
        byCommandLine.add(name(call));
        return answer;
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // checked by Call.CallType
    private static Call.CallType<?, ?> type(Call<?> call) {
        return Call.CallType.of((Class) call.getClass());
    }

    private static String name(Call<?> call) {
        return type(call).method().name();
    }

    private static Map<String, Object> params(Call<?> call) {
        try {
            byte[] written = Json.paramsWriterFor(type(call).params()).writeValueAsBytes(call);
            return JSON.readValue(written, new TypeReference<LinkedHashMap<String, Object>>() {});
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Calls a method that the typed client lacks: a name for older clients, or a method that describes the others. */
    JsonNode untyped(String method, Map<String, Object> params) {
        checkParams(method, params);
        JsonNode printed = printed(method, params);
        assertThat(daemon.call(method, params).getNodeType()).isEqualTo(printed.getNodeType());
        byClient.add(method);
        byCommandLine.add(method);
        return printed;
    }

    /** Makes a call that this daemon refuses because an option is not configured. */
    void unconfigured(Call<?> call) {
        assertThatThrownBy(() -> daemon.client("spend").call(call))
                .as(name(call))
                .hasMessageContaining("not configured")
                .isInstanceOfSatisfying(
                        WalletdException.RpcError.class,
                        refused -> assertThat(refused.code()).isEqualTo(-32602));
        Ended ended = run(name(call), params(call));
        assertThat(ended.code).as(ended.err).isEqualTo(ExitCode.BAD_CALL);
        assertThat(ended.err).contains("not configured");
        checkParams(name(call), params(call));
        byClient.add(name(call));
        byCommandLine.add(name(call));
    }

    private JsonNode printed(String method, Map<String, Object> params) {
        Ended ended = run(method, params);
        assertThat(ended.code).as(method + ": " + ended.err).isZero();
        assertThat(ended.err).isEmpty();
        JsonNode result;
        try {
            result = JSON.readTree(ended.out);
        } catch (JsonProcessingException e) {
            throw new AssertionError(method + " printed no JSON: " + ended.out, e);
        }
        assertThat(JsonSchemas.against(document, described.get(method).at("/result/schema"), result))
                .as(method + " answered " + result)
                .isEmpty();
        return result;
    }

    private void checkParams(String method, Map<String, Object> params) {
        assertThat(described).containsKey(method);
        Map<String, JsonNode> known = new HashMap<>();
        described.get(method).get("params").forEach(param -> {
            String name = param.get("name").asText();
            known.put(name, param.get("schema"));
            assertThat(!param.path("required").asBoolean() || params.containsKey(name))
                    .as(method + " without " + name)
                    .isTrue();
        });
        params.forEach((name, value) -> {
            assertThat(known).as(method).containsKey(name);
            assertThat(JsonSchemas.against(document, known.get(name), tree(value)))
                    .as(method + " with " + name)
                    .isEmpty();
        });
    }

    private record Ended(int code, String out, String err) {}

    /** Runs the command; secrets are passed on standard input, other parameters as arguments. */
    private Ended run(String method, Map<String, Object> params) {
        boolean secret = params.keySet().stream()
                .anyMatch(name -> name.matches("passphrase|mnemonic|secret_hex|private_key(_hex)?"));
        List<String> words =
                new ArrayList<>(List.of("rpc", "--raw", "--scope", "spend", "--datadir", datadir.toString(), method));
        String typed = "";
        if (secret) {
            words.addAll(List.of("--params", "-"));
            typed = tree(params).toString();
        } else {
            params.forEach(
                    (name, value) -> words.add(name + "=" + (value instanceof String text ? text : tree(value))));
        }
        Commands commands = new Commands();
        int code = commands.run(
                typed, Map.of("WALLETD_URL", daemon.awaitReady().toString()), words.toArray(String[]::new));
        return new Ended(code, commands.out(), commands.err());
    }

    /** Converts a value to JSON as sent over the wire, because Jackson's own nodes have several types for numbers. */
    private static JsonNode tree(Object value) {
        try {
            return JSON.readTree(JSON.writeValueAsBytes(value));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
