package org.chainwalletd.event;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;

/** Where streams of events come from. */
@FunctionalInterface
public interface EventFeed {
    /** What became of the wish for a stream. */
    sealed interface Opening {}

    /** @param bytes server-sent events, to be run once and soon; a place is held until it ends */
    record Opened(Source<ByteString, NotUsed> bytes) implements Opening {}

    /** As many streams are open as may be. */
    record Full() implements Opening {}

    /** The id to go on after is no cursor of these books. */
    record UnknownId() implements Opening {}

    /** The daemon is stopping. */
    record Stopping() implements Opening {}

    /** @param lastEventId id of the last event that the reader has; empty: only what comes from now on */
    CompletionStage<Opening> open(Optional<String> lastEventId);
}
