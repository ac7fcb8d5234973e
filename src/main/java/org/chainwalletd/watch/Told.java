package org.chainwalletd.watch;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.chainwalletd.client.DaemonEvent;

/** Events of the daemon in words. */
final class Told {
    private static final ObjectMapper JSON = new ObjectMapper();

    private Told() {}

    /** Empty for an event that tells a person nothing. */
    static Optional<Board.Happening> of(DaemonEvent event, Instant now) {
        if (event.kind().equals("resync")) {
            return Optional.empty();
        }
        return Optional.of(new Board.Happening(
                now,
                Row.harmless(event.kind()),
                Row.harmless(words(event, name -> name)),
                Row.harmless(words(event, Row::brief))));
    }

    /** @param name shows a hash or address */
    private static String words(DaemonEvent event, UnaryOperator<String> name) {
        JsonNode data;
        try {
            data = JSON.readTree(event.data());
        } catch (JsonProcessingException e) {
            return event.data();
        }
        return switch (event.kind()) {
            case "tip" ->
                Row.number(data.path("height").asLong()) + "  "
                        + name.apply(data.path("block_id").asText());
            case "credit" ->
                data.path("event").asText() + " "
                        + Row.number(data.path("amount").bigIntegerValue()) + " to "
                        + name.apply(data.path("address").asText()) + " by "
                        + name.apply(data.path("tx_id").asText()) + ":"
                        + data.path("output_index").asText();
            case "spend" ->
                data.path("state").asText() + " " + data.path("method").asText() + " "
                        + name.apply(data.path("tx_id").asText()) + " from "
                        + name.apply(data.path("from").asText())
                        + (data.hasNonNull("reason") ? ": " + data.get("reason").asText() : "");
            case "htlc" ->
                (data.hasNonNull("state") ? data.get("state").asText() : "gone") + " "
                        + name.apply(data.path("lock_tx_id").asText()) + ":"
                        + data.path("output_index").asText() + " with "
                        + Row.number(data.path("amount").bigIntegerValue()) + " until "
                        + Row.number(data.at("/params/timeout_height").asLong()) + " as "
                        + data.path("role").asText();
            default -> data.toString();
        };
    }
}
