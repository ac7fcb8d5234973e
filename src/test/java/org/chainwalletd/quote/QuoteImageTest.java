package org.chainwalletd.quote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.testkit.Seeded;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class QuoteImageTest {
    private static final ChainProfile CHAIN = ChainProfile.of("chain");

    @TestFactory
    Stream<DynamicTest> images_are_written_and_read_as_the_vectors_say() {
        return Vectors.tests("quote.json", Vectors.where("verdict", "valid"), row -> {
            Hash256 genesis = Hash256.parse(Vectors.text(row, "genesis_block_id"));
            byte[] image = Vectors.bytes(row, "image");
            Quote quote = SampleQuotes.quote(row.required("quote"));

            assertThat(QuoteImage.encode(CHAIN, genesis, quote)).isEqualTo(image);
            assertThat(QuoteImage.decode(CHAIN, image)).isEqualTo(new QuoteImage.Content(genesis, quote));
            assertThat(image).hasSize(Vectors.integer(row, "image_length").intValue());
        });
    }

    @TestFactory
    Stream<DynamicTest> what_is_no_image_is_refused() {
        return Vectors.tests(
                "quote.json",
                Vectors.where("verdict", "decode-error"),
                row -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> QuoteImage.decode(CHAIN, Vectors.bytes(row, "image"))));
    }

    @Test
    void the_payer_flag_is_where_the_format_says() {
        JsonNode row = Vectors.row("quote.json", "b");

        assertThat(Vectors.bytes(row, "image")[120]).isEqualTo((byte) 1);
    }

    @Test
    void no_image_is_a_beginning_of_another() {
        byte[] image = Vectors.bytes(Vectors.row("quote.json", "b"), "image");
        for (int length = 0; length < image.length; length++) {
            byte[] cut = Arrays.copyOf(image, length);
            assertThatIllegalArgumentException().isThrownBy(() -> QuoteImage.decode(CHAIN, cut));
        }
    }

    @Test
    void texts_of_an_image_are_strict_utf_8_and_the_tag_is_the_brands() {
        byte[] image = Vectors.bytes(Vectors.row("quote.json", "b"), "image");
        byte[] wrong = image.clone();
        wrong[wrong.length - 1] = (byte) 0xFF;

        assertThatIllegalArgumentException()
                .isThrownBy(() -> QuoteImage.decode(CHAIN, wrong))
                .withMessageContaining("UTF-8");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> QuoteImage.decode(ChainProfile.of("alpha"), image))
                .withMessageContaining("brand");
    }

    @Test
    void the_whole_range_of_u64_survives() {
        Random random = Seeded.random("the_whole_range_of_u64_survives");
        for (int i = 0; i < 500; i++) {
            Quote quote = new Quote(
                    1,
                    Bytes.wrap(Seeded.bytes(random, 16)),
                    "ABCDEFGHIJKL".substring(random.nextInt(9)),
                    random.nextLong(),
                    -1L,
                    Amount.ofUnsigned(random.nextLong()),
                    PublicKey.of(Seeded.bytes(random, 32)),
                    random.nextBoolean() ? Optional.of(PublicKey.of(Seeded.bytes(random, 32))) : Optional.empty(),
                    random.nextLong(),
                    random.nextLong(),
                    "ö".repeat(random.nextInt(129)));
            Hash256 genesis = Hash256.of(Seeded.bytes(random, 32));
            byte[] image = QuoteImage.encode(CHAIN, genesis, quote);
            assertThat(QuoteImage.decode(CHAIN, image)).isEqualTo(new QuoteImage.Content(genesis, quote));
            assertThat(new String(image, 0, 11, StandardCharsets.US_ASCII)).isEqualTo("CHAIN-QUOTE");
        }
    }
}
