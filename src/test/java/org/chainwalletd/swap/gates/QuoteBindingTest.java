package org.chainwalletd.swap.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.bouncycastle.util.Arrays;
import org.bouncycastle.util.BigIntegers;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.crypto.Ed25519;
import org.chainwalletd.swap.pool.Direction;
import org.chainwalletd.swap.pool.Pool.PoolQuote;
import org.chainwalletd.testkit.Copies;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

public class QuoteBindingTest {
    private static final QuoteBinding BINDING = new QuoteBinding(Sample.limits(), key -> false);

    private static Optional<String> refusal(Direction direction, PoolQuote quote) {
        return refusal(() -> BINDING.bind(Sample.asked(direction), quote, Optional.of(Sample.PRICE), Sample.now()));
    }

    /** Returns the refusal of a quote that is honest except for its price or time. */
    private static Optional<String> refusal(Direction direction, Optional<BigDecimal> price, QuoteBinding.Now now) {
        return refusal(() -> BINDING.bind(Sample.asked(direction), Sample.quote(direction), price, now));
    }

    private static Optional<String> refusal(Supplier<SwapTerms> bound) {
        try {
            bound.get();
            return Optional.empty();
        } catch (RefusedException refused) {
            return Optional.of(refused.getMessage());
        }
    }

    private static Consumer<String> containing(String words) {
        return message -> assertThat(message).contains(words);
    }

    /** @param changes of an honest quote, as in {@link Copies#with} */
    private static Optional<String> sellRefusal(Object... changes) {
        return refusal(Direction.CHAIN_TO_NATIVE, Copies.with(Sample.quote(Direction.CHAIN_TO_NATIVE), changes));
    }

    private static Optional<String> buyRefusal(Object... changes) {
        return refusal(Direction.NATIVE_TO_CHAIN, Copies.with(Sample.quote(Direction.NATIVE_TO_CHAIN), changes));
    }

    @ParameterizedTest
    @EnumSource(Direction.class)
    void an_honest_quote_becomes_terms_with_nothing_left_to_the_pool(Direction direction) {
        SwapTerms terms = Sample.terms(direction);
        assertThat(terms.hashLock()).isEqualTo(Sample.HASH_LOCK);
        assertThat(terms.account().contract()).isEqualTo(Sample.CONTRACT);
        assertThat(terms.depth()).isEqualTo(30);
        assertThat(terms.theirs().key().isPresent()).isEqualTo(direction.isSell());
        assertThat(terms.theirs().evm().isPresent()).isEqualTo(!direction.isSell());
    }

    @Test
    void amounts_that_are_not_those_that_were_asked_for_are_refused() {
        assertThat(sellRefusal("amountInUnits", "1200000001"))
                .hasValueSatisfying(containing("does not say what was asked"));
        assertThat(sellRefusal("amountIn", "12.00000001"))
                .hasValueSatisfying(containing("does not say what was asked"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"3.000000000000000001", "2.9", "3e0", "-3", ""})
    void an_output_whose_text_and_units_differ_is_refused(String said) {
        assertThat(sellRefusal("amountOut", said)).hasValueSatisfying(containing("does not say what was asked"));
    }

    @Test
    void nothing_and_more_than_a_contract_holds_are_refused() {
        assertThat(sellRefusal("amountOut", "0", "amountOutUnits", "0"))
                .hasValueSatisfying(containing("units cannot be locked"));
        assertThat(buyRefusal("amountOut", "0.00000199", "amountOutUnits", "199"))
                .hasValueSatisfying(containing("units cannot be locked"));
        assertThat(buyRefusal("amountOut", "184467440737.09551616", "amountOutUnits", "18446744073709551616"))
                .hasValueSatisfying(containing("units cannot be locked"));
    }

    @Test
    void the_pools_own_contract_is_refused_wherever_it_is_named() {
        String own = "0x" + "ee".repeat(20);
        assertThat(sellRefusal("htlcContract", Optional.of(own)))
                .contains("the pool's quote names the contract " + own + ", not the one that is configured");
        assertThat(buyRefusal(
                        "evm",
                        Sample.quote(Direction.NATIVE_TO_CHAIN)
                                .evm()
                                .map(lock -> Copies.with(lock, "htlcContract", own))))
                .contains("the pool's quote names the contract " + own + ", not the one that is configured");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // Three of small order, one that is not a curve point, one that is not canonical, one that is not
                // hexadecimal.
                "0100000000000000000000000000000000000000000000000000000000000000",
                "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
                "0200000000000000000000000000000000000000000000000000000000000000",
                "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                "zz",
            })
    void a_key_that_is_no_canonical_point_of_prime_order_is_refused(String hex) {
        assertThat(sellRefusal("chain", Optional.of(new PoolQuote.ChainLock(hex, Sample.TIP + 1_000))))
                .hasValueSatisfying(containing("the pool's public key"));
    }

