package org.chainwalletd.devnet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.devnet.ChainHarness.A;
import static org.chainwalletd.devnet.ChainHarness.B;
import static org.chainwalletd.devnet.ChainHarness.to;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.testkit.DevnetExtension;
import org.chainwalletd.testkit.ManualClock;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The push stream (chain protocol, section 12), compared with the recorded one. */
class PushStreamTest {
    private final ManualClock clock = new ManualClock(Instant.parse("2026-11-21T12:00:00Z"));

    @RegisterExtension
    final DevnetExtension chain = new DevnetExtension(config -> config.withClock(clock));

    private final ChainHarness on = new ChainHarness(chain);

    private static String changed(Party party) {
        return "event: script_changed\ndata: {\"script\":\"" + party.address + "\"}";
    }

    private static String tip(long height) {
        return "event: tip\ndata: {\"height\":" + height + "}";
    }

    @Test
    void the_recorded_stream_of_a_payment_is_told_again() {
        String recorded = Recorded.file("node-sse.json").at("/chunks/0/text").textValue();
        List<String> events = new ArrayList<>();
        Outpoint coin = on.fund(B, 10_000);
        try (EventStream stream =
                new EventStream(chain.uri(), "?addresses=" + A.address + "," + B.address + "&tips=1")) {
            assertThat(stream.head() + stream.next() + "\n\n" + stream.next() + "\n\n")
                    .isEqualTo(recorded);
            chain.submit(on.signed(B, List.of(coin), to(A, 9_000)));
            chain.mine(1);
            for (int i = 0; i < 7; i++) {
                events.add(stream.next());
            }
        }
        assertThat(events.subList(0, 2)).containsExactlyInAnyOrder(changed(A), changed(B));
        assertThat(events.subList(2, 4)).containsExactlyInAnyOrder(changed(A), changed(B));
        assertThat(events.subList(4, 6)).containsExactlyInAnyOrder(changed(A), changed(B));
        assertThat(events.get(6)).isEqualTo(tip(12));
    }

    @Test
    void tips_are_sent_only_when_asked_for() {
        try (EventStream quiet = new EventStream(chain.uri(), "?addresses=" + A.address + "&tips=0");
                EventStream following = new EventStream(chain.uri(), "?addresses=" + A.address + "&tips=true")) {
            quiet.head();
            quiet.next();
            following.head();
            following.next();
            chain.mine(1);
            on.fund(A, 10_000);
            assertThat(following.next()).isEqualTo(tip(11));
            assertThat(quiet.next()).isEqualTo(changed(A));
        }
    }

    @Test
    void a_heartbeat_comes_every_25_seconds() {
        try (EventStream stream = EventStream.begun(chain.uri(), "?addresses=" + A.address)) {
            for (int i = 0; i < 3; i++) {
                clock.advance(Duration.ofSeconds(25));
                chain.node().clockMoved();
                assertThat(stream.next()).isEqualTo(": heartbeat");
            }
        }
    }

    @Test
    void a_reorganisation_is_one_tip_event_after_the_scripts_of_both_branches() {
        Outpoint coin = on.fund(A, 10_000);
        chain.submit(on.signed(A, List.of(coin), to(B, 9_000)));
        chain.mine(1);
        try (EventStream stream = EventStream.begun(chain.uri(), "?addresses=" + B.address + "&tips=1")) {
            chain.node().reorg(2);
            List<String> events = new ArrayList<>();
            do {
                events.add(stream.next());
            } while (!events.get(events.size() - 1).startsWith("event: tip"));
            assertThat(events).endsWith(tip(13)).contains(changed(B));
        }
    }

    @Test
    void duplicate_addresses_are_nudged_twice_at_first() {
        try (EventStream stream = new EventStream(chain.uri(), "?x=1&addresses=" + A.address + "," + A.address)) {
            stream.head();
            assertThat(stream.next()).isEqualTo(changed(A));
            assertThat(stream.next()).isEqualTo(changed(A));
        }
    }

    @Test
    void the_65th_stream_of_a_peer_is_refused() {
        List<EventStream> open = new ArrayList<>();
        try {
            for (int i = 0; i < 64; i++) {
                open.add(new EventStream(chain.uri(), "?addresses=" + A.address));
                open.get(i).head();
            }
            try (EventStream surplus = new EventStream(chain.uri(), "?addresses=zz")) {
                assertThat(surplus.rest())
                        .startsWith("HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain\r\n")
                        .endsWith("\r\n\r\nToo many SSE connections from this IP");
            }
        } finally {
            open.forEach(EventStream::close);
        }
    }

    @Test
    void switched_off_the_stream_is_not_found_and_open_ones_end() {
        try (EventStream stream = EventStream.begun(chain.uri(), "?addresses=" + A.address)) {
            on.result("devnet_set", "{'sse':false}");
            assertThat(stream.rest()).isEmpty();
        }
        assertThat(NodeCall.raw(chain.uri(), "GET /sse HTTP/1.1\r\n\r\n"))
                .startsWith("HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\n")
                .endsWith("\r\n\r\nNot Found");
        on.result("devnet_set", "{'sse':true}");
        try (EventStream stream = new EventStream(chain.uri(), "?addresses=" + A.address)) {
            assertThat(stream.head()).startsWith("HTTP/1.1 200 OK");
        }
    }
}
