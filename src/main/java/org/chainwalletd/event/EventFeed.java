package org.chainwalletd.event;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;

/** Source of event streams. */
@FunctionalInterface
public interface EventFeed {
    /** Outcome of a request for a stream. */
    sealed interface Opening {}

    /** @param bytes server-sent events; must be run once and soon, since the stream's place is taken until it ends */
    record Opened(Source<ByteString, NotUsed> bytes) implements Opening {}

    /** The maximum number of streams is open. */
    record Full() implements Opening {}

    /** The token has its maximum number of streams open. */
    record ShareTaken() implements Opening {}

    /** The memory limit for buffers of all clients together leaves no room for another stream. */
    record NoMemory() implements Opening {}

    /** The {@code Last-Event-ID} is not a cursor of these books, or the log after it is no longer kept. */
    record UnknownId() implements Opening {}

    /** The daemon is stopping. */
    record Stopping() implements Opening {}

    /** Memory budget that all clients share. Thread-safe. */
    interface Memory {
        /** Takes {@code bytes} if that much is left, otherwise nothing. */
        boolean take(long bytes);

        void giveBack(long bytes);
    }

    /**
     * Opens a stream. A named token may hold half of the streams, so that one program cannot take all of them; the main tokens may hold all.
     *
     * @param lastEventId id of the last event that the reader received; empty: only new events
     * @param owner name of the token; empty for the main ones
     * @param memory budget from which the stream's buffers are taken until it ends
     */
    CompletionStage<Opening> open(Optional<String> lastEventId, Optional<String> owner, Memory memory);
}
