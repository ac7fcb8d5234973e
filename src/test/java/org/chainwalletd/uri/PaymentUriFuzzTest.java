package org.chainwalletd.uri;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.Arrays;
import java.util.Random;
import org.chainwalletd.api.PaymentUris.PaymentRequest;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;

/**
 * Hostile texts for the decoder of payment URIs: it rejects them with its one exception, and what it accepts it encodes and decodes to the same
 * value.
 */
class PaymentUriFuzzTest {
    private static final PaymentUriCodec CODEC = new PaymentUriCodec(ChainProfile.of("chain"));
    private static final String SAMPLE = "chain:" + "a1".repeat(32) + "?amount=5000&memo=order%20%E4%B8%96&hash_lock="
            + "0B".repeat(32) + "&timeout=900&x=1&label=shop";

    @FuzzTest(maxDuration = "5m")
    void uris(byte[] text) {
        read(new String(text, UTF_8));
    }

    private static boolean read(String text) {
        PaymentRequest uri;
        try {
            uri = CODEC.decode(text);
        } catch (RefusedException e) {
            assertThat(e.getMessage()).isNotBlank().hasSizeLessThan(200);
            return false;
        }
        String canonical = CODEC.encode(uri);
        assertThat(CODEC.decode(canonical)).isEqualTo(uri);
        assertThat(CODEC.encode(CODEC.decode(canonical))).isEqualTo(canonical);
        return true;
    }

    @Test
    void mutations_of_a_good_one_are_read_or_refused() {
        Random random = Seeded.random("mutations_of_a_good_one_are_read_or_refused");
        assertThat(read(SAMPLE)).isTrue();
        for (int i = 0; i < 10_000; i++) {
            byte[] text = SAMPLE.getBytes(UTF_8);
            for (int n = 1 + random.nextInt(4); n > 0; n--) {
                text[random.nextInt(text.length)] = (byte) random.nextInt(256);
            }
            read(new String(random.nextInt(8) == 0 ? Arrays.copyOf(text, random.nextInt(text.length)) : text, UTF_8));
        }
    }
}
