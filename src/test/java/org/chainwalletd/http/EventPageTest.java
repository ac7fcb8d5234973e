package org.chainwalletd.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.pekko.NotUsed;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.event.EventFeed;
import org.chainwalletd.http.door.HttpLimits;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.EventReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lifetime of an event stream on its connection. */
@Timeout(120)
class EventPageTest extends WithServer {
    private static final ByteString LARGE =
            ByteString.fromString("event: tip\ndata: \"" + "x".repeat(1 << 16) + "\"\n\n");

    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    @Test
    void a_reader_who_does_not_read_is_cut() throws Exception {
        HttpLimits limits = limits(Duration.ofSeconds(60), Duration.ofMillis(300), Duration.ofSeconds(60));
        EventFeed feed = feed(Source.repeat(LARGE));
        fixture = new ServerFixture(datadir, limits, feed);
        try (EventReader reader = open(fixture)) {
            assertThat(reader.status()).isEqualTo(200);

            fixture.awaitRefusal("reading");

            Await.until("the stream has ended", ended::isDone);
            Await.until("the connection is closed", () -> fixture.server.connections() == 0);
        }
    }

    @Test
    void a_quiet_stream_is_no_idle_connection() throws Exception {
        HttpLimits limits = limits(Duration.ofMillis(1), Duration.ofSeconds(60), Duration.ofSeconds(60));
        EventFeed feed = feed(Source.single(LARGE).concat(Source.maybe()));
        fixture = new ServerFixture(datadir, limits, feed);
        RawClient other = fixture.client();
        try (EventReader reader = open(fixture)) {
            assertThat(reader.next("tip").kind()).isEqualTo("tip");

            // A later connection that is closed for the same reason.
            fixture.awaitRefusal("idle");
            assertThat(other.socket().getInputStream().read()).isEqualTo(-1);

            assertThat(ended).isNotDone();
            assertThat(fixture.server.connections()).isEqualTo(1);
        }
    }

    @Test
    void a_reader_who_leaves_ends_its_stream_though_nothing_is_reported() throws Exception {
        HttpLimits limits = limits(Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofMillis(200));
        EventFeed feed = feed(Source.maybe());
        fixture = new ServerFixture(datadir, limits, feed);
        open(fixture).close();

        Await.until("the stream has ended", ended::isDone);
    }

    @Test
    void a_stream_that_the_memory_has_no_room_for_is_refused() throws Exception {
        HttpLimits limits = limits(Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(5));
        EventFeed feed = (lastEventId, owner, memory) -> CompletableFuture.completedFuture(
                memory.take(Long.MAX_VALUE / 2) ? new EventFeed.Full() : new EventFeed.NoMemory());
        fixture = new ServerFixture(datadir, limits, feed);
        try (EventReader reader = open(fixture)) {
            assertThat(reader.status()).isEqualTo(503);
            assertThat(fixture.refusals).contains("memory");
        }
    }

    @Test
    void a_stream_beyond_the_share_of_its_token_is_refused() throws Exception {
        HttpLimits limits = limits(Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(5));
        EventFeed feed = (lastEventId, owner, memory) ->
                CompletableFuture.completedFuture(owner.isEmpty() ? new EventFeed.ShareTaken() : new EventFeed.Full());
        fixture = new ServerFixture(datadir, limits, feed);
        try (EventReader reader = open(fixture)) {
            assertThat(reader.status()).isEqualTo(429);
            assertThat(fixture.refusals).contains("streams");
        }
    }

    @Test
    void only_get_is_answered_with_a_stream() throws Exception {
        HttpLimits limits = limits(Duration.ofSeconds(60), Duration.ofSeconds(60), Duration.ofSeconds(5));
        fixture = new ServerFixture(datadir, limits, feed(Source.maybe()));
        RawClient client = fixture.client();
        client.send(
                "HEAD /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + ServerFixture.READ + "\r\n\r\n");

        assertThat(client.read(true).status()).isEqualTo(405);
    }

    private EventFeed feed(Source<ByteString, ?> events) {
        Source<ByteString, NotUsed> watched = events.watchTermination((none, end) -> {
            end.whenCompleteAsync((done, failure) -> ended.complete(null), Runnable::run);
            return NotUsed.getInstance();
        });
        return (lastEventId, owner, memory) -> CompletableFuture.completedFuture(new EventFeed.Opened(watched));
    }

    private static HttpLimits limits(Duration keepAlive, Duration write, Duration halfClosed) {
        return ServerFixture.limits(Duration.ofSeconds(20), keepAlive, write, halfClosed);
    }

    private static EventReader open(ServerFixture fixture) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + fixture.server.address().getPort() + "/");
        return EventReader.open(uri, ServerFixture.READ, null);
    }
}
