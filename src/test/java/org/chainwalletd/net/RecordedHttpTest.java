package org.chainwalletd.net;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The strict parser must accept everything recorded from real nodes (fixtures {@code node-http.json}, {@code node-sse.json}). */
class RecordedHttpTest {
    @Test
    void every_recorded_answer_is_read_byte_by_byte() throws IOException {
        JsonNode exchanges = fixture("node-http.json").required("exchanges");
        assertThat(exchanges).hasSizeGreaterThan(10);
        for (JsonNode exchange : exchanges) {
            String wire = exchange.required("response").textValue();
            if (wire.isEmpty()) {
                continue;
            }
            WholeBody body = new WholeBody(new ExchangeLimits(1 << 20, Duration.ofSeconds(1), ByteBudget.of(1 << 20)));
            HttpAnswerReader reader = new HttpAnswerReader(body);
            boolean complete = false;
            for (byte next : wire.getBytes(StandardCharsets.ISO_8859_1)) {
                assertThat(complete).isFalse();
                complete = reader.accept(new byte[] {next}, 1);
            }
            assertThat(complete || reader.end()).isTrue();
            try (HttpAnswer answer = body.answer()) {
                assertThat(answer.status()).isEqualTo(Integer.parseInt(wire.substring(9, 12)));
                assertThat(new String(answer.body(), StandardCharsets.ISO_8859_1))
                        .isEqualTo(wire.substring(wire.indexOf("\r\n\r\n") + 4));
            }
        }
    }

    @Test
    void a_recorded_push_stream_is_read_until_its_connection_ends() throws IOException {
        StringBuilder wire = new StringBuilder();
        fixture("node-sse.json")
                .required("chunks")
                .forEach(chunk -> wire.append(chunk.required("text").textValue()));
        WholeBody body = new WholeBody(new ExchangeLimits(1 << 20, Duration.ofSeconds(1), ByteBudget.of(1 << 20)));
        HttpAnswerReader reader = new HttpAnswerReader(body);
        byte[] bytes = wire.toString().getBytes(StandardCharsets.UTF_8);

        assertThat(reader.accept(bytes, bytes.length)).isFalse();
        assertThat(reader.end()).isTrue();

        try (HttpAnswer answer = body.answer()) {
            assertThat(new String(answer.body(), StandardCharsets.UTF_8)).startsWith("event: script_changed\n");
        }
    }

    private static JsonNode fixture(String name) throws IOException {
        try (InputStream in = RecordedHttpTest.class.getResourceAsStream("/fixtures/" + name)) {
            return new JsonMapper().readTree(in);
        }
    }
}
