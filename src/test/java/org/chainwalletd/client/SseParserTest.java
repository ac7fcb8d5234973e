package org.chainwalletd.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;

class SseParserTest {
    private static final String STREAM =
            ":\n\nevent: tip\ndata: {\"height\":7}\n\nid: c1.x\r\nevent: credit\r\ndata: {\"a\":\r\ndata:  \"é\"}\r\n\r\n"
                    + "data: plain\r\rretry: 10\nunknown\nid\nevent: empty\n\n";
    private static final List<EventStream.DaemonEvent> EVENTS = List.of(
            new EventStream.DaemonEvent("tip", "{\"height\":7}", Optional.empty()),
            new EventStream.DaemonEvent("credit", "{\"a\":\n \"é\"}", Optional.of("c1.x")),
            new EventStream.DaemonEvent("message", "plain", Optional.empty()));

    @Test
    void events_are_the_same_wherever_the_stream_is_cut() {
        Random random = Seeded.random("SseParserTest");
        byte[] bytes = STREAM.getBytes(StandardCharsets.UTF_8);
        for (int run = 0; run < 200; run++) {
            EventStream.SseParser parser = new EventStream.SseParser();
            List<EventStream.DaemonEvent> events = new ArrayList<>();
            for (int at = 0; at < bytes.length; ) {
                int end = Math.min(bytes.length, at + 1 + random.nextInt(12));
                events.addAll(parser.take(Arrays.copyOfRange(bytes, at, end)));
                at = end;
            }
            assertThat(events).isEqualTo(EVENTS);
        }
    }

    @Test
    void an_event_without_an_end_is_not_kept_indefinitely() {
        byte[] piece = new byte[64 * 1024];
        Arrays.fill(piece, (byte) 'x');
        EventStream.SseParser oneLine = new EventStream.SseParser();
        assertThatThrownBy(() -> {
                    for (int i = 0; i <= EventStream.SseParser.LONGEST / piece.length; i++) {
                        oneLine.take(piece);
                    }
                })
                .hasMessageContaining("more than");

        EventStream.SseParser manyLines = new EventStream.SseParser();
        byte[] line = "data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n".getBytes(StandardCharsets.UTF_8);
        assertThatThrownBy(() -> {
                    for (int i = 0; i <= EventStream.SseParser.LONGEST / 30; i++) {
                        manyLines.take(line);
                    }
                })
                .hasMessageContaining("more than");
    }
}