    /** Adding the point of order two negates both coordinates: signatures under the key are then valid only for some verifiers. */
    @Test
    void a_key_of_mixed_order_is_refused() {
        byte[] key = Sample.POOL_KEY.toArray();
        boolean odd = key[31] < 0;
        key[31] &= 0x7f;
        BigInteger prime = BigInteger.ONE.shiftLeft(255).subtract(BigInteger.valueOf(19));
        byte[] y = BigIntegers.asUnsignedByteArray(32, prime.subtract(new BigInteger(1, Arrays.reverse(key))));
        byte[] mixed = Arrays.reverse(y);
        mixed[31] |= (byte) (odd ? 0 : 0x80);
        assertThat(Ed25519.isUsable(mixed)).isTrue();
        assertThat(sellRefusal(
                        "chain",
                        Optional.of(new PoolQuote.ChainLock(PublicKey.of(mixed).hex(), Sample.TIP + 1_000))))
                .hasValueSatisfying(containing("the pool's public key"));
    }

    @Test
    void a_key_of_our_own_is_refused() {
        assertThat(sellRefusal("chain", Optional.of(new PoolQuote.ChainLock(Sample.OUR_KEY.hex(), Sample.TIP + 1_000))))
                .hasValueSatisfying(containing("the pool's public key"));
        PublicKey another = Sample.POOL_KEY;
        assertThat(refusal(() -> new QuoteBinding(Sample.limits(), another::equals)
                        .bind(
                                Sample.asked(Direction.CHAIN_TO_NATIVE),
                                Sample.quote(Direction.CHAIN_TO_NATIVE),
                                Optional.of(Sample.PRICE),
                                Sample.now())))
                .hasValueSatisfying(containing("the pool's public key"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0x0000000000000000000000000000000000000000",
                "0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0",
                "0x0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a",
                "0x0b",
            })
    void a_recipient_that_is_zero_the_contract_or_ourselves_is_refused(String recipient) {
        assertThat(buyRefusal(
                        "evm",
                        Optional.of(new PoolQuote.EvmLock(Sample.CONTRACT.toString(), recipient, Sample.NOW + 10_000))))
                .hasValueSatisfying(containing("the pool's account-chain address"));
    }

    @Test
    void the_callers_minimum_is_exact() {
        for (int below = 0; below <= 1; below++) {
            QuoteBinding.Asked asked = Copies.with(
                    Sample.asked(Direction.CHAIN_TO_NATIVE),
                    "minimumOut",
                    Optional.of(Sample.WEI.add(BigInteger.valueOf(below))));
            assertThat(refusal(() -> BINDING.bind(
                                    asked,
                                    Sample.quote(Direction.CHAIN_TO_NATIVE),
                                    Optional.of(Sample.PRICE),
                                    Sample.now()))
                            .isPresent())
                    .isEqualTo(below == 1);
        }
    }

    @ParameterizedTest
    @CsvSource({"70,0.0,true", "100,0,true", "101,0,false", "66,0.01,true", "67,0.01,false"})
    void fee_and_network_fee_together_have_a_limit(long feeBps, String networkFee, boolean taken) {
        assertThat(sellRefusal("feeBps", feeBps, "networkFeeNative", Optional.of(networkFee))
                        .isEmpty())
                .isEqualTo(taken);
    }

    @Test
    void a_negative_fee_hides_nothing() {
        assertThat(sellRefusal("feeBps", -5_000, "networkFeeNative", Optional.of("1")))
                .hasValueSatisfying(containing("does not say what was asked"));
    }

    @ParameterizedTest
    @CsvSource({"0.263157894736842105,true", "0.263157894736842106,false", "0.1,true", "0.5,false"})
    void an_output_far_below_the_pools_own_price_is_refused(BigDecimal price, boolean taken) {
        Optional<String> refusal = refusal(Direction.CHAIN_TO_NATIVE, Optional.of(price), Sample.now());
        assertThat(refusal.isEmpty()).isEqualTo(taken);
    }

    @Test
    void a_buy_is_judged_by_the_same_price_the_other_way_round() {
        assertThat(refusal(Direction.NATIVE_TO_CHAIN, Optional.of(new BigDecimal("0.2")), Sample.now()))
                .hasValueSatisfying(containing("less than the pool's own price"));
    }

    @Test
    void a_pool_without_a_price_is_refused() {
        for (Optional<BigDecimal> price :
                List.<Optional<BigDecimal>>of(Optional.empty(), Optional.of(BigDecimal.ZERO))) {
            assertThat(refusal(Direction.CHAIN_TO_NATIVE, price, Sample.now()))
                    .contains("the pool tells no price to judge its quote by");
        }
    }

    @ParameterizedTest
    @CsvSource({"19,false", "20,true", "900,true", "901,false", "-1,false"})
    void a_quote_lives_between_20_and_900_seconds(long seconds, boolean taken) {
        assertThat(sellRefusal("expiresAt", Sample.NOW + seconds).isEmpty()).isEqualTo(taken);
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MIN_VALUE, 0, -1})
    void an_expiry_out_of_all_bounds_is_refused_and_told(long expiresAt) {
        assertThat(sellRefusal("expiresAt", expiresAt)).hasValueSatisfying(containing("the quote expires in"));
    }

