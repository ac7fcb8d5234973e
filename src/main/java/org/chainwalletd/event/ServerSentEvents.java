package org.chainwalletd.event;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.rpc.method.WaitMethods;
import org.chainwalletd.store.books.CreditCursor;
import org.chainwalletd.store.books.CreditEvent;
import org.chainwalletd.wire.Json;

/** Encodes events (HTML, section 9.2), with JSON on one line as data. */
final class ServerSentEvents {
    /** A comment line, which readers ignore. */
    static final ByteString HEARTBEAT = ByteString.fromString(":\n\n");

    /** Notifies the reader that it may have missed live-only events. */
    static final ByteString RESYNC = ByteString.fromString("event: resync\ndata: {}\n\n");

    /** @param timestamp Unix seconds */
    private record TipView(long height, Hash256 blockId, long timestamp) {}

    private ServerSentEvents() {}

    static ByteString tip(FollowedTip tip) {
        return event(
                Optional.empty(), "tip", new TipView(tip.height(), tip.place().blockId(), tip.timestamp()));
    }

    /**
     * @param cursor just after this event: the id to continue from
     * @param verified whether the chain is known to be the operator's
     * @param watchOnly whether the address is watched although its key is elsewhere
     */
    static ByteString credit(
            CreditEvent event, CreditCursor cursor, long tipHeight, int maturity, boolean verified, boolean watchOnly) {
        return event(
                Optional.of(cursor.text()),
                "credit",
                WaitMethods.credit(event, tipHeight, maturity, verified, watchOnly));
    }

    /** Encodes an event that has no id and is not repeated. */
    static ByteString live(String kind, Object data) {
        return event(Optional.empty(), kind, data);
    }

    private static ByteString event(Optional<String> id, String kind, Object data) {
        String head = id.map(text -> "id: " + text + "\n").orElse("") + "event: " + kind + "\ndata: ";
        return ByteString.fromString(head + new String(Json.write(data), StandardCharsets.UTF_8) + "\n\n");
    }
}
