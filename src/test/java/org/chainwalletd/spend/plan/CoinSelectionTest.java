package org.chainwalletd.spend.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.store.Coin;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;

class CoinSelectionTest {
    private static final TxShape ONE_OUTPUT = TxShape.EMPTY.plusPlainOutputs(1);

    @Test
    void the_worked_examples_of_the_fee_table_come_out() {
        assertThat(selected(coins(10_000), 9_937).fee()).isEqualTo(Amount.of(63));
        assertThat(selected(coins(10_000), 9_937).change()).isEmpty();
        assertThat(selected(coins(10_000), 5_000).fee()).isEqualTo(Amount.of(69));
        assertThat(selected(coins(6_000, 6_000), 10_000).fee()).isEqualTo(Amount.of(125));
    }

    @Test
    void change_of_200_is_paid_out_and_change_of_199_goes_into_the_fee() {
        CoinSelection.Selected with = selected(coins(10_000), 10_000 - 69 - 200);
        assertThat(with.change()).contains(Amount.of(200));
        assertThat(with.fee()).isEqualTo(Amount.of(69));

        CoinSelection.Selected without = selected(coins(10_000), 10_000 - 69 - 199);
        assertThat(without.change()).isEmpty();
        assertThat(without.fee()).isEqualTo(Amount.of(69 + 199));
    }

    @Test
    void equal_coins_are_taken_in_the_order_of_their_outpoints() {
        List<Coin> coins = coins(5_000, 5_000, 5_000, 5_000);
        List<Coin> shuffled = new ArrayList<>(coins);
        Collections.shuffle(shuffled, new Random(1));

        List<Coin> inputs = selected(shuffled, 8_000).inputs();

        assertThat(inputs).isEqualTo(selected(coins, 8_000).inputs());
        assertThat(inputs.get(0).outpoint()).isLessThan(inputs.get(1).outpoint());
    }

    @Test
    void no_transaction_gets_more_inputs_than_the_step_budget_allows() {
        List<Coin> coins = coins(Collections.nCopies(1_700, 1_000L).stream()
                .mapToLong(Long::longValue)
                .toArray());
        long most = 1_623 * 1_000L - 209_765;

        assertThat(selected(coins, most).inputs()).hasSize(1_623);
        assertThat(select(coins, Amount.of(most + 1), ONE_OUTPUT, FeeChoice.MINIMUM))
                .isInstanceOfSatisfying(
                        CoinSelection.Short.class,
                        tooLittle -> assertThat(tooLittle.tooManyInputs()).isTrue());
    }

    @Test
    void the_whole_range_of_u64_is_counted_right() {
        List<Coin> coins = List.of(coin(1, Amount.MAX));
        assertThat(select(coins, Amount.MAX.minus(Amount.of(63)), ONE_OUTPUT, FeeChoice.MINIMUM))
                .isInstanceOf(CoinSelection.Selected.class);
        assertThatThrownBy(() -> select(coins, Amount.MAX, ONE_OUTPUT, FeeChoice.MINIMUM))
                .isInstanceOf(ArithmeticException.class);
        assertThatThrownBy(() -> select(coins, Amount.of(1_000), ONE_OUTPUT, new FeeChoice.Rate(-1)))
                .isInstanceOf(ArithmeticException.class);
        List<Coin> two = List.of(coin(1, Amount.MAX), coin(2, Amount.MAX));
        assertThatThrownBy(() -> select(two, Amount.MAX.minus(Amount.of(10)), ONE_OUTPUT, FeeChoice.MINIMUM))
                .isInstanceOf(ArithmeticException.class);
    }

