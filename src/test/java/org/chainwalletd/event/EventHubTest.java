package org.chainwalletd.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.stream.Attributes;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.SinkQueueWithCancel;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class EventHubTest {
    @AutoClose("shutdownTestKit")
    private static final ActorTestKit KIT = ActorTestKit.create();

    private final EventHub hub = new EventHub();

    private record Said(String text) {}

    private SinkQueueWithCancel<ByteString> listen() {
        return hub.live().runWith(Sink.<ByteString>queue().withAttributes(Attributes.inputBuffer(1, 1)), KIT.system());
    }

    private static Optional<String> next(SinkQueueWithCancel<ByteString> stream) throws Exception {
        return Await.result(stream.pull()).map(ByteString::utf8String);
    }

    @Test
    void all_streams_hear_what_is_published_in_order() throws Exception {
        SinkQueueWithCancel<ByteString> one = listen();
        SinkQueueWithCancel<ByteString> other = listen();

        hub.publish("spend", new Said("first"));
        hub.publish("htlc", new Said("second"));

        for (SinkQueueWithCancel<ByteString> stream : java.util.List.of(one, other)) {
            assertThat(next(stream)).contains("event: spend\ndata: {\"text\":\"first\"}\n\n");
            assertThat(next(stream)).contains("event: htlc\ndata: {\"text\":\"second\"}\n\n");
        }
    }

    @Test
    void who_has_left_is_no_listener() {
        SinkQueueWithCancel<ByteString> stream = listen();
        assertThat(hub.hasListeners()).isTrue();

        stream.cancel();

        Await.until("the listener is gone", () -> !hub.hasListeners());
    }

    @Test
    void a_reader_who_leaves_too_many_bytes_unread_is_cut_and_others_hear_on() throws Exception {
        SinkQueueWithCancel<ByteString> slow = listen();
        SinkQueueWithCancel<ByteString> quick = listen();
        String text = "x".repeat((int) EventHub.MOST_BYTES / 8);

        for (int i = 0; i < 12; i++) {
            hub.publish("spend", new Said(text));
            assertThat(next(quick)).isPresent();
        }

        assertThatThrownBy(() -> {
                    for (int i = 0; i < 12; i++) {
                        next(slow);
                    }
                })
                .hasCauseInstanceOf(EventHub.SlowReaderException.class);
    }

    @Test
    void a_reader_who_leaves_too_many_events_unread_is_cut() {
        SinkQueueWithCancel<ByteString> slow = listen();

        for (int i = 0; i < EventHub.MOST_EVENTS + 10; i++) {
            hub.publish("tip", new Said(""));
        }

        Await.until("the stream is cut", () -> !hub.hasListeners());
        slow.cancel();
    }
}
