package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.chainwalletd.spend.Receipts.KnownTokens;
import org.chainwalletd.store.TokenBinding;
import org.junit.jupiter.api.Test;

class KnownTokensTest {
    private static long[] fingerprints(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> "token-" + i)
                .mapToLong(TokenBinding::fingerprint)
                .toArray();
    }

    @Test
    void until_the_stores_tokens_are_loaded_none_is_new() {
        KnownTokens known = new KnownTokens(100);
        assertThat(known.isNew("token-1")).isFalse();

        known.load(new long[0]);

        assertThat(known.isNew("token-1")).isTrue();
    }

    @Test
    void no_token_that_was_loaded_or_added_is_ever_new() {
        KnownTokens known = new KnownTokens(100_000);
        IntStream.range(0, 5_000).forEach(i -> known.add("token-" + i));
        known.load(fingerprints(4_000, 20_000));
        IntStream.range(20_000, 30_000).forEach(i -> known.add("token-" + i));

        assertThat(IntStream.range(0, 30_000).mapToObj(i -> "token-" + i)).noneMatch(known::isNew);
        assertThat(IntStream.range(30_000, 60_000).mapToObj(i -> "token-" + i)).allMatch(known::isNew);
    }

    @Test
    void above_its_bound_it_takes_up_no_more_and_calls_none_new() {
        KnownTokens loaded = new KnownTokens(1_000);
        loaded.load(fingerprints(0, 1_001));
        assertThat(loaded.isNew("another")).isFalse();

        KnownTokens filled = new KnownTokens(1_000);
        filled.load(fingerprints(0, 1_000));
        assertThat(filled.isNew("another")).isTrue();
        filled.add("token-999");
        assertThat(filled.isNew("another")).isTrue();
        filled.add("one too many");
        assertThat(filled.isNew("another")).isFalse();
    }
}
