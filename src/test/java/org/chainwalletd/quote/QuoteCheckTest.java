package org.chainwalletd.quote;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Ed25519Signature;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.quote.Quotes.QuoteCheck;
import org.chainwalletd.quote.Quotes.SignedQuote;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class QuoteCheckTest {
    private static final ChainProfile CHAIN = ChainProfile.of("chain");
    private static final Hash256 GENESIS = Hash256.parse("17".repeat(32));
    private static final byte[] SEED = new byte[32];
    private static final PublicKey KEY = PublicKey.of(Ed25519.publicKey(SEED));
    private static final PublicKey WEAK = PublicKey.parse("01" + "00".repeat(31));
    private static final PublicKey NO_POINT = PublicKey.parse("02" + "00".repeat(31));
    private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000L);

    private static Quote quote(
            long version, String currency, PublicKey payee, PublicKey payer, long issued, long expires, String memo) {
        return new Quote(
                version,
                Bytes.wrap(new byte[16]),
                currency,
                1,
                2,
                Amount.of(3),
                payee,
                Optional.ofNullable(payer),
                issued,
                expires,
                memo);
    }

    private static Optional<QuoteCheck> failed(Quote quote) {
        return failed(SampleQuotes.signed(CHAIN, GENESIS, quote, SEED));
    }

    private static Optional<QuoteCheck> failed(SignedQuote signed) {
        return QuoteCheck.firstFailed(signed, CHAIN, GENESIS, NOW);
    }

    private static Optional<QuoteCheck> failed(long issued, long expires) {
        long now = NOW.getEpochSecond();
        return failed(quote(1, "USD", KEY, null, now + issued, now + expires, ""));
    }

    @TestFactory
    Stream<DynamicTest> quotes_are_valid_at_the_times_of_the_vectors() {
        return Vectors.tests("quote.json", Vectors.where("verdict", "valid"), row -> {
            JsonNode object = row.required("quote");
            SignedQuote signed = new SignedQuote(
                    SampleQuotes.quote(object),
                    PublicKey.parse(Vectors.text(object, "signer_pubkey")),
                    Ed25519Signature.parse(Vectors.text(object, "signature")));
            Hash256 genesis = Hash256.parse(Vectors.text(row, "genesis_block_id"));
            assertThat(row.required("at")).isNotEmpty();
            for (JsonNode at : row.required("at")) {
                Instant now = Instant.ofEpochSecond(at.required("now").longValue());
                Optional<Integer> failed =
                        QuoteCheck.firstFailed(signed, CHAIN, genesis, now).map(check -> check.ordinal() + 1);
                assertThat(failed)
                        .isEqualTo(
                                at.required("failed_check").isNull()
                                        ? Optional.empty()
                                        : Optional.of(
                                                at.required("failed_check").intValue()));
            }
        });
    }

    /** Everything is wrong with the first quote; each further quote corrects one more fault. */
    @Test
    void the_first_failed_check_is_reported_in_the_order_of_the_specification() {
        long now = NOW.getEpochSecond();
        String longMemo = "ä".repeat(129);
        Ed25519Signature none = Ed25519Signature.of(new byte[64]);
        List<SignedQuote> quotes = new ArrayList<>();
        quotes.add(new SignedQuote(quote(2, "u", WEAK, NO_POINT, now, now, longMemo), WEAK, none));
        quotes.add(new SignedQuote(quote(1, "u", WEAK, NO_POINT, now, now, longMemo), WEAK, none));
        quotes.add(new SignedQuote(quote(1, "usd", WEAK, NO_POINT, now, now, longMemo), WEAK, none));
        quotes.add(new SignedQuote(quote(1, "USD", WEAK, NO_POINT, now, now, longMemo), WEAK, none));
        quotes.add(new SignedQuote(quote(1, "USD", WEAK, NO_POINT, now, now, ""), NO_POINT, none));
        quotes.add(new SignedQuote(quote(1, "USD", WEAK, NO_POINT, now, now, ""), KEY, none));
        quotes.add(new SignedQuote(quote(1, "USD", KEY, NO_POINT, now, now, ""), KEY, none));
        quotes.add(new SignedQuote(quote(1, "USD", KEY, KEY, now, now, ""), KEY, none));
        quotes.add(SampleQuotes.signed(CHAIN, GENESIS, quote(1, "USD", KEY, KEY, now, now, ""), SEED));
        quotes.add(SampleQuotes.signed(CHAIN, GENESIS, quote(1, "USD", KEY, KEY, now + 99, now + 9999, ""), SEED));
        quotes.add(SampleQuotes.signed(CHAIN, GENESIS, quote(1, "USD", KEY, KEY, now + 99, now + 999, ""), SEED));
        quotes.add(SampleQuotes.signed(CHAIN, GENESIS, quote(1, "USD", KEY, KEY, now - 99, now, ""), SEED));
        quotes.add(SampleQuotes.signed(CHAIN, GENESIS, quote(1, "USD", KEY, KEY, now - 99, now + 1, ""), SEED));

        assertThat(quotes.stream().map(QuoteCheckTest::failed).map(check -> check.orElse(null)))
                .containsExactly(
                        QuoteCheck.VERSION,
                        QuoteCheck.CURRENCY_LENGTH,
                        QuoteCheck.CURRENCY_LETTERS,
                        QuoteCheck.MEMO_LENGTH,
                        QuoteCheck.SIGNER_NOT_WEAK,
                        QuoteCheck.PAYEE_NOT_WEAK,
                        QuoteCheck.PAYER_NOT_WEAK,
                        QuoteCheck.SIGNATURE,
                        QuoteCheck.TIMES_IN_ORDER,
                        QuoteCheck.LIFE,
                        QuoteCheck.NOT_FROM_THE_FUTURE,
                        QuoteCheck.NOT_EXPIRED,
                        null);
    }

    @Test
    void the_checks_are_numbered_as_in_the_specification() {
        assertThat(QuoteCheck.values()).hasSize(13);
        assertThat(QuoteCheck.SIGNATURE.ordinal() + 1).isEqualTo(9);
        assertThat(Stream.of(QuoteCheck.values()).map(QuoteCheck::reason).distinct())
                .hasSize(13);
    }

    @Test
    void windows_are_exact_to_the_second() {
        assertThat(failed(0, 1)).isEmpty();
        assertThat(failed(60, 3660)).isEmpty();
        assertThat(failed(61, 3660)).contains(QuoteCheck.NOT_FROM_THE_FUTURE);
        assertThat(failed(60, 3661)).contains(QuoteCheck.LIFE);
        assertThat(failed(-3600, 0)).contains(QuoteCheck.NOT_EXPIRED);
        assertThat(failed(-3599, 1)).isEmpty();
        assertThat(failed(5, 5)).contains(QuoteCheck.TIMES_IN_ORDER);
        assertThat(failed(5, 4)).contains(QuoteCheck.TIMES_IN_ORDER);
    }

    @Test
    void times_are_unsigned() {
        assertThat(failed(quote(1, "USD", KEY, null, -4000, -1, ""))).contains(QuoteCheck.LIFE);
        assertThat(failed(quote(1, "USD", KEY, null, -1000, -1, ""))).contains(QuoteCheck.NOT_FROM_THE_FUTURE);
        assertThat(failed(quote(1, "USD", KEY, null, -1, 1, ""))).contains(QuoteCheck.TIMES_IN_ORDER);
        assertThat(failed(quote(257, "USD", KEY, null, 0, 1, ""))).contains(QuoteCheck.VERSION);
    }

    @Test
    void texts_are_measured_in_bytes() {
        long now = NOW.getEpochSecond();
        assertThat(failed(quote(1, "ABCDEFGHIJKL", KEY, null, now, now + 1, "ä".repeat(128))))
                .isEmpty();
        assertThat(failed(quote(1, "ABCDEFGHIJKLM", KEY, null, now, now + 1, "")))
                .contains(QuoteCheck.CURRENCY_LENGTH);
        assertThat(failed(quote(1, "AB", KEY, null, now, now + 1, ""))).contains(QuoteCheck.CURRENCY_LENGTH);
        for (String currency : List.of("US ", "ÄÖ", "us0", "US\u0000", "Ⅻ")) {
            assertThat(failed(quote(1, currency, KEY, null, now, now + 1, "")))
                    .as(currency)
                    .contains(QuoteCheck.CURRENCY_LETTERS);
        }
    }

    @Test
    void another_genesis_signer_or_field_is_another_quote() {
        long now = NOW.getEpochSecond();
        Quote quote = quote(1, "USD", KEY, KEY, now, now + 1, "m");
        Hash256 other = Hash256.parse("18".repeat(32));
        byte[] otherSeed = {
            1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8
        };
        SignedQuote signed = SampleQuotes.signed(CHAIN, GENESIS, quote, SEED);
        List<SignedQuote> forged = List.of(
                SampleQuotes.signed(CHAIN, other, quote, SEED),
                SampleQuotes.signed(ChainProfile.of("alpha"), GENESIS, quote, SEED),
                new SignedQuote(quote, PublicKey.of(Ed25519.publicKey(otherSeed)), signed.signature()),
                new SignedQuote(quote(1, "USE", KEY, KEY, now, now + 1, "m"), KEY, signed.signature()),
                new SignedQuote(quote(1, "USD", KEY, null, now, now + 1, "m"), KEY, signed.signature()),
                new SignedQuote(quote(1, "USD", KEY, KEY, now, now + 2, "m"), KEY, signed.signature()));

        assertThat(failed(signed)).isEmpty();
        assertThat(Collections.nCopies(forged.size(), Optional.of(QuoteCheck.SIGNATURE)))
                .isEqualTo(forged.stream().map(QuoteCheckTest::failed).toList());
    }
}
