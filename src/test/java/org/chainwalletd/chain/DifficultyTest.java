package org.chainwalletd.chain;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;

class DifficultyTest {
    private static final Hash256 OLD = of(BigInteger.ONE.shiftLeft(200));

    private static Hash256 of(BigInteger number) {
        return Hash256.parse("%064x".formatted(number));
    }

    private static BigInteger adjusted(Network network, Hash256 old, long first, long last) {
        return new BigInteger(Difficulty.adjust(network, old, first, last).hex(), 16);
    }

    @Test
    void the_target_changes_at_multiples_of_4320_only() {
        assertThat(Difficulty.adjustsAt(0)).isFalse();
        assertThat(Difficulty.adjustsAt(4_319)).isFalse();
        assertThat(Difficulty.adjustsAt(4_320)).isTrue();
        assertThat(Difficulty.adjustsAt(4_321)).isFalse();
        assertThat(Difficulty.adjustsAt(8_640)).isTrue();
        assertThat(Difficulty.adjustsAt(Long.MIN_VALUE)).isFalse();
        assertThat(Difficulty.adjustsAt(new BigInteger("18446744073709551615")
                                .divide(BigInteger.valueOf(4_320))
                                .longValue()
                        * 4_320))
                .isTrue();
    }

    @Test
    void the_target_follows_the_elapsed_time_and_is_rounded_down() {
        BigInteger old = BigInteger.ONE.shiftLeft(200);
        assertThat(adjusted(Network.MAINNET, OLD, 1_000, 1_000 + 43_190)).isEqualTo(old);
        assertThat(adjusted(Network.MAINNET, OLD, 1_000, 1_000 + 50_000))
                .isEqualTo(old.multiply(BigInteger.valueOf(50_000)).divide(BigInteger.valueOf(43_190)));
    }

    @Test
    void the_elapsed_time_is_clamped_also_when_it_is_negative() {
        BigInteger old = BigInteger.ONE.shiftLeft(200);
        BigInteger hardest = old.multiply(BigInteger.valueOf(10_797)).divide(BigInteger.valueOf(43_190));
        assertThat(adjusted(Network.MAINNET, OLD, 1_000, 1_000)).isEqualTo(hardest);
        assertThat(adjusted(Network.MAINNET, OLD, 1_000, 10)).isEqualTo(hardest);
        assertThat(adjusted(Network.MAINNET, OLD, 0, 10_797)).isEqualTo(hardest);
        assertThat(adjusted(Network.MAINNET, OLD, 0, -1L))
                .isEqualTo(old.multiply(BigInteger.valueOf(172_760)).divide(BigInteger.valueOf(43_190)));
    }

    @Test
    void the_target_stays_between_one_and_the_cap_of_its_network() {
        assertThat(adjusted(Network.MAINNET, of(BigInteger.ONE), 0, 0)).isEqualTo(BigInteger.ONE);
        assertThat(Difficulty.adjust(Network.MAINNET, Difficulty.EASIEST, 0, 172_760))
                .isEqualTo(Difficulty.EASIEST);
        BigInteger cap = BigInteger.ONE.shiftLeft(252);
        assertThat(adjusted(Network.DEVNET, Difficulty.EASIEST, 0, 172_760)).isEqualTo(cap);
        assertThat(adjusted(Network.TESTNET, Difficulty.EASIEST, 0, 43_190)).isEqualTo(cap);
        assertThat(adjusted(Network.DEVNET, OLD, 0, 43_190)).isLessThan(cap);
    }
}
