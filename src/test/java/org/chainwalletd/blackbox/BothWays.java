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
 * Calls a daemon through the typed Java client and through the command line, holds parameters and results against what {@code rpc.discover}
 * says of the method, and remembers which methods were called. The command line runs in this process; what the launcher adds to it is {@link LauncherIT}'s.
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

    /** Names of all methods that the daemon has. */
    Set<String> all() {
        return new TreeSet<>(described.keySet());
    }

    /** Names of all methods that were called in both ways. */
    Set<String> called() {
        Set<String> both = new TreeSet<>(byClient);
        both.retainAll(byCommandLine);
        return both;
    }

    /** Counts what was called at another daemon too. */
    void alsoCalledBy(BothWays other) {
        byClient.addAll(other.byClient);
        byCommandLine.addAll(other.byCommandLine);
    }

    /** The same call in both ways; what the client was answered. */
    <R> R same(Call<R> call) {
        return each(call, call).get(0);
    }

    /** Two calls of one method, for what can be done only once; both answers. */
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

    /** A method of which the typed client has nothing: a name of older clients, or what describes the others. */
    JsonNode untyped(String method, Map<String, Object> params) {
        checkParams(method, params);
        JsonNode printed = printed(method, params);
        assertThat(daemon.call(method, params).getNodeType()).isEqualTo(printed.getNodeType());
        byClient.add(method);
        byCommandLine.add(method);
        return printed;
    }

    /** A call that this daemon refuses because something is not configured. */
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

    /** Secrets go through standard input, the rest as words. */
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

    /** As it goes over the wire: Jackson's own nodes for numbers are of many kinds. */
    private static JsonNode tree(Object value) {
        try {
            return JSON.readTree(JSON.writeValueAsBytes(value));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
