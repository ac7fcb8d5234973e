package org.chainwalletd.node.push;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.chainwalletd.boot.PekkoSettings;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.net.HttpPeers;
import org.chainwalletd.testkit.Await;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.Peers;
import org.chainwalletd.testkit.ScriptedNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Push streams over real sockets: from the development node, and from misbehaving nodes. */
class NodeStreamsTest {
    private static final String HEAD =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: keep-alive\r\n\r\n";
    private static final Duration SOON = Duration.ofMillis(20);

    private static final AtomicLong names = new AtomicLong();
    private static ActorSystem<Object> actors;
    private static HttpPeers peers;

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension();

    private final List<PushNews> news = new CopyOnWriteArrayList<>();
    private final ScriptedNode scripted = ScriptedNode.start();
    private ActorRef<NodeStreams.Command> streams;

    @BeforeAll
    static void startActors() {
        actors = ActorSystem.create(Behaviors.empty(), "push", PekkoSettings.forSystem());
        peers = Peers.of(actors);
    }

    @AfterAll
    static void stopActors() {
        actors.terminate();
    }

    @AfterEach
    void stop() {
        streams.tell(new NodeStreams.Watch(List.of()));
        scripted.close();
    }

    @Test
    void a_payment_to_a_watched_address_is_reported_when_it_enters_the_mempool() {
        start(chain.uri(), 120);
        watch(1, 2);
        await(PushNews.Watching.class, told -> told.addresses().equals(addresses(1, 2)));
        await(PushNews.Changed.class, told -> told.addresses().contains(address(1)));
        news.clear();

        chain.node().faucet(address(1), Amount.of(1_000));

        await(PushNews.Changed.class, told -> told.addresses().equals(addresses(1)));
    }

    @Test
    void a_new_tip_is_reported() {
        start(chain.uri(), 120);
        watch(1);
        await(PushNews.Watching.class, told -> true);

        long height = chain.mine(1);

        await(PushNews.Tip.class, told -> told.height() == height);
    }

    @Test
    void a_set_that_changes_is_watched_without_a_gap() {
        start(chain.uri(), 3);
        watch(1);
        await(PushNews.Watching.class, told -> told.addresses().contains(address(1)));
        watch(1, 2, 3, 4);
        await(PushNews.Watching.class, told -> told.addresses().contains(address(4)));
        assertThat(news).noneMatch(PushNews.Lost.class::isInstance);
        news.clear();

        chain.node().faucet(address(1), Amount.of(1_000));
        chain.node().faucet(address(4), Amount.of(1_000));

        await(PushNews.Changed.class, told -> told.addresses().contains(address(1)));
        await(PushNews.Changed.class, told -> told.addresses().contains(address(4)));
    }

    @Test
    void streams_that_the_node_drops_are_opened_again_and_all_they_watched_is_looked_at() {
        start(chain.uri(), 120);
        watch(1);
        await(PushNews.Changed.class, told -> true);
        news.clear();

        chain.node().dropStreams();

        await(PushNews.Lost.class, told -> told.addresses().equals(addresses(1)));
        await(PushNews.Watching.class, told -> told.addresses().equals(addresses(1)));
        await(PushNews.Changed.class, told -> told.addresses().equals(addresses(1)));
    }

    @Test
    void a_node_without_push_is_probed_until_it_has_it() {
        chain.node().offerPush(false);
        start(chain.uri(), 120);
        watch(1);
        assertThat(news).isEmpty();

        chain.node().offerPush(true);

        await(PushNews.Watching.class, told -> true);
    }

    @Test
    void resync_tells_that_every_address_may_have_changed() {
        scripted.on("/sse", stream("event: resync\ndata: {}\n\n"));
        start(scripted.url(), 120);
        watch(1, 2, 3);

        await(PushNews.Changed.class, told -> told.addresses().equals(addresses(1, 2, 3)));
    }

    @Test
    void what_is_said_about_foreign_addresses_or_is_no_event_is_not_told() {
        scripted.on(
                "/sse",
                stream("event: script_changed\ndata: {\"script\":\""
                        + address(9).hex() + "\"}\n\n"
                        + "event: script_changed\ndata: {\"script\":7}\n\nevent: tip\ndata: {\"height\":-1}\n\n"
                        + "event: script_changed\ndata: nonsense\n\nevent: other\ndata: {}\n\ndata: [[[[\n\n"
                        + "event: tip\ndata: {\"height\":18446744073709551615}\n\n"));
        start(scripted.url(), 120);
        watch(1);

        await(PushNews.Tip.class, told -> told.height() == -1L);
        assertThat(news).noneMatch(PushNews.Changed.class::isInstance);
    }

    @Test
    void a_change_right_behind_the_first_event_of_an_address_is_reported() {
        String one = "event: script_changed\ndata: {\"script\":\"" + address(1).hex() + "\"}\n\n";
        String two = one.replace(address(1).hex(), address(2).hex());
        scripted.on("/sse", stream(one), stream(one + two + one));
        start(scripted.url(), 120);
        watch(1);
        await(PushNews.Changed.class, told -> told.addresses().contains(address(1)));
        news.clear();

        watch(1, 2);

        await(PushNews.Changed.class, told -> told.addresses().contains(address(1)));
    }

    @Test
    void events_are_read_in_every_form_that_the_standard_has_for_them() {
        scripted.on(
                "/sse",
                stream("\r\n:comment\r\nid: 7\r\nevent:tip\r\ndata:{\"height\"\r\ndata: :9}\r\n\r\nnothing\n\n"));
        start(scripted.url(), 120);
        watch(1);

        await(PushNews.Tip.class, told -> told.height() == 9);
    }

