package org.chainwalletd.devnet.pool;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.chainwalletd.chain.Bytes;

/** JSON-RPC to one endpoint of a development account chain, for the pool's own threads. */
final class EvmRpc {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int HEX = 16;

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private final ObjectMapper json = new ObjectMapper();
    private final URI endpoint;

    EvmRpc(URI endpoint) {
        this.endpoint = endpoint;
    }

    /** Error answer of the chain. */
    static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1;

        RefusedException(String message) {
            super(message);
        }
    }

    /**
     * Sends a call and blocks until the answer arrives.
     *
     * @throws RefusedException when the answer is an error
     * @throws IOException when there is none
     */
    JsonNode call(String method, Object... params) throws IOException {
        ObjectNode request =
                json.createObjectNode().put("jsonrpc", "2.0").put("id", 1).put("method", method);
        request.set("params", json.valueToTree(params));
        JsonNode answer;
        try {
            HttpResponse<byte[]> response = http.send(
                    HttpRequest.newBuilder(endpoint)
                            .timeout(PATIENCE)
                            .header("Content-Type", "application/json")
                            .POST(HttpRequest.BodyPublishers.ofString(request.toString()))
                            .build(),
                    HttpResponse.BodyHandlers.ofByteArray());
            answer = json.readTree(response.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        if (answer.has("error")) {
            throw new RefusedException(
                    method + ": " + answer.path("error").path("message").asText());
        }
        return answer.path("result");
    }

    static BigInteger number(JsonNode quantity) throws IOException {
        String text = quantity.asText();
        if (!text.matches("0x[0-9a-fA-F]{1,64}")) {
            throw new IOException("the account chain answered no quantity: " + text);
        }
        return new BigInteger(text.substring(2), HEX);
    }

    static Bytes bytes(JsonNode data) throws IOException {
        try {
            return Bytes.parse(data.asText().substring(2));
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            throw new IOException("the account chain answered no bytes", e);
        }
    }
}
