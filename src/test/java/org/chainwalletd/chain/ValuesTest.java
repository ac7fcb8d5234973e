package org.chainwalletd.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class ValuesTest {
    private static final BigInteger TWO_63 = BigInteger.ONE.shiftLeft(63);
    private static final Amount HALF = Amount.of(TWO_63);
    private static final Amount ONE = Amount.of(1);

    @Test
    void amounts_cover_the_whole_range_of_u64() {
        assertThat(HALF).hasToString("9223372036854775808").isEqualTo(Amount.ofUnsigned(Long.MIN_VALUE));
        assertThat(Amount.MAX).hasToString("18446744073709551615").isEqualTo(Amount.of(U64.MAX));
        assertThat(Amount.MAX.toBigInteger()).isEqualTo(U64.MAX);
        assertThat(HALF.toBigInteger()).isEqualTo(TWO_63);
        assertThat(Amount.ZERO.isZero()).isTrue();
        assertThat(List.of(Amount.MAX, Amount.ZERO, HALF, Amount.of(Long.MAX_VALUE)).stream()
                        .sorted())
                .containsExactly(Amount.ZERO, Amount.of(Long.MAX_VALUE), HALF, Amount.MAX);
        assertThat(HALF.isLessThan(Amount.of(Long.MAX_VALUE))).isFalse();
    }

    @Test
    void amounts_never_wrap() {
        assertThat(Amount.of(Long.MAX_VALUE).plus(ONE)).isEqualTo(HALF);
        assertThat(HALF.minus(ONE)).isEqualTo(Amount.of(Long.MAX_VALUE));
        assertThat(HALF.plus(Amount.of(Long.MAX_VALUE))).isEqualTo(Amount.MAX);
        assertThat(Amount.MAX.minus(Amount.MAX)).isEqualTo(Amount.ZERO);
        assertThatThrownBy(() -> HALF.plus(HALF)).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> Amount.MAX.plus(ONE)).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> Amount.MAX.plus(Amount.MAX)).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> Amount.ZERO.minus(ONE)).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> Amount.of(Long.MAX_VALUE).minus(HALF)).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> Amount.of(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Amount.of(BigInteger.valueOf(-1))).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> Amount.of(U64.MAX.add(BigInteger.ONE))).isInstanceOf(ArithmeticException.class);
    }

    @Test
    void heights_are_compared_and_printed_unsigned() {
        assertThat(U64.compare(Long.MIN_VALUE, Long.MAX_VALUE)).isPositive();
        assertThat(U64.compare(-1L, 0)).isPositive();
        assertThat(U64.compare(5, 5)).isZero();
        assertThat(U64.toString(Long.MIN_VALUE)).isEqualTo("9223372036854775808");
        assertThat(U64.toBigInteger(-1L)).isEqualTo(U64.MAX);
        for (BigInteger value : List.of(BigInteger.ZERO, TWO_63.subtract(BigInteger.ONE), TWO_63, U64.MAX)) {
            assertThat(U64.toBigInteger(U64.fromBigInteger(value))).isEqualTo(value);
        }
        assertThatThrownBy(() -> U64.fromBigInteger(U64.MAX.add(BigInteger.ONE)))
                .isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> U64.fromBigInteger(BigInteger.ONE.negate())).isInstanceOf(ArithmeticException.class);
    }

    @Test
    void thirty_two_byte_values_are_read_in_either_case_and_printed_in_lower_case() {
        String mixed = "0aBcDeF9".repeat(8);
        List<Function<String, Object>> parsers = List.of(Hash256::parse, Address::parse, PublicKey::parse);
        for (Function<String, Object> parser : parsers) {
            Object value = parser.apply(mixed);
            assertThat(value).hasToString(mixed.toLowerCase());
            assertThat(value).isEqualTo(parser.apply(mixed.toUpperCase())).hasSameHashCodeAs(parser.apply(mixed));
            for (String wrong : List.of(
                    "",
                    "0a",
                    mixed + "00",
                    mixed.substring(2),
                    mixed.substring(1),
                    "zz" + mixed.substring(2),
                    "0x" + mixed.substring(2),
                    " " + mixed.substring(1),
                    "0４" + mixed.substring(2))) {
                assertThatThrownBy(() -> parser.apply(wrong)).isInstanceOf(IllegalArgumentException.class);
            }
        }
        assertThat((Object) Address.parse(mixed)).isNotEqualTo(Hash256.parse(mixed));
        for (int length : new int[] {0, 31, 33}) {
            assertThatThrownBy(() -> Hash256.of(new byte[length])).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> Address.of(new byte[length])).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> PublicKey.of(new byte[length])).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void values_do_not_share_the_arrays_of_their_callers() {
        byte[] source = new byte[32];
        Hash256 hash = Hash256.of(source);
        Address address = Address.of(source);
        PublicKey key = PublicKey.of(source);
        Bytes bytes = Bytes.of(source);
        source[0] = 1;
        hash.toArray()[1] = 1;
        address.toArray()[1] = 1;
        key.toArray()[1] = 1;
        bytes.toArray()[1] = 1;
        String zeros = "00".repeat(32);
        assertThat(List.of(hash.hex(), address.hex(), key.hex(), bytes.hex()))
                .containsExactly(zeros, zeros, zeros, zeros);
    }

    @Test
    void byte_strings_have_any_length() {
        assertThat(Bytes.parse("")).isSameAs(Bytes.EMPTY);
        assertThat(Bytes.of(new byte[0]).isEmpty()).isTrue();
        assertThat(Bytes.parse("00fF").hex()).isEqualTo("00ff");
        assertThat(Bytes.parse("00ff").at(1)).isEqualTo((byte) 0xff);
        assertThat(Bytes.parse("000102").slice(1, 3)).containsExactly(1, 2);
        assertThat(Bytes.parse("0001")).isNotEqualTo(Bytes.parse("000100"));
        assertThatThrownBy(() -> Bytes.parse("0")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Bytes.parse("0g")).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void hashes_and_outpoints_are_ordered_as_unsigned_numbers() {
        Hash256 small = Hash256.parse("7f" + "ff".repeat(31));
        Hash256 large = Hash256.parse("80" + "00".repeat(31));
        assertThat(small).isLessThan(large);
        assertThat(new Outpoint(small, Outpoint.MAX_INDEX)).isLessThan(new Outpoint(large, 0));
        assertThat(new Outpoint(large, 2)).isLessThan(new Outpoint(large, 10));
        assertThatThrownBy(() -> new Outpoint(small, 1L << 32)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Outpoint(small, -1)).isInstanceOf(IllegalArgumentException.class);
        assertThat(new Outpoint(large, 3)).hasToString("80" + "00".repeat(31) + ":3");
    }

    @Test
    void an_output_is_plain_exactly_when_its_script_has32_bytes() {
        Address address = Address.parse("ab".repeat(32));
        assertThat(TxOutput.toAddress(address, ONE).address()).contains(address);
        for (int length : new int[] {0, 31, 33, 385}) {
            TxOutput script = TxOutput.toScript(Bytes.wrap(new byte[length]), ONE);
            assertThat(script.isPlain()).isFalse();
            assertThat(script.address()).isEqualTo(Optional.empty());
        }
    }
}