    @Test
    void a_line_without_end_ends_the_stream() {
        AtomicLong sent = new AtomicLong();
        scripted.on("/sse", endless("x".repeat(65_536), sent));
        start(scripted.url(), 120);
        watch(1);

        await(PushNews.Lost.class, told -> true);
        // Limited by the socket buffers between them; the line itself was rejected after its first kilobytes.
        assertThat(sent.get()).isLessThan(8 * 1024 * 1024);
    }

    @Test
    void an_event_without_end_ends_the_stream() {
        scripted.on("/sse", endless("data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n".repeat(1_000), new AtomicLong()));
        start(scripted.url(), 120);
        watch(1);

        await(PushNews.Lost.class, told -> true);
    }

    @Test
    void a_flood_of_events_without_heartbeat_ends_the_stream_and_waits_in_the_socket() {
        AtomicLong sent = new AtomicLong();
        String event =
                "event: script_changed\ndata: {\"script\":\"" + address(1).hex() + "\"}\n\n";
        scripted.on("/sse", endless(event.repeat(500), sent));
        start(scripted.url(), 120);
        watch(1);

        await(PushNews.Lost.class, told -> true);
        assertThat(sent.get()).isLessThan(32 * 1024 * 1024);
        assertThat(news.size()).isLessThan(200);
    }

    @Test
    void single_bytes_do_not_keep_a_stream_alive() {
        scripted.on("/sse", (request, socket) -> {
            OutputStream out = socket.getOutputStream();
            out.write(HEAD.getBytes(StandardCharsets.US_ASCII));
            while (!socket.isClosed()) {
                out.write('x');
                out.flush();
                Await.pause(5);
            }
        });
        start(scripted.url(), 120);
        watch(1);

        await(PushNews.Lost.class, told -> true);
    }

    @Test
    void a_refused_stream_is_tried_again_with_growing_pauses() {
        scripted.on("/sse", ScriptedNode.body(429, "Too many SSE connections from this IP"), stream(": heartbeat\n\n"));
        start(scripted.url(), 120);
        watch(1);

        await(PushNews.Watching.class, told -> true);
        assertThat(scripted.count("/sse")).isEqualTo(2);
    }

    @Test
    void more_addresses_than_the_streams_hold_are_watched_in_the_order_of_their_urgency() {
        start(chain.uri(), 2);
        watch(1, 2, 3, 4, 5, 6, 7, 8);
        await(PushNews.Watching.class, told -> told.addresses().contains(address(6)));

        assertThat(news.stream()
                        .filter(PushNews.Watching.class::isInstance)
                        .flatMap(told -> ((PushNews.Watching) told).addresses().stream()))
                .containsExactlyInAnyOrderElementsOf(addresses(1, 2, 3, 4, 5, 6));
    }

    @Test
    void the_request_fits_into_what_a_node_reads_of_a_head() {
        scripted.on("/sse", stream(": heartbeat\n\n"));
        start(scripted.url(), 120);
        streams.tell(new NodeStreams.Watch(
                IntStream.range(0, 120).mapToObj(StreamPlanTest::address).toList()));
        await(PushNews.Watching.class, told -> told.addresses().size() == 120);

        String head = scripted.requests().get(0).head();
        assertThat(head.length()).isLessThan(8_192);
        assertThat(head).contains(address(1).hex() + "," + address(2).hex()).contains("&tips=1");
    }

    private void start(URI node, int addressesPerStream) {
        NodeStreams.Rules rules = new NodeStreams.Rules(
                new StreamPlan(addressesPerStream, 3), 62, SOON, SOON, SOON, Duration.ofMillis(100), SOON);
        PushConnection connection =
                new PushConnection(actors, peers.to(node), Duration.ofSeconds(5), Duration.ofSeconds(1));
        streams = actors.systemActorOf(
                NodeStreams.create(
                        node.toString(), () -> true, connection, rules, () -> System.nanoTime() / 1_000_000, news::add),
                "streams-" + names.incrementAndGet(),
                Props.empty());
    }

    private void watch(int... numbers) {
        streams.tell(new NodeStreams.Watch(
                IntStream.of(numbers).mapToObj(StreamPlanTest::address).toList()));
    }

    private <T extends PushNews> void await(Class<T> kind, Predicate<T> wanted) {
        Await.until(
                "there is the " + kind.getSimpleName() + " that was wanted, after " + news,
                () -> news.stream().filter(kind::isInstance).map(kind::cast).anyMatch(wanted));
    }

    private static ScriptedNode.Step stream(String events) {
        return (request, socket) -> {
            socket.getOutputStream().write((HEAD + events).getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().flush();
            // Waits until the client closes the connection.
            if (socket.getInputStream().read() >= 0) {
                throw new IOException("more than a request");
            }
        };
    }

    private static ScriptedNode.Step endless(String text, AtomicLong sent) {
        return (request, socket) -> {
            socket.getOutputStream().write(HEAD.getBytes(StandardCharsets.US_ASCII));
            byte[] piece = text.getBytes(StandardCharsets.US_ASCII);
            while (!socket.isClosed()) {
                socket.getOutputStream().write(piece);
                sent.addAndGet(piece.length);
            }
        };
    }

    private static Set<Address> addresses(int... numbers) {
        return Set.copyOf(
                IntStream.of(numbers).mapToObj(StreamPlanTest::address).toList());
    }

    private static Address address(int number) {
        return StreamPlanTest.address(number);
    }
}
