package org.chainwalletd.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.chainwalletd.testkit.Vectors.integer;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.chainwalletd.chain.TxShape.InputKind;
import org.chainwalletd.testkit.Vectors;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class FeesTest {
    @TestFactory
    Stream<DynamicTest> worked_examples() {
        return Vectors.tests("fees.json", row -> {
            TxShape shape = TxShape.EMPTY
                    .plusPlainInputs(number(row, "plain_inputs"))
                    .plusPlainOutputs(number(row, "plain_outputs") - number(row, "datum_hash_outputs"));
            for (int i = 0; i < number(row, "htlc_claim_inputs"); i++) {
                shape = shape.plusClaim(number(row, "preimage_length"));
            }
            for (int i = 0; i < number(row, "htlc_reclaim_inputs"); i++) {
                shape = shape.plusReclaim();
            }
            for (int i = 0; i < number(row, "htlc_outputs"); i++) {
                shape = shape.plusOutput(TxOutput.toScript(Bytes.wrap(new byte[HtlcScript.LENGTH]), Amount.of(1)));
            }
            if (integer(row, "datum_length") != null) {
                shape = shape.plusDatum(number(row, "datum_length"));
            }
            for (int i = 0; i < number(row, "datum_hash_outputs"); i++) {
                shape = shape.plusOutput(TxOutput.toAddress(Address.of(new byte[Address.LENGTH]), Amount.of(1))
                        .withDatumHash(Hash256.ZERO));
            }
            checkCost(row, shape);
            assertThat(shape.fitsLimits()).isTrue();
            if (integer(row, "script_steps") != null) {
                long plain = number(row, "plain_inputs")
                        * Fees.plainInputSteps(integer(row, "M").longValueExact());
                assertThat(shape.steps() - plain).isEqualTo(number(row, "script_steps"));
            }
        });
    }

    @TestFactory
    Stream<DynamicTest> finished_transactions() {
        Stream<DynamicTest> payments = Vectors.tests("transactions.json", FeesTest::checkFinished);
        Stream<DynamicTest> htlc = Vectors.tests(
                "htlc.json", row -> row.has("cost") && !row.required("cost").isNull(), FeesTest::checkFinished);
        return Stream.concat(payments, htlc);
    }

    private static void checkFinished(JsonNode row) {
        List<InputKind> kinds = new ArrayList<>();
        for (JsonNode input : row.required("inputs")) {
            Bytes script = VectorTransactions.bytesOf(input, "script");
            kinds.add(script == null ? InputKind.PLAIN : InputKind.ofSpentScript(script));
        }
        TxShape shape = TxShape.of(VectorTransactions.build(row), kinds);
        checkCost(row, shape);
        if (row.has("steps")) {
            assertThat(shape.steps()).isEqualTo(number(row, "steps"));
        }
    }

    private static void checkCost(JsonNode row, TxShape shape) {
        assertThat(shape.signingMessageLength()).isEqualTo(number(row, "M"));
        assertThat(shape.size()).isEqualTo(number(row, "size"));
        assertThat(shape.cost()).isEqualTo(number(row, "cost"));
        assertThat(shape.minimumFee()).isEqualTo(Amount.of(integer(row, "min_fee")));
    }

    private static int number(JsonNode row, String field) {
        return integer(row, field).intValueExact();
    }

    @Test
    void the_step_budget_allows1623_plain_inputs_with_one_output_and1622_with_two() {
        for (int outputs = 1; outputs <= 2; outputs++) {
            TxShape full = TxShape.EMPTY.plusPlainOutputs(outputs).plusPlainInputs(1_624 - outputs);
            assertThat(full.fitsLimits()).isTrue();
            assertThat(full.plusPlainInputs(1).fitsLimits()).isFalse();
        }
    }

    @Test
    void counts_and_size_are_limited_too() {
        assertThat(TxShape.EMPTY.plusPlainOutputs(23_000).fitsLimits()).isTrue();
        assertThat(TxShape.EMPTY.plusPlainOutputs(24_000).fitsLimits()).isFalse();
        assertThat(TxShape.EMPTY.plusPlainOutputs(65_536).fitsLimits()).isFalse();
    }

    @Test
    void absurd_counts_saturate_instead_of_wrapping() {
        for (long count : new long[] {1L << 31, 1L << 40, Long.MAX_VALUE}) {
            TxShape shape =
                    TxShape.EMPTY.plusPlainOutputs(count).plusPlainInputs(count).plusPlainInputs(count);
            assertThat(shape.cost()).isEqualTo(Long.MAX_VALUE);
            assertThat(shape.fitsLimits()).isFalse();
            assertThat(shape.minimumFee()).isEqualTo(Amount.of(Long.MAX_VALUE / 100 + 1));
        }
        assertThatThrownBy(() -> TxShape.EMPTY.plusPlainInputs(-1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void a_fee_is_rounded_up_and_its_rate_rounded_down() {
        assertThat(Fees.feeForRate(6_221, 1)).isEqualTo(Amount.of(63));
        assertThat(Fees.feeForRate(6_221, 3)).isEqualTo(Amount.of(187));
        assertThat(Fees.feeForRate(6_200, 1)).isEqualTo(Amount.of(62));
        assertThat(Fees.feeForRate(6_221, 0)).isEqualTo(Amount.ZERO);
        assertThat(Fees.minimumFee(0)).isEqualTo(Amount.ZERO);
        assertThat(Fees.effectiveRate(Amount.of(63), 6_221)).isEqualTo(1);
        assertThat(Fees.effectiveRate(Amount.of(62), 6_221)).isZero();
        assertThat(Fees.effectiveRate(Amount.MAX, 6_221)).isEqualTo(296_523_775_497_661_977L);
        assertThat(Fees.density(Amount.of(69), 6_830)).isEqualTo(BigInteger.valueOf(10_102));
    }

    @Test
    void a_fee_above_u64_is_an_arithmetic_error() {
        assertThat(Fees.feeForRate(100, -1L)).isEqualTo(Amount.MAX);
        assertThatThrownBy(() -> Fees.feeForRate(101, -1L)).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> Fees.feeForRate(6_221, Long.MIN_VALUE)).isInstanceOf(ArithmeticException.class);
        assertThat(Fees.effectiveRate(Amount.MAX, 100)).isEqualTo(-1L);
        assertThatThrownBy(() -> Fees.effectiveRate(Amount.MAX, 99)).isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> Fees.effectiveRate(Amount.MAX, 0)).isInstanceOf(IllegalArgumentException.class);
    }
}
