package org.chainwalletd.client;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Bytes of a stream of server-sent events to events (HTML, section 9.2.6). Holds one event at most, of bounded length. */
final class SseParser {
    /** Longer than any event of the daemon by far. */
    static final int LONGEST = 1 << 20;

    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final StringBuilder data = new StringBuilder();
    private String kind = "";
    private Optional<String> id = Optional.empty();
    private boolean afterCarriageReturn;

    /**
     * @return the events that these bytes complete
     * @throws IllegalStateException for an event that is too long
     */
    List<DaemonEvent> take(byte[] bytes) {
        List<DaemonEvent> events = new ArrayList<>();
        for (byte one : bytes) {
            if (one == '\n' && afterCarriageReturn) {
                afterCarriageReturn = false;
                continue;
            }
            afterCarriageReturn = one == '\r';
            if (one == '\n' || one == '\r') {
                endOfLine(line.toString(StandardCharsets.UTF_8)).ifPresent(events::add);
                line.reset();
            } else {
                line.write(one);
                if (line.size() + data.length() > LONGEST) {
                    throw new IllegalStateException("an event of more than " + LONGEST + " bytes");
                }
            }
        }
        return events;
    }

    private Optional<DaemonEvent> endOfLine(String text) {
        if (text.isEmpty()) {
            return endOfEvent();
        }
        int colon = text.indexOf(':');
        String field = colon < 0 ? text : text.substring(0, colon);
        String value = colon < 0 ? "" : text.substring(colon + 1);
        value = value.startsWith(" ") ? value.substring(1) : value;
        switch (field) {
            case "event" -> kind = value;
            case "data" -> data.append(data.isEmpty() ? "" : "\n").append(value);
            case "id" -> id = Optional.of(value);
            default -> {
                // A comment, or a field that later daemons may bring.
            }
        }
        return Optional.empty();
    }

    private Optional<DaemonEvent> endOfEvent() {
        Optional<DaemonEvent> event = data.isEmpty()
                ? Optional.empty()
                : Optional.of(new DaemonEvent(kind.isEmpty() ? "message" : kind, data.toString(), id));
        kind = "";
        data.setLength(0);
        id = Optional.empty();
        return event;
    }
}