    @Test
    void every_selection_balances_pays_at_least_the_minimum_and_uses_the_fewest_coins_possible() {
        Random random = Seeded.random("coin selection");
        for (int round = 0; round < 20_000; round++) {
            List<Coin> coins = randomCoins(random);
            Amount wanted = Amount.of(200 + random.nextInt(60_000));
            TxShape outputs =
                    TxShape.EMPTY.plusPlainOutputs(1 + random.nextInt(4)).plusDatum(random.nextInt(300));
            FeeChoice fee = randomFee(random);

            CoinSelection.Result result = select(coins, wanted, outputs, fee);

            int fewest = fewestByModel(coins, wanted, outputs, fee);
            if (result instanceof CoinSelection.Selected selected) {
                check(selected, wanted, fee);
                assertThat(selected.inputs()).hasSize(fewest);
            } else {
                assertThat(fewest).isEqualTo(-1);
                assertThat(((CoinSelection.Short) result).needed()).isGreaterThan(sum(coins));
            }
        }
    }

    @Test
    void every_drawn_selection_costs_and_pays_the_same_as_the_first() {
        Random random = Seeded.random("drawn coins");
        Drawing drawing = random::nextInt;
        for (int round = 0; round < 5_000; round++) {
            List<Coin> coins = randomCoins(random).stream()
                    .sorted(Comparator.comparing(Coin::value).reversed().thenComparing(Coin::outpoint))
                    .toList();
            Amount wanted = Amount.of(200 + random.nextInt(60_000));
            FeeChoice fee = randomFee(random);
            Iterator<Coin> read = coins.iterator();
            if (CoinSelection.select(() -> read, wanted, ONE_OUTPUT, fee, false)
                    instanceof CoinSelection.Selected fewest) {
                CoinSelection.Selected drawn =
                        CoinSelection.draw(fewest, read, drawing).selected();

                check(drawn, wanted, fee);
                assertThat(drawn.fee()).isEqualTo(fewest.fee());
                assertThat(drawn.shape()).isEqualTo(fewest.shape());
                assertThat(drawn.inputs()).doesNotHaveDuplicates().hasSameSizeAs(fewest.inputs());
                assertThat(coins).containsAll(drawn.inputs());
            }
        }
    }

    @Test
    void where_there_is_a_choice_each_of_the_equal_transactions_is_drawn_at_some_time() {
        List<Coin> coins = coins(9_000, 8_000, 7_000, 300);
        CoinSelection.Selected one = selected(coins, 5_000);
        CoinSelection.Selected two = selected(coins, 13_000);
        Set<List<Coin>> drawn = new HashSet<>();
        Random random = Seeded.random("equal transactions");
        for (int round = 0; round < 200; round++) {
            drawn.add(CoinSelection.draw(one, coins.subList(1, 4).iterator(), random::nextInt)
                    .selected()
                    .inputs());
            drawn.add(CoinSelection.draw(two, coins.subList(2, 4).iterator(), random::nextInt)
                    .selected()
                    .inputs());
        }

        assertThat(drawn).hasSize(3 + 4);
        assertThat(CoinSelection.draw(one, coins.subList(1, 4).iterator(), Drawing.FIRST))
                .isEqualTo(new CoinSelection.Drawn(one, 3));
        assertThat(CoinSelection.draw(selected(coins(9_000), 5_000), Collections.emptyIterator(), Drawing.FIRST)
                        .ways())
                .isEqualTo(1);
    }

    /** Fees of the chain protocol, section 7.3. */
    @Test
    void a_mark_on_the_change_leaves_the_fees_of_the_usual_shapes_as_they_are() {
        for (int inputs : new int[] {1, 2, 3, 5, 10, 32, 100}) {
            for (int outputs : new int[] {2, 3, 4, 17}) {
                TxShape plain = TxShape.EMPTY.plusPlainInputs(inputs).plusPlainOutputs(outputs);
                Amount more = plain.plusDatum(Drawing.MARK_LENGTH).minimumFee().minus(plain.minimumFee());
                assertThat(more).as("%s in, %s out", inputs, outputs).isLessThanOrEqualTo(Amount.of(1 + inputs / 12));
            }
            TxShape usual = TxShape.EMPTY.plusPlainInputs(inputs).plusPlainOutputs(2);
            assertThat(usual.plusDatum(Drawing.MARK_LENGTH).minimumFee()).isEqualTo(usual.minimumFee());
        }
    }

