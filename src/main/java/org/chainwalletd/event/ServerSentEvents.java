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

/** The bytes of the events (HTML, section 9.2). Data is JSON in one line. */
final class ServerSentEvents {
    /** A comment, which readers skip. */
    static final ByteString HEARTBEAT = ByteString.fromString(":\n\n");

    /** Events that are told only live may have been missed. */
    static final ByteString RESYNC = ByteString.fromString("event: resync\ndata: {}\n\n");

    /** @param timestamp Unix seconds */
    private record TipView(long height, Hash256 blockId, long timestamp) {}

    private ServerSentEvents() {}

    static ByteString tip(FollowedTip tip) {
        return event(
                Optional.empty(), "tip", new TipView(tip.height(), tip.place().blockId(), tip.timestamp()));
    }

    /**
     * @param cursor just after this event: the id to go on from
     * @param verified whether the chain is known to be the one that the operator means
     * @param watchOnly whether its address is watched although its key is elsewhere
     */
    static ByteString credit(
            CreditEvent event, CreditCursor cursor, long tipHeight, int maturity, boolean verified, boolean watchOnly) {
        return event(
                Optional.of(cursor.text()),
                "credit",
                WaitMethods.credit(event, tipHeight, maturity, verified, watchOnly));
    }

    /** An event that cannot be told again. */
    static ByteString live(String kind, Object data) {
        return event(Optional.empty(), kind, data);
    }

    private static ByteString event(Optional<String> id, String kind, Object data) {
        String head = id.map(text -> "id: " + text + "\n").orElse("") + "event: " + kind + "\ndata: ";
        return ByteString.fromString(head + new String(Json.write(data), StandardCharsets.UTF_8) + "\n\n");
    }
}
