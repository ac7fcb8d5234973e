package org.chainwalletd.http.h1;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.http.h1.RequestFraming.Fault;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestFramingTest {
    private static final int HEAD = 1000;

    /** Requests, each with its rewritten form for the parser when it arrives in one piece. */
    private static final Map<String, String> REQUESTS = Map.of(
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET / HTTP/1.0\r\n\r\n",
            "GET / HTTP/1.0\r\n\r\n",
            "POST / HTTP/1.1\r\ncontent-LENGTH:  11 \r\nHost:x\t\r\n\r\nGET / \r\n\r\nx",
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 11\r\n\r\nGET / \r\n\r\nx",
            "POST / HTTP/1.1\r\nContent-Length: 0\r\nExpect: 100-continue\r\n\r\n",
            "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n",
            "POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\nab",
            "POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\nab",
            "GET / HTTP/1.1\r\nX-Content-Length: 5\r\nUpgrade: h2c\r\nX: content-length: 5\r\n\r\n",
            "GET / HTTP/1.1\r\nX-Content-Length: 5\r\nX: content-length: 5\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n5\r\n\r\n\r\n0\r\nA\r\n0123456789\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nf\r\n\r\n\r\n00123456789\r\n0\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n0\r\n0\r\nTrailer: 0\r\nOther: 1\r\n\r\n",
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n0\r\n0\r\n\r\n");

    @Test
    void each_request_is_handed_on_as_it_is_rewritten() {
        REQUESTS.forEach(
                (sent, anew) -> assertThat(read(new RequestFraming(HEAD), sent)).isEqualTo(anew));
    }

    @Test
    void requests_end_where_they_end_and_heads_are_whole_however_the_bytes_come() {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<String> all = List.copyOf(REQUESTS.keySet());
        for (int round = 0; round < 200; round++) {
            List<String> sent = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                sent.add(all.get(random.nextInt(all.size())));
            }
            assertThat(cut(String.join("", sent), random, round % 2 == 0 ? 1 : 60))
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(sent);
        }
    }

    private static List<String> cut(String bytes, Random random, int longest) {
        RequestFraming framing = new RequestFraming(HEAD);
        List<String> requests = new ArrayList<>();
        StringBuilder request = new StringBuilder();
        int at = 0;
        boolean between = true;
        while (at < bytes.length()) {
            int end = Math.min(bytes.length(), at + 1 + random.nextInt(longest));
            framing.add(octets(bytes.substring(at, end)));
            while (framing.unread() > 0) {
                int before = framing.unread();
                String handedOn = framing.read().utf8String();
                assertThat(framing.unread()).isLessThan(before);
                request.append(bytes, at, at + before - framing.unread());
                at += before - framing.unread();
                if (between && !handedOn.isEmpty()) {
                    assertThat(handedOn).contains("\r\n\r\n");
                    between = false;
                }
                if (framing.ended()) {
                    requests.add(request.toString());
                    request.setLength(0);
                    between = true;
                }
            }
        }
        assertThat(framing.fault()).isEmpty();
        return requests;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Transfer-Encoding: \"chunked\"",
                "Transfer-Encoding:",
                "Transfer-Encoding: chunked, chunked",
                "Transfer-Encoding: gzip, chunked",
                "Transfer-Encoding: gzip",
                "Transfer-Encoding: chunked;q=1",
                "Transfer-Encoding: chunked,",
                "Transfer-Encoding: \u000bchunked",
                "Transfer-Encoding : chunked",
                "Transfer-Encoding: chunked\nX: y",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\r\nContent-Length: 5",
                "Content-Length: 5\r\nTransfer-Encoding: chunked",
                "Content-Length: 5\r\nTransfer-Encoding:",
                "Content-Length: 5\r\nContent-Length: 5",
                "Content-Length: 5\r\nContent-Length: 6",
                "Content-Length: 5, 5",
                "Content-Length: 05",
                "Content-Length: 00000000000000000000005",
                "Content-Length: 00",
                "Content-Length: +5",
                "Content-Length: -5",
                "Content-Length: 0x5",
                "Content-Length: 5 5",
                "Content-Length: \"5\"",
                "Content-Length: 5;a",
                "Content-Length:",
                "Content-Length: 9999999999999999999",
                "Content-Length\t: 5",
                " Content-Length: 5",
                "Content-Length",
                ": 5",
                "X: a\r\n b",
                "X: a\r\n\tContent-Length: 5",
                "X: a\rContent-Length: 5",
                "X: a\u0000b",
                "X: a\u007fb",
                "X: a\u0001b",
                "X: \u00e2",
                "X: \u00c3(",
                "X(y): z",
                "X\u00e4: z"
            })
    void a_head_that_two_readers_could_take_for_two_things_is_malformed(String fields) {
        RequestFraming framing = new RequestFraming(HEAD);

        assertThat(read(framing, "POST / HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n\r\n"))
                .isEmpty();
        assertThat(framing.fault()).contains(Fault.MALFORMED);
    }

    @ParameterizedTest
    @CsvSource({
        "'GET / HTTP/1.1 ', MALFORMED",
        "GET  / HTTP/1.1, MALFORMED",
        "'GET /\tHTTP/1.1', MALFORMED",
        "'GET / ', MALFORMED",
        "GET /, MALFORMED",
        "GET, MALFORMED",
        "'', MALFORMED",
        "G(T / HTTP/1.1, MALFORMED",
        "GET /\u00e4 HTTP/1.1, MALFORMED",
        "GET / http/1.1, MALFORMED",
        "GET / HTTP/1.10, MALFORMED",
        "GET / HTTP/11, MALFORMED",
        "GET / HTTP/1.2, VERSION",
        "GET / HTTP/2.0, VERSION",
        "GET / HTTP/0.9, VERSION"
    })
    void a_request_line_that_is_none_is_told_from_one_of_another_version(String line, Fault fault) {
        assertThat(faultIn(line + "\r\nHost: x\r\n\r\n")).contains(fault);
    }

    @ParameterizedTest
    @ValueSource(strings = {"200-ok", "", "100-continue, x", "100-continue\r\nExpect: 100-continue"})
    void an_unknown_expectation_is_a_fault_of_its_own(String expectation) {
        assertThat(faultIn("POST / HTTP/1.1\r\nHost: x\r\nExpect: " + expectation + "\r\nContent-Length: 1\r\n\r\n"))
                .contains(Fault.EXPECTATION);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "xyz\r\n",
                "\r\n",
                "123456789\r\n",
                "00000003\r\nabc\r\n",
                "03\r\nabc\r\n",
                "00\r\n\r\n",
                "3 \r\nabc\r\n",
                " 3\r\nabc\r\n",
                "3;a=b\r\nabc\r\n",
                "3;\r\nabc\r\n",
                "+3\r\nabc\r\n",
                "0x3\r\nabc\r\n",
                "3\nabc\r\n",
                "3\r\nabc\n",
                "3\r\nabcd\r\n",
                "3\r\nabc0\r\n",
                "3\r\nabc\r\r\n",
                "0\r\n X: y\r\n\r\n",
                "0\r\nX : y\r\n\r\n",
                "0\r\nX: y\n\r\n",
                "0\r\nX\r\n\r\n"
            })
    void a_chunk_that_is_not_as_the_grammar_has_it_is_a_fault_of_the_body(String chunks) {
        RequestFraming framing = new RequestFraming(HEAD);
        String read =
                read(framing, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n" + chunks);

        assertThat(framing.fault()).contains(Fault.BODY);
        assertThat(read).startsWith("POST").doesNotContain("0\r\n\r\n");
    }

    @ParameterizedTest
    @CsvSource({"1.0, chunked, true", "1.0, gzip, true", "1.1, chunked, false", "1.0, , false"})
    void a_transfer_coding_in_http_1_0_is_malformed(String version, String coding, boolean faulty) {
        String field = coding == null ? "" : "Transfer-Encoding: " + coding + "\r\n";
        assertThat(faultIn("POST /a:b HTTP/" + version + "\r\nHost: x:1.0\r\n" + field + "\r\n")
                        .isPresent())
                .isEqualTo(faulty);
    }

    @Test
    void a_head_is_bounded_without_its_body_and_so_is_a_trailer() {
        String head = "POST / HTTP/1.1\r\nContent-Length: 2000\r\nX: ";
        RequestFraming fits = new RequestFraming(HEAD);
        read(fits, head + "y".repeat(HEAD - head.length() - 4) + "\r\n\r\n" + "z".repeat(2000));
        assertThat(fits.ended()).isTrue();

        assertThat(faultIn(head + "y".repeat(HEAD - head.length() - 3) + "\r\n\r\n"))
                .contains(Fault.HEAD_TOO_LONG);
        assertThat(faultIn(
                        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + "X: y\r\n".repeat(HEAD / 6 + 1)))
                .contains(Fault.BODY);
    }

    @Test
    void a_target_is_no_longer_and_its_path_no_deeper_than_pekko_can_bear() {
        assertThat(fault("/" + "x".repeat(2047))).isEmpty();
        assertThat(fault("/" + "x".repeat(2048))).contains(Fault.TARGET_TOO_LONG);
        assertThat(fault("/".repeat(64) + "?" + "/".repeat(100))).isEmpty();
        assertThat(fault("/".repeat(65))).contains(Fault.TARGET_TOO_LONG);
    }

    private static Optional<Fault> fault(String target) {
        RequestFraming framing = new RequestFraming(4096);
        read(framing, "GET " + target + " HTTP/1.1\r\nHost: x\r\n\r\n");
        return framing.fault();
    }

    private static Optional<Fault> faultIn(String text) {
        RequestFraming framing = new RequestFraming(HEAD);
        read(framing, text);
        return framing.fault();
    }

    /** Reads past the ends of requests, and returns all bytes that are passed on. */
    private static String read(RequestFraming framing, String text) {
        framing.add(octets(text));
        StringBuilder handedOn = new StringBuilder();
        while (framing.unread() > 0 && framing.fault().isEmpty()) {
            handedOn.append(framing.read().utf8String());
        }
        return handedOn.toString();
    }

    private static ByteString octets(String text) {
        return ByteString.fromArray(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
