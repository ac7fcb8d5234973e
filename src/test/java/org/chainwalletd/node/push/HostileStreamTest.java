package org.chainwalletd.node.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import javax.net.ssl.SSLContext;
import org.apache.pekko.Done;
import org.apache.pekko.actor.testkit.typed.javadsl.ActorTestKit;
import org.apache.pekko.actor.testkit.typed.javadsl.ManualTime;
import org.apache.pekko.stream.KillSwitch;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.HostileUpstream;
import org.chainwalletd.testkit.Peers;
import org.chainwalletd.testkit.ScriptedNode;
import org.chainwalletd.testkit.TestCertificate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whatever a node does with a push stream, the stream must end, and its connection must be closed. */
@Tag("long")
class HostileStreamTest {
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(10);
    private static final Duration HEARTBEAT_WITHIN = Duration.ofSeconds(60);

    private static TestCertificate certificate;
    private static ActorTestKit kit;
    private static HttpPeers peers;
    private static HttpPeers trusting;
    private static ManualTime time;

    @BeforeAll
    static void start() throws Exception {
        certificate = TestCertificate.make();
        SSLContext trust = certificate.client();
        kit = ActorTestKit.create(ManualTime.config());
        time = ManualTime.get(kit.system());
        peers = Peers.of(kit.system());
        trusting = HttpPeers.start(kit.system(), () -> trust, kit.system().executionContext(), () -> {});
    }

    @AfterAll
    static void stop() {
        trusting.close();
        kit.shutdownTestKit();
    }

    @ParameterizedTest
    @EnumSource
    void a_stream_to_a_hostile_node_ends(HostileUpstream hostile) {
        Throwable failure =
                hostile.meet(certificate, url -> new Ends(trusting, url).ended, () -> time.timePasses(ANSWER_WITHIN));

        assertThat(failure).isNotNull();
    }

    @Test
    void a_stream_without_a_heartbeat_ends_in_its_time() {
        try (ScriptedNode node = ScriptedNode.start()) {
            node.on("/sse", (request, socket) -> {
                socket.getOutputStream()
                        .write("HTTP/1.1 200 OK\r\n\r\nevent: tip\n".getBytes(StandardCharsets.US_ASCII));
                node.hang().serve(request, socket);
            });
            Ends stream = new Ends(peers, node.url());
            Await.result(stream.opened);
            time.timePasses(ANSWER_WITHIN);
            assertThat(stream.ended).isNotDone();

            time.timePasses(HEARTBEAT_WITHIN);

            Await.until("the stream ends", stream.ended::isCompletedExceptionally);
        }
    }

    @Test
    void a_stream_that_is_closed_here_closes_its_connection() {
        try (ScriptedNode node = ScriptedNode.start()) {
            node.on("/sse", ScriptedNode.drip());
            Ends stream = new Ends(peers, node.url());
            Await.result(stream.opened);

            stream.end.shutdown();

            Await.result(stream.ended);
            Await.until("the connection is closed", () -> node.serving() == 0);
        }
    }

    private static final class Ends implements PushConnection.Listener {
        final CompletableFuture<Void> opened = new CompletableFuture<>();
        final CompletableFuture<Void> ended = new CompletableFuture<>();
        final KillSwitch end;

        Ends(HttpPeers peers, URI url) {
            end = new PushConnection(kit.system(), peers.to(url), ANSWER_WITHIN, HEARTBEAT_WITHIN)
                    .open(Set.of(StreamPlanTest.address(1)), this);
        }

        @Override
        public void opened() {
            opened.complete(null);
        }

        @Override
        public CompletionStage<Done> news(Nudges nudges) {
            return CompletableFuture.completedFuture(Done.getInstance());
        }

        @Override
        public void ended(Throwable failure) {
            if (failure == null) {
                ended.complete(null);
            } else {
                ended.completeExceptionally(failure);
            }
        }
    }
}
