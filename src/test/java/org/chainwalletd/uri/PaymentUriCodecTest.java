package org.chainwalletd.uri;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.chainwalletd.api.PaymentUris.PaymentRequest;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PaymentUriCodecTest {
    private static final String ADDRESS = "ab".repeat(32);
    private static final String LOCK = "0c".repeat(32);
    private static final PaymentUriCodec CODEC = new PaymentUriCodec(ChainProfile.of("chain"));

    private static PaymentRequest with(String memo, String label) {
        return new PaymentRequest(
                Address.parse(ADDRESS),
                Optional.empty(),
                Optional.ofNullable(memo),
                Optional.empty(),
                OptionalLong.empty(),
                Optional.ofNullable(label));
    }

    private static PaymentRequest decode(String query) {
        return CODEC.decode("chain:" + ADDRESS + query);
    }

    @Test
    void an_address_alone_has_no_query() {
        assertThat(CODEC.encode(with(null, null))).isEqualTo("chain:" + ADDRESS);
        assertThat(CODEC.decode("chain:" + ADDRESS)).isEqualTo(with(null, null));
    }

    @Test
    void fields_stand_in_the_canonical_order_whatever_order_they_came_in() {
        String canonical = "chain:" + ADDRESS + "?amount=18446744073709551615&memo=m&hash_lock=" + LOCK
                + "&timeout=18446744073709551615&label=l";
        String shuffled = "chain:" + ADDRESS + "?label=l&timeout=18446744073709551615&hash_lock=" + LOCK
                + "&memo=m&amount=18446744073709551615";

        PaymentRequest uri = CODEC.decode(shuffled);

        assertThat(uri.amount()).contains(Amount.MAX);
        assertThat(uri.timeout()).hasValue(-1L);
        assertThat(CODEC.encode(uri)).isEqualTo(canonical);
        assertThat(CODEC.decode(canonical)).isEqualTo(uri);
    }

    @ParameterizedTest
    @CsvSource({
        "azAZ09-._~, azAZ09-._~",
        "'a b', a%20b",
        "a+b, a%2Bb",
        "a&b=c, a%26b%3Dc",
        "100%, 100%25",
        "a/b?c#d:e@f, a%2Fb%3Fc%23d%3Ae%40f",
        "'!$''()*,;', %21%24%27%28%29%2A%2C%3B",
        "Grüße 世界 🚀, Gr%C3%BC%C3%9Fe%20%E4%B8%96%E7%95%8C%20%F0%9F%9A%80",
        "'', ''"
    })
    void texts_keep_unreserved_characters_and_escape_the_bytes_of_all_others(String text, String encoded) {
        String uri = "chain:" + ADDRESS + "?memo=" + encoded + "&label=" + encoded;

        assertThat(CODEC.encode(with(text, text))).isEqualTo(uri);
        assertThat(CODEC.decode(uri)).isEqualTo(with(text, text));
    }

    @ParameterizedTest
    @CsvSource({"a+b, a+b", "a%2bb, a+b", "%c3%BC, ü", "a=b, a=b", "a?b, a?b", "a:/@b, a:/@b", "%6d%65mo, memo"})
    void escapes_are_read_in_either_case_and_a_plus_sign_stands_for_itself(String encoded, String text) {
        assertThat(decode("?memo=" + encoded).memo()).contains(text);
    }

    @Test
    void the_scheme_is_the_brand_and_is_read_in_either_case() {
        PaymentUriCodec alpha = new PaymentUriCodec(ChainProfile.of("alpha"));

        assertThat(alpha.encode(with("m", null))).isEqualTo("alpha:" + ADDRESS + "?memo=m");
        assertThat(alpha.decode("ALpha:" + ADDRESS)).isEqualTo(with(null, null));
        assertThatThrownBy(() -> alpha.decode("chain:" + ADDRESS)).hasMessageContaining("alpha:");
    }

    @Test
    void address_and_hash_lock_come_back_in_lower_case() {
        PaymentRequest uri = CODEC.decode("Chain:" + ADDRESS.toUpperCase(Locale.ROOT) + "?hash_lock="
                + LOCK.toUpperCase(Locale.ROOT) + "&timeout=0");

        assertThat(uri.address().hex()).isEqualTo(ADDRESS);
        assertThat(uri.hashLock().map(Hash256::hex)).contains(LOCK);
        assertThat(uri.timeout()).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "?",
                "?&&",
                "?x=1",
                "?x=1&x=2&flag&=&amounts=7",
                "?Amount=5",
                "?MEMO=a",
                "?amount%20=5",
                "?x=%ff",
                "?%ff=%00",
                "?req-lock=1",
                "?hash-lock=zz"
            })
    void unknown_fields_are_dropped(String query) {
        assertThat(decode(query)).isEqualTo(with(null, null));
    }

    @ParameterizedTest
    @CsvSource({
        "?amount=1&amount=1, amount is there twice",
        "?memo=a&x=1&memo=, memo is there twice",
        "?memo=a&%6Demo=b, memo is there twice",
        "?amount, amount has no value",
        "?amount=, amount must be an integer",
        "?amount=+5, amount must be an integer",
        "?amount=-1, amount must be an integer",
        "?amount=1.5, amount must be an integer",
        "?amount=1e3, amount must be an integer",
        "?amount=0x10, amount must be an integer",
        "?amount=%205, amount must be an integer",
        "?amount=%D9%A3, amount must be an integer",
        "?amount=18446744073709551616, amount must be an integer",
        "?amount=99999999999999999999999, amount must be an integer",
        "?timeout=5, timeout has a meaning only together with hash_lock",
        "?hash_lock=00, hash_lock must be 64 hex",
        "?memo=%, not followed by two hex digits",
        "?memo=%4, not followed by two hex digits",
        "?memo=%zz, not followed by two hex digits",
        "?memo=%-1, not followed by two hex digits",
        "?x=%1, not followed by two hex digits",
        "?memo=%FF, memo is not UTF-8",
        "?memo=%C0%80, memo is not UTF-8",
        "?memo=%ED%A0%80, memo is not UTF-8",
        "?memo=%F0%9F, memo is not UTF-8",
        "?label=%80, label is not UTF-8",
        "'?memo=a b', must be percent-encoded",
        "?memo=ü, must be percent-encoded",
        "?memo=a#b, must be percent-encoded",
        "?memo=a\"b, must be percent-encoded"
    })
    void hostile_queries_are_refused_with_the_rule_they_break(String query, String rule) {
        assertThatThrownBy(() -> decode(query))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining(rule);
    }

    @Test
    void a_timeout_stands_with_a_hash_lock_in_any_order() {
        assertThat(decode("?timeout=5&hash_lock=" + LOCK).timeout()).hasValue(5);
        assertThat(decode("?hash_lock=" + LOCK).timeout()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "chain",
                "chain:",
                "chain://",
                "chain:?amount=1",
                "bitcoin:",
                " chain:",
                "chain :",
                "chain:ab",
            })
    void texts_that_are_no_payment_uri_are_refused(String text) {
        assertThatThrownBy(() -> CODEC.decode(text)).isInstanceOf(RefusedException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "chain://%s",
                "chain:%s ",
                "chain:%s\n",
                "chain:0x%s",
                "chain:%s00",
                "chain:%s#x",
                "chain:%s&amount=1"
            })
    void an_address_stands_alone_between_scheme_and_query(String form) {
        assertThatThrownBy(() -> CODEC.decode(form.replace("%s", ADDRESS)))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("64 hex");
    }

    @Test
    void what_would_be_too_long_to_be_read_is_not_written() {
        int room = PaymentUriCodec.MAX_LENGTH - ("chain:" + ADDRESS + "?memo=").length();

        String longest = CODEC.encode(with("m".repeat(room), null));
        assertThat(longest).hasSize(PaymentUriCodec.MAX_LENGTH);
        assertThat(CODEC.decode(longest).memo().orElseThrow()).hasSize(room);
        assertThatThrownBy(() -> CODEC.encode(with("m".repeat(room + 1), null)))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("at most");
        assertThatThrownBy(() -> CODEC.decode("chain:" + ADDRESS + "?x=" + "&".repeat(2_000_000)))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("at most");
    }

    @Test
    void half_of_a_surrogate_pair_cannot_be_written() {
        assertThatThrownBy(() -> CODEC.encode(with("\ud83d", null))).isInstanceOf(RefusedException.class);
        assertThatThrownBy(() -> CODEC.encode(with(null, "\ude80x"))).isInstanceOf(RefusedException.class);
    }

    @Test
    void whatever_is_written_reads_the_same() {
        Random random = Seeded.random("whatever_is_written_reads_the_same");
        for (int i = 0; i < 3_000; i++) {
            PaymentRequest uri = anyUri(random);
            String text = CODEC.encode(uri);
            assertThat(text).matches("chain:[0-9a-f]{64}([?&][a-z_]+=([A-Za-z0-9._~-]|%[0-9A-F]{2})*)*");
            assertThat(CODEC.decode(text)).isEqualTo(uri);
        }
    }

    private static PaymentRequest anyUri(Random random) {
        Optional<Hash256> lock =
                random.nextBoolean() ? Optional.of(Hash256.of(Seeded.bytes(random, 32))) : Optional.empty();
        return new PaymentRequest(
                Address.of(Seeded.bytes(random, 32)),
                random.nextBoolean() ? Optional.of(Amount.ofUnsigned(random.nextLong())) : Optional.empty(),
                anyText(random),
                lock,
                lock.isPresent() && random.nextBoolean() ? OptionalLong.of(random.nextLong()) : OptionalLong.empty(),
                anyText(random));
    }

    private static Optional<String> anyText(Random random) {
        if (random.nextInt(4) == 0) {
            return Optional.empty();
        }
        StringBuilder text = new StringBuilder();
        for (int n = random.nextInt(20); n > 0; n--) {
            int range = new int[] {0x80, 0x800, 0x10000, 0x110000}[random.nextInt(4)];
            int point = random.nextInt(range);
            text.appendCodePoint(point >= 0xD800 && point <= 0xDFFF ? '%' : point);
        }
        return Optional.of(text.toString());
    }
}
