package org.chainwalletd.http.h1;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.event.NoLogging;
import org.apache.pekko.http.impl.engine.parsing.HttpHeaderParser;
import org.apache.pekko.http.impl.engine.parsing.HttpRequestParser;
import org.apache.pekko.http.impl.engine.parsing.ParserOutput;
import org.apache.pekko.http.scaladsl.model.HttpEntity;
import org.apache.pekko.http.scaladsl.model.HttpHeader;
import org.apache.pekko.http.scaladsl.settings.ServerSettings;
import org.apache.pekko.stream.TLSProtocol;
import org.apache.pekko.stream.javadsl.Sink;
import org.apache.pekko.stream.javadsl.Source;
import org.apache.pekko.util.ByteString;
import org.chainwalletd.testkit.Await;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Compares {@link RequestFraming} with Pekko's parser: for any input both see the same requests, or the framing refuses it.
 * {@code -Dframing.inputs=10000000} tries this number of inputs instead of the few of a build, {@code -Dframing.seed=…} repeats those of another
 * run.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FramingAgainstParserTest {
    private static final int HEAD = 4096;
    private static final int AT_ONCE = 500;

    private static final List<String> REQUEST_LINES = List.of(
            "GET / HTTP/1.1",
            "POST / HTTP/1.1",
            "POST /a?b=c HTTP/1.1",
            "POST / HTTP/1.0",
            "OPTIONS * HTTP/1.1",
            "HEAD http://x/y HTTP/1.1",
            "POST  / HTTP/1.1",
            "POST / HTTP/1.2",
            "POST / http/1.1",
            "TRACE / HTTP/1.1",
            "POST\t/ HTTP/1.1",
            "POST / HTTP/1.1 ");

    private static final List<String> NAMES = List.of(
            "Content-Length",
            "content-length",
            "Transfer-Encoding",
            "TRANSFER-ENCODING",
            "Content-Length ",
            " Content-Length",
            "Transfer-Encoding\t",
            "X-Content-Length",
            "Content_Length",
            "Expect",
            "Connection",
            "Upgrade",
            "Host",
            "Content-Type",
            "Trailer",
            "X",
            "");

    private static final List<String> SEPARATORS = List.of(":", ": ", ":\t", " :", ":  ", "", "::");

    private static final List<String> VALUES = List.of(
            "0",
            "3",
            "5",
            "05",
            "00000000000000000000000000000005",
            "+5",
            "-5",
            "5,5",
            "5, 5",
            "5 5",
            "0x5",
            "5;a",
            "\"5\"",
            "99999999999999999999",
            "9223372036854775807",
            "",
            "chunked",
            "Chunked",
            "CHUNKED",
            "\"chunked\"",
            "chunked,",
            ",chunked",
            "chunked, chunked",
            "gzip, chunked",
            "identity",
            "chunked;q=1",
            "x",
            "close",
            "keep-alive",
            "100-continue",
            "100-Continue",
            "200-ok",
            "a\r\n b",
            "a\r\n\tchunked",
            "\u00c3\u00a4",
            "\u00c3",
            "\u00e2\u0082",
            "\u00f0",
            "application/json",
            "localhost",
            "a\u0000b",
            "a\rb",
            "a\nb");

    private static final List<String> LINE_ENDS = List.of("\r\n", "\n", "\r", "\r\r\n", "\n\r");

    private static final List<String> BODIES = List.of(
            "",
            "abc",
            "abcde",
            "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            "0\r\n\r\n",
            "3\r\nabc\r\n0\r\n\r\n",
            "5\r\nabcde\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n",
            "A\r\n0123456789\r\n0\r\n\r\n",
            "03\r\nabc\r\n0\r\n\r\n",
            "000000000000003\r\nabc\r\n00\r\n\r\n",
            "3 \r\nabc\r\n0\r\n\r\n",
            "3;a=b\r\nabc\r\n0;c\r\n\r\n",
            "3;\r\nabc\r\n0\r\n\r\n",
            "3\nabc\n0\n\n",
            "3\r\nabc0\r\n\r\n",
            "3\r\nabcd\r\n0\r\n\r\n",
            "0x3\r\nabc\r\n0\r\n\r\n",
            "ffffffff\r\nabc",
            "fffffffff\r\nabc",
            "-3\r\nabc\r\n0\r\n\r\n",
            "\r\n3\r\nabc\r\n0\r\n\r\n",
            "0\r\nContent-Length: 5\r\n\r\n",
            "0\r\n X: y\r\n\r\n");

    private static final String SPICE = "\r\n\r\n\r\n: \t,;\"0123456789abcdefABCDEF\u0000\u007f\u0080\u00c3\u00e2";

    private ActorSystem<Void> system;
    private ServerSettings settings;
    private HttpRequestParser parser;

    @BeforeAll
    void start() {
        system = ActorSystem.create(Behaviors.empty(), "framing");
        settings = (ServerSettings) PekkoHttp.settings(system);
        parser = new HttpRequestParser(
                settings.parserSettings(),
                settings.websocketSettings(),
                false,
                HttpHeaderParser.apply(settings.parserSettings(), NoLogging.getInstance()));
    }

    /** A token is a header's value, and each connection has a copy of the parser. */
    @Test
    void the_parser_keeps_no_value_of_a_header() {
        HttpHeaderParser headers = HttpHeaderParser.apply(settings.parserSettings(), NoLogging.getInstance());
        for (String name : List.of("Authorization", "authorization", "Cookie", "X-Anything")) {
            headers.parseHeaderLine(ByteString.fromString(name + ": first\r\nx"), 0, 0, 0);
            String known = headers.formatSizes();

            headers.parseHeaderLine(ByteString.fromString(name + ": Bearer 0123456789abcdef\r\nx"), 0, 0, 0);

            assertThat(headers.formatSizes()).as(name).isEqualTo(known);
        }
    }

    @AfterAll
    void stop() {
        system.terminate();
        Await.result(system.getWhenTerminated());
    }

    @Test
    void both_see_the_same_requests_or_the_framing_refuses() {
        long seed = Long.getLong("framing.seed", new Random().nextLong());
        int inputs = Integer.getInteger("framing.inputs", 5_000);
        System.out.println("seed " + seed + ", inputs " + inputs);
        Random random = new Random(seed);
        int accepted = 0;
        for (int done = 0; done < inputs; done += AT_ONCE) {
            accepted += compare(
                    "seed " + seed + ", from " + done,
                    Stream.generate(() -> input(random))
                            .limit(Math.min(AT_ONCE, inputs - done))
                            .toList(),
                    random);
        }
        assertThat(accepted).as("accepted requests, seed %d", seed).isGreaterThan(inputs / 20);
    }

    /** Returns the number of requests that were passed on. */
    private int compare(String from, List<String> inputs, Random random) {
        List<Framed> framed = inputs.stream().map(input -> frame(input, random)).toList();
        List<Parsed> parsed = parse(Stream.concat(
                        framed.stream().map(Framed::pieces), inputs.stream().map(input -> List.of(bytes(input))))
                .toList());
        for (int i = 0; i < inputs.size(); i++) {
            compare(
                    from + " + " + i + ": " + readable(inputs.get(i)),
                    framed.get(i),
                    parsed.get(i),
                    parsed.get(inputs.size() + i));
        }
        return framed.stream().mapToInt(Framed::requests).sum();
    }

    /**
     * @param anew the parser's result for the rewritten input: as many requests as the framing has counted, ending at the same places
     * @param raw the parser's result for the original input: the same requests wherever it accepts the input
     */
    private void compare(String input, Framed framed, Parsed anew, Parsed raw) {
        String about = input + "\nhanded on: "
                + framed.pieces.stream()
                        .map(ByteString::utf8String)
                        .map(this::readable)
                        .toList();
        if (anew.refused) {
            assertThat(anew.whole).as(about).hasSizeLessThanOrEqualTo(framed.requests);
        } else {
            assertThat(anew.whole).as(about).hasSize(framed.requests);
        }
        assertThat(anew.begun).as(about).isLessThanOrEqualTo(framed.requests + (framed.inBody ? 1 : 0));
        assertThat(raw.whole.size()).as(about).isGreaterThanOrEqualTo(anew.whole.size());
        assertThat(anew.whole).as(about).isEqualTo(raw.whole.subList(0, anew.whole.size()));
    }

    private String readable(String text) {
        return text.chars()
                .mapToObj(c -> c >= ' ' && c < 0x7f ? String.valueOf((char) c) : String.format("<%02x>", c))
                .collect(Collectors.joining());
    }

    private static ByteString bytes(String text) {
        return ByteString.fromArrayUnsafe(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    private static String one(List<String> of, Random random) {
        return of.get(random.nextInt(of.size()));
    }

    /** Returns one to three requests, most of them with a part that two parsers might interpret differently. */
    private static String input(Random random) {
        StringBuilder input = new StringBuilder();
        for (int requests = 1 + random.nextInt(3); requests > 0; requests--) {
            input.append(random.nextInt(3) == 0 ? sound(random) : odd(random));
        }
        for (int changes = random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 0; changes > 0; changes--) {
            int at = random.nextInt(input.length());
            char c = SPICE.charAt(random.nextInt(SPICE.length()));
            switch (random.nextInt(3)) {
                case 0 -> input.setCharAt(at, c);
                case 1 -> input.insert(at, c);
                default -> input.deleteCharAt(at);
            }
            if (input.isEmpty()) {
                break;
            }
        }
        return input.toString();
    }

    private static String sound(Random random) {
        String head = "POST /" + random.nextInt(10) + " HTTP/1.1\r\nHost: x\r\n";
        int length = random.nextInt(20);
        String body = "x".repeat(length);
        return switch (random.nextInt(4)) {
            case 0 -> head + "\r\n";
            case 1 -> head + "Content-Length: " + length + "\r\n\r\n" + body;
            case 2 ->
                head + "Transfer-Encoding: chunked\r\n\r\n"
                        + (length == 0 ? "" : Integer.toHexString(length) + "\r\n" + body + "\r\n") + "0\r\n\r\n";
            default ->
                head + "transfer-encoding: Chunked\r\n\r\n" + ("1\r\ny\r\n").repeat(random.nextInt(8))
                        + "0\r\nX: y\r\n\r\n";
        };
    }

    private static String odd(Random random) {
        StringBuilder request = new StringBuilder();
        request.append(LINE_ENDS.get(0).repeat(random.nextInt(8) == 0 ? 1 + random.nextInt(3) : 0));
        request.append(one(REQUEST_LINES.subList(0, random.nextInt(4) == 0 ? REQUEST_LINES.size() : 4), random));
        request.append(lineEnd(random)).append("Host: x").append(lineEnd(random));
        for (int fields = random.nextInt(4); fields > 0; fields--) {
            request.append(one(NAMES.subList(0, random.nextInt(4) == 0 ? NAMES.size() : 4), random))
                    .append(one(SEPARATORS.subList(0, random.nextInt(8) == 0 ? SEPARATORS.size() : 3), random))
                    .append(one(VALUES, random))
                    .append(lineEnd(random));
        }
        return request.append(lineEnd(random)).append(one(BODIES, random)).toString();
    }

    private static String lineEnd(Random random) {
        return random.nextInt(60) == 0 ? one(LINE_ENDS, random) : "\r\n";
    }

    /**
     * @param pieces passed on, one push each
     * @param requests number of requests that were passed on completely
     * @param inBody whether another head was passed on
     */
    private record Framed(List<ByteString> pieces, int requests, boolean inBody) {}

    private static Framed frame(String input, Random random) {
        RequestFraming framing = new RequestFraming(HEAD);
        List<ByteString> pieces = new ArrayList<>();
        int requests = 0;
        int since = 0;
        int longest = random.nextInt(3) == 0 ? 4 : 400;
        for (int at = 0; at < input.length() && framing.fault().isEmpty(); ) {
            int end = Math.min(input.length(), at + 1 + random.nextInt(longest));
            framing.add(bytes(input.substring(at, end)));
            at = end;
            while (framing.unread() > 0 && framing.fault().isEmpty()) {
                ByteString piece = framing.read();
                if (piece.nonEmpty()) {
                    pieces.add(piece);
                    since++;
                }
                if (framing.ended()) {
                    requests++;
                    since = 0;
                }
            }
        }
        return new Framed(pieces, requests, since > 0);
    }

    /**
     * @param whole requests with their bodies
     * @param begun number of heads
     * @param refused whether the parser reads no further
     */
    private record Parsed(List<String> whole, int begun, boolean refused) {}

    private List<Parsed> parse(List<List<ByteString>> connections) {
        return Await.result(Source.from(connections)
                        .flatMapConcat(pieces -> Source.from(pieces)
                                .map(piece -> new TLSProtocol.SessionBytes(null, piece))
                                .via(parser)
                                .grouped(Integer.MAX_VALUE)
                                .orElse(Source.single(List.of())))
                        .runWith(Sink.seq(), system))
                .stream()
                .map(FramingAgainstParserTest::parsed)
                .toList();
    }

    private static Parsed parsed(List<ParserOutput.RequestOutput> outputs) {
        List<String> whole = new ArrayList<>();
        StringBuilder present = new StringBuilder();
        int begun = 0;
        boolean refused = false;
        for (ParserOutput.RequestOutput output : outputs) {
            if (output instanceof ParserOutput.RequestStart start) {
                begun++;
                present = new StringBuilder(head(start));
                if (start.createEntity() instanceof ParserOutput.StrictEntityCreator<?, ?> strict) {
                    HttpEntity.Strict entity = (HttpEntity.Strict) strict.entity();
                    whole.add(present.append(entity.data().utf8String()).toString());
                }
                refused |= start.closeRequested();
            } else if (output instanceof ParserOutput.EntityPart part) {
                present.append(part.data().utf8String());
            } else if (output instanceof ParserOutput.EntityChunk chunk) {
                present.append(chunk.chunk().data().utf8String());
            } else if (output instanceof ParserOutput.ErrorOutput) {
                refused = true;
            } else {
                whole.add(present.toString());
            }
        }
        return new Parsed(whole, begun, refused);
    }

    /** Returns the head without the fields that only frame the body, and without those that are not passed on. */
    private static String head(ParserOutput.RequestStart start) {
        String fields = CollectionConverters.asJava(start.headers()).stream()
                .filter(header -> !header.is("expect") && !header.is("upgrade"))
                .map(HttpHeader::toString)
                .collect(Collectors.joining("|"));
        return start.method().value() + " " + start.uri() + " " + start.protocol() + " " + fields + " ";
    }
}
