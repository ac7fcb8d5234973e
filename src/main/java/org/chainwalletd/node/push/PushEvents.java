package org.chainwalletd.node.push;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.util.Set;
import org.apache.pekko.http.javadsl.model.sse.ServerSentEvent;
import org.chainwalletd.chain.Address;

/** Reads the events of a push stream (chain protocol, section 12). What is no such event tells nothing; it is no reason to hang up. */
final class PushEvents {
    private static final JsonFactory JSON = new JsonFactory();

    private PushEvents() {}

    /**
     * @param asked the addresses of the stream; what is said about others is dropped
     */
    static Nudges read(ServerSentEvent event, Set<Address> asked) {
        return switch (event.getEventType().orElse("")) {
            case "script_changed" -> changed(event.getData(), asked);
            case "tip" -> tip(event.getData());
            case "resync" -> Nudges.lost();
            default -> Nudges.NONE;
        };
    }

    private static Nudges changed(String data, Set<Address> asked) {
        String script = member(data, "script");
        try {
            Address address = script == null ? null : Address.parse(script);
            return address != null && asked.contains(address) ? Nudges.changed(address) : Nudges.NONE;
        } catch (IllegalArgumentException e) {
            return Nudges.NONE;
        }
    }

    private static Nudges tip(String data) {
        String height = member(data, "height");
        try {
            return height == null ? Nudges.NONE : Nudges.tip(Long.parseUnsignedLong(height));
        } catch (IllegalArgumentException e) {
            return Nudges.NONE;
        }
    }

    /** The text of a string or number in an object; null when there is none. */
    private static String member(String json, String name) {
        try (JsonParser in = JSON.createParser(json)) {
            if (in.nextToken() != JsonToken.START_OBJECT) {
                return null;
            }
            while (in.nextToken() == JsonToken.FIELD_NAME) {
                boolean wanted = in.currentName().equals(name);
                JsonToken value = in.nextToken();
                if (wanted) {
                    return value == JsonToken.VALUE_STRING || value == JsonToken.VALUE_NUMBER_INT ? in.getText() : null;
                }
                in.skipChildren();
            }
            return null;
        } catch (IOException e) {
            return null;
        }
    }
}