    @Test
    void marked_change_is_paid_for_and_alone_makes_more_ways_than_are_counted() {
        List<Coin> coins = coins(9_000);
        CoinSelection.Selected marked = (CoinSelection.Selected)
                CoinSelection.select(coins, Amount.of(5_000), ONE_OUTPUT, FeeChoice.MINIMUM, true);

        assertThat(marked.shape().size())
                .isEqualTo(selected(coins, 5_000).shape().size() + 2 + Drawing.MARK_LENGTH);
        assertThat(ways(marked)).isEqualTo(CoinSelection.MANY_WAYS);
        assertThat(ways(selected(coins, 9_000 - 63))).isEqualTo(1);
    }

    private static int ways(CoinSelection.Selected selected) {
        return CoinSelection.draw(selected, Collections.emptyIterator(), Drawing.FIRST.marking())
                .ways();
    }

    private static void check(CoinSelection.Selected selected, Amount wanted, FeeChoice fee) {
        Amount change = selected.change().orElse(Amount.ZERO);
        assertThat(wanted.plus(selected.fee()).plus(change)).isEqualTo(sum(selected.inputs()));
        assertThat(selected.fee()).isGreaterThanOrEqualTo(fee.feeOf(selected.shape()));
        assertThat(selected.shape().inputs()).isEqualTo(selected.inputs().size());
        if (selected.change().isPresent()) {
            assertThat(change).isGreaterThanOrEqualTo(Amount.of(200));
            assertThat(selected.fee()).isEqualTo(fee.feeOf(selected.shape()));
        } else {
            Amount withChange = fee.feeOf(selected.shape().plusPlainOutputs(1));
            assertThat(selected.fee()).isLessThan(withChange.plus(Amount.of(200)));
        }
    }

    /** Any subset of n coins is worth at most as much as the n largest: tried for each n, without the shortcuts of the selection. */
    private static int fewestByModel(List<Coin> coins, Amount wanted, TxShape outputs, FeeChoice fee) {
        List<BigInteger> values = coins.stream()
                .map(coin -> coin.value().toBigInteger())
                .sorted(Collections.reverseOrder())
                .toList();
        for (int count = 1; count <= values.size(); count++) {
            BigInteger total = values.subList(0, count).stream().reduce(BigInteger.ZERO, BigInteger::add);
            BigInteger needed = wanted.toBigInteger()
                    .add(fee.feeOf(outputs.plusPlainInputs(count)).toBigInteger());
            if (total.compareTo(needed) >= 0) {
                return count;
            }
        }
        return -1;
    }

    private static List<Coin> randomCoins(Random random) {
        long[] values = random.longs(random.nextInt(12), 200, random.nextBoolean() ? 500 : 30_000)
                .toArray();
        return coins(values);
    }

    private static FeeChoice randomFee(Random random) {
        return switch (random.nextInt(3)) {
            case 0 -> FeeChoice.MINIMUM;
            case 1 -> new FeeChoice.Rate(random.nextInt(20));
            default -> new FeeChoice.Fixed(Amount.of(random.nextInt(1_000)));
        };
    }

    private static CoinSelection.Result select(List<Coin> coins, Amount wanted, TxShape outputs, FeeChoice fee) {
        return CoinSelection.select(
                coins.stream()
                        .sorted(Comparator.comparing(Coin::value).reversed().thenComparing(Coin::outpoint))
                        .toList(),
                wanted,
                outputs,
                fee,
                false);
    }

    private static CoinSelection.Selected selected(List<Coin> coins, long wanted) {
        return (CoinSelection.Selected) select(coins, Amount.of(wanted), ONE_OUTPUT, FeeChoice.MINIMUM);
    }

    private static Amount sum(List<Coin> coins) {
        return coins.stream().map(Coin::value).reduce(Amount.ZERO, Amount::plus);
    }

    private static List<Coin> coins(long... values) {
        List<Coin> coins = new ArrayList<>();
        for (long value : values) {
            coins.add(coin(coins.size(), Amount.of(value)));
        }
        return coins;
    }

    private static Coin coin(int number, Amount value) {
        byte[] id = {(byte) (number >> 8), (byte) number};
        return new Coin(new Outpoint(Hash256.sha256(id), number % 3), value);
    }
}
