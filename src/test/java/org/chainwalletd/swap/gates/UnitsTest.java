package org.chainwalletd.swap.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

public class UnitsTest {
    @ParameterizedTest
    @CsvSource({
        "1,100000000",
        "0.00000001,1",
        "1.50,150000000",
        "1.000000000000000000,100000000",
        "184467440737.09551615,18446744073709551615",
        "0,0"
    })
    void a_decimal_is_a_whole_number_of_units(String text, BigInteger units) {
        assertThat(Units.parse(text, Units.CHAIN_DECIMALS)).contains(units);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.000000001", "1e3", "-1", "+1", " 1", "1.", ".5", "", "1,5", "0x10", "١", "NaN"})
    void anything_that_is_not_exact_and_plain_is_refused(String text) {
        assertThat(Units.parse(text, Units.CHAIN_DECIMALS)).isEmpty();
    }

    @Test
    void a_text_that_is_too_long_costs_nothing() {
        assertThat(Units.parse("9".repeat(40), 8)).isEmpty();
        assertThat(Units.parse("0." + "1".repeat(19), 18)).isEmpty();
        assertThat(Units.integer("9".repeat(79))).isEmpty();
        assertThat(Units.integer("007")).isEmpty();
    }
}
