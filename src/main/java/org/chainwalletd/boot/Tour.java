package org.chainwalletd.boot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.chainwalletd.client.WalletdClient;
import org.chainwalletd.client.WalletdException;

/** Tour of calls that are printed with their answers, between explanatory sentences. */
abstract class Tour {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);

    final WalletdClient daemon;
    final WalletdClient node;
    private final PrintStream out;
    private final ObjectMapper json = new ObjectMapper();

    Tour(WalletdClient daemon, WalletdClient node, PrintStream out) {
        this.daemon = daemon;
        this.node = node;
        this.out = out;
    }

    final JsonNode ask(WalletdClient client, String method, Map<String, ?> params) {
        out.println("  > " + method + " " + render(params));
        JsonNode result = client.call(method, params);
        out.println("  < " + render(result));
        out.println();
        return result;
    }

    /** Makes a call without printing it, for polling. */
    static Optional<JsonNode> quietly(WalletdClient client, String method, Map<String, ?> params) {
        try {
            return Optional.of(client.call(method, params));
        } catch (WalletdException.RpcError notYet) {
            return Optional.empty();
        }
    }

    final JsonNode newKey(String label) {
        return ask(daemon, "generate_standard_address", Map.of("label", label));
    }

    final long balance(String address) {
        return quietly(daemon, "get_balance", Map.of("address", address))
                .map(result -> result.path("balance").asLong())
                .orElse(-1L);
    }

    final void await(String what, BooleanSupplier condition) {
        Instant end = Instant.now().plus(TIMEOUT);
        while (!condition.getAsBoolean()) {
            if (Instant.now().isAfter(end)) {
                throw new IllegalStateException("timed out after two minutes waiting for " + what);
            }
            try {
                Thread.sleep(100);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("interrupted while waiting for " + what, e);
            }
        }
    }

    final void say(String sentence) {
        out.println(sentence);
    }

    private String render(Object value) {
        try {
            return json.writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("maps and trees are always JSON", e);
        }
    }

    static Map<String, Object> params(Object... namesAndValues) {
        Map<String, Object> params = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            params.put((String) namesAndValues[i], namesAndValues[i + 1]);
        }
        return params;
    }
}
