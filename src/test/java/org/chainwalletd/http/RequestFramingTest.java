package org.chainwalletd.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.pekko.util.ByteString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestFramingTest {
    private static final List<String> REQUESTS = List.of(
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.0\n\n",
            "POST / HTTP/1.1\r\ncontent-LENGTH:  11 \r\nHost: x\r\n\r\nGET / \r\n\r\nx",
            "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
            "POST / HTTP/1.1\r\nX-Content-Length: 5\r\nContent-Length-X: 5\r\nX: content-length: 5\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;name=1\r\n\r\n\r\n0\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n0\r\n0\r\nTrailer: 0\r\nOther: 1\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n00\r\n\r\n");

    @Test
    void each_part_ends_where_its_request_ends_however_the_bytes_come() {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            List<String> sent = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                sent.add(REQUESTS.get(random.nextInt(REQUESTS.size())));
            }
            assertThat(cut(String.join("", sent), random, round % 2 == 0 ? 1 : 60))
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(sent);
        }
    }

    private static List<String> cut(String bytes, Random random, int longest) {
        RequestFraming framing = new RequestFraming();
        List<String> requests = new ArrayList<>();
        StringBuilder request = new StringBuilder();
        int at = 0;
        while (at < bytes.length()) {
            ByteString piece = ByteString.fromString(
                    bytes.substring(at, Math.min(bytes.length(), at + 1 + random.nextInt(longest))));
            int read = framing.read(piece);
            assertThat(read).isPositive();
            request.append(bytes, at, at + read);
            at += read;
            if (framing.ended()) {
                requests.add(request.toString());
                request.setLength(0);
            }
        }
        return requests;
    }

    @ParameterizedTest
    @CsvSource({"1.0, chunked, true", "1.0, gzip, true", "1.1, chunked, false", "1.0, , false"})
    void a_transfer_coding_in_http_1_0_is_told(String version, String coding, boolean faulty) {
        RequestFraming framing = new RequestFraming();
        String field = coding == null ? "" : "Transfer-Encoding: " + coding + "\r\n";
        framing.read(ByteString.fromString("\r\nPOST /a:b HTTP/" + version + "\r\nHost: x:1.0\r\n" + field + "\r\n"));

        assertThat(framing.faulty()).isEqualTo(faulty);
    }

    @Test
    void the_head_is_counted_without_the_body() {
        RequestFraming framing = new RequestFraming();
        String head = "POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n";
        framing.read(ByteString.fromString(head + "12"));
        assertThat(framing.headLength()).isEqualTo(head.length());
        framing.read(ByteString.fromString("34"));
        assertThat(framing.ended()).isTrue();

        framing.read(ByteString.fromString("GET"));
        assertThat(framing.headLength()).isEqualTo(3);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
                "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n123456789\r\n",
                "POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999999\r\n\r\n"
            })
    void what_no_parser_accepts_goes_through_as_it_is(String begin) {
        RequestFraming framing = new RequestFraming();
        framing.read(ByteString.fromString(begin));
        ByteString more = ByteString.fromString("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n");

        assertThat(framing.read(more)).isEqualTo(more.length());
        assertThat(framing.ended()).isFalse();
    }
}
