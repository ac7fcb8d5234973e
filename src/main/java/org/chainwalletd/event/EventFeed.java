package org.chainwalletd.event;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;

/** Source of event streams. */
@FunctionalInterface
public interface EventFeed {
    /** Outcome of the wish for a stream. */
    sealed interface Opening {}

    /** @param bytes server-sent events, to be run once and soon; a place is held until it ends */
    record Opened(Source<ByteString, NotUsed> bytes) implements Opening {}

    /** The greatest number of streams is open already. */
    record Full() implements Opening {}

    /** The token has as many streams open as one token may have. */
    record ShareTaken() implements Opening {}

    /** Buffers of all clients together leave no memory for one more stream. */
    record NoMemory() implements Opening {}

    /** The id to go on after is no cursor of these books. */
    record UnknownId() implements Opening {}

    /** The daemon is stopping. */
    record Stopping() implements Opening {}

    /** Memory that the daemon may hold for all clients together. Safe for threads. */
    interface Memory {
        /** Takes nothing when there is not enough left. */
        boolean take(long bytes);

        void giveBack(long bytes);
    }

    /**
     * Opens a stream. A named token may have half of them, so that one program does not take those of all others; the main tokens may have all.
     *
     * @param lastEventId id of the last event that the reader has; empty: only what comes from now on
     * @param owner name of the token; empty for the main ones
     * @param memory what the stream may hold is taken of it until it ends
     */
    CompletionStage<Opening> open(Optional<String> lastEventId, Optional<String> owner, Memory memory);
}
