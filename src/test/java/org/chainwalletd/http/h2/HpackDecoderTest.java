package org.chainwalletd.http.h2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.apache.pekko.http.shaded.com.twitter.hpack.Decoder;
import org.apache.pekko.http.shaded.com.twitter.hpack.Encoder;
import org.apache.pekko.util.ByteString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Blocks from RFC 7541, appendix C, encodings that do not occur there, and random fields encoded by another encoder. */
class HpackDecoderTest {
    private final HpackDecoder decoder = new HpackDecoder(16_384);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "400a637573746f6d2d6b65790d637573746f6d2d686561646572 | custom-key=custom-header",
                "040c2f73616d706c652f70617468 | :path=/sample/path",
                "100870617373776f726406736563726574 | password=secret",
                "82 | :method=GET",
                "828684410f7777772e6578616d706c652e636f6d | :method=GET;:scheme=http;:path=/;:authority=www.example.com",
                "828684418cf1e3c2e5f23a6ba0ab90f4ff | :method=GET;:scheme=http;:path=/;:authority=www.example.com",
                "3fe11f82 | :method=GET",
                "203fe11f82 | :method=GET",
                "000161 00 | a=",
            })
    void a_block_is_decoded(String block, String fields) {
        assertThat(text(decoder.decode(
                        HexFormat.of().parseHex(block.replace(" ", "").strip()))))
                .isEqualTo(fields);
    }

    @Test
    void the_blocks_of_one_client_share_a_table() {
        List<String> decoded = new ArrayList<>();
        for (String block : List.of(
                "828684418cf1e3c2e5f23a6ba0ab90f4ff",
                "828684be5886a8eb10649cbf",
                "828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf")) {
            decoded.add(text(decoder.decode(HexFormat.of().parseHex(block))));
        }
        assertThat(decoded)
                .containsExactly(
                        ":method=GET;:scheme=http;:path=/;:authority=www.example.com",
                        ":method=GET;:scheme=http;:path=/;:authority=www.example.com;cache-control=no-cache",
                        ":method=GET;:scheme=https;:path=/index.html;:authority=www.example.com;custom-key=custom-value");
    }

    @ParameterizedTest
    @CsvSource({
        "80, no field has the number zero",
        "be, nothing has been added",
        "8220, the size changes after a field",
        "20202082, the size changes three times",
        "3fe21f82, a larger table than was offered",
        "7fffffffff0f, a number beyond 32 bits",
        "ffffffffffff, a number without an end",
        "0082, a string without its bytes",
        "000161, a name without a value",
        "00017882ffff, padding of more than 7 bits",
        "00017884fffffffc, EOS within a string",
        "0001788118, padding that is no beginning of EOS",
    })
    void a_block_that_is_no_hpack_is_refused(String block, String why) {
        assertThatThrownBy(() -> decoder.decode(HexFormat.of().parseHex(block)))
                .as(why)
                .isInstanceOfSatisfying(
                        Http2Violation.class,
                        violation -> assertThat(violation.code()).isEqualTo(Http2Violation.Code.COMPRESSION_ERROR));
    }

    @Test
    void random_fields_are_decoded_as_another_encoder_meant_them() throws Exception {
        long seed = 20_261_122;
        Random random = new Random(seed);
        Encoder encoder = new Encoder(HpackTable.SIZE);
        for (int round = 0; round < 200; round++) {
            ByteArrayOutputStream block = new ByteArrayOutputStream();
            StringBuilder meant = new StringBuilder();
            if (random.nextInt(10) == 0) {
                encoder.setMaxHeaderTableSize(block, random.nextInt(HpackTable.SIZE + 1));
            }
            for (int field = random.nextInt(12) + 1; field > 0; field--) {
                String name = string(random, 1 + random.nextInt(20), 'a', 'f');
                String value = string(random, random.nextInt(60), 0, 127);
                encoder.encodeHeader(block, name, value, random.nextInt(8) == 0);
                meant.append(meant.isEmpty() ? "" : ";")
                        .append(name)
                        .append('=')
                        .append(value);
            }
            assertThat(text(decoder.decode(block.toByteArray())))
                    .as("seed %d, round %d", seed, round)
                    .isEqualTo(meant.toString());
        }
    }

    private static String string(Random random, int length, int from, int to) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) (from + random.nextInt(to - from + 1)));
        }
        return text.toString();
    }

    @Test
    void a_block_that_is_rewritten_says_the_same_to_pekko_in_frames_that_are_not_too_long() throws Exception {
        long seed = new Random().nextLong();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int[] lengths = {0, 1, 126, 127, 128, 254, 255, 4000, 8191};
        for (int round = 0; round < 100; round++) {
            List<HpackTable.Field> fields = new ArrayList<>();
            for (int i = random.nextInt(8); i >= 0; i--) {
                int length = lengths[random.nextInt(lengths.length)];
                fields.add(new HpackTable.Field(
                        "x" + "y".repeat(random.nextInt(200)),
                        random.ints(length, 0x20, 0x100)
                                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                                .toString()));
            }
            boolean endsStream = random.nextBoolean();
            ByteArrayOutputStream block = new ByteArrayOutputStream();
            ByteString rest = Http2HeaderBlock.anew(7, fields, endsStream);
            for (boolean first = true; rest.nonEmpty(); first = false) {
                int length = (rest.apply(0) & 0xff) << 16 | (rest.apply(1) & 0xff) << 8 | rest.apply(2) & 0xff;
                Http2Frame frame = Http2Frame.of(rest.take(Http2Frame.HEADER + length));
                rest = rest.drop(Http2Frame.HEADER + length);
                block.writeBytes(frame.whole().drop(Http2Frame.HEADER).toArray());
                assertThat(length).isLessThanOrEqualTo(Http2Frames.LONGEST);
                assertThat(frame.stream()).isEqualTo(7);
                assertThat(frame.type()).isEqualTo(first ? Http2Frame.HEADERS : Http2Frame.CONTINUATION);
                assertThat(frame.has(Http2Frame.END_STREAM)).isEqualTo(first && endsStream);
                assertThat(frame.has(Http2Frame.END_HEADERS)).isEqualTo(rest.isEmpty());
            }
            List<HpackTable.Field> read = new ArrayList<>();
            Decoder pekkos = new Decoder(Integer.MAX_VALUE, HpackTable.SIZE);
            pekkos.decode(new ByteArrayInputStream(block.toByteArray()), (name, value, parsed, sensitive) -> {
                read.add(new HpackTable.Field(name, value));
                return null;
            });
            pekkos.endHeaderBlock();
            assertThat(read).as("seed %d, round %d", seed, round).isEqualTo(fields);
        }
    }

    private static String text(List<HpackTable.Field> fields) {
        return String.join(
                ";",
                fields.stream().map(field -> field.name() + "=" + field.value()).toList());
    }
}