    @ParameterizedTest
    @CsvSource({"689,false", "690,true", "4320,true", "4321,false", "0,false", "-5,false"})
    void our_lock_on_the_chain_has_a_shortest_and_a_longest_time(long blocks, boolean taken) {
        assertThat(refusal(Direction.CHAIN_TO_NATIVE, Sample.sell(Sample.TIP + blocks))
                        .isEmpty())
                .isEqualTo(taken);
    }

    @ParameterizedTest
    @CsvSource({"7199,false", "7200,true", "43200,true", "43201,false"})
    void our_lock_in_the_contract_has_a_shortest_and_a_longest_time(long seconds, boolean taken) {
        assertThat(refusal(Direction.NATIVE_TO_CHAIN, Sample.buy(Sample.NOW + seconds))
                        .isEmpty())
                .isEqualTo(taken);
    }

    @Test
    void a_timeout_above_half_of_u64_is_far_away_not_negative() {
        assertThat(refusal(Direction.CHAIN_TO_NATIVE, Sample.sell(-1L)))
                .hasValueSatisfying(containing("our lock would last"))
                .hasValueSatisfying(containing("690 to 4320 blocks"));
    }

    @Test
    void the_account_chains_clock_has_to_agree_with_ours() {
        QuoteBinding.Now ahead = new QuoteBinding.Now(Sample.NOW, Sample.TIP, Sample.NOW + 5_000, Sample.REWARD);
        assertThat(refusal(Direction.NATIVE_TO_CHAIN, Optional.of(Sample.PRICE), ahead))
                .hasValueSatisfying(containing("our lock would last"));
    }

    @Test
    void instructions_for_the_wrong_leg_are_refused() {
        assertThat(sellRefusal("chain", Optional.empty()))
                .hasValueSatisfying(containing("does not say what was asked"));
        assertThat(buyRefusal("evm", Optional.empty())).hasValueSatisfying(containing("does not say what was asked"));
    }

    @Test
    void the_bounds_are_judged_again_just_before_signing() {
        SwapTerms terms = Sample.terms(Direction.CHAIN_TO_NATIVE);
        assertThat(BINDING.stillGood(terms, Optional.empty(), Sample.now())).isEmpty();
        long blocksLeft = terms.timeout() - Sample.SHORTEST_SELL;
        assertThat(stillGood(terms, "chainHeight", blocksLeft)).isEmpty();
        assertThat(stillGood(terms, "chainHeight", blocksLeft + 1))
                .hasValueSatisfying(containing("our lock would last"));
        assertThat(stillGood(terms, "wallSeconds", Sample.NOW + 281))
                .hasValueSatisfying(containing("the quote expires in"));
        assertThat(BINDING.stillGood(terms, Optional.of(Sample.WEI.add(BigInteger.ONE)), Sample.now()))
                .hasValueSatisfying(containing("less than min_amount_out"));
    }

    private static Optional<String> stillGood(SwapTerms terms, String clock, long time) {
        return BINDING.stillGood(terms, Optional.empty(), Copies.with(Sample.now(), clock, time));
    }
}
