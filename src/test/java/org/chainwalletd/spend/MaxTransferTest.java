package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;
import static org.chainwalletd.spend.SpendHarness.refusal;
import static org.chainwalletd.testkit.DaemonRig.params;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.devnet.Devnet;
import org.chainwalletd.devnet.DevnetConfig;
import org.chainwalletd.spend.plan.FeeChoice;
import org.chainwalletd.spend.plan.Payment;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.spend.plan.TransferRequest;
import org.chainwalletd.store.Coin;
import org.chainwalletd.testkit.DaemonRig;
import org.chainwalletd.testkit.Party;
import org.junit.jupiter.api.Test;

/** Transfer of the maximum that one transaction can move. */
class MaxTransferTest extends SpendCase {
    private TransferRequest everything(Address from, String token) {
        return everything(from, token, TransferRequest.DEFAULT_MAX_FEE);
    }

    private TransferRequest everything(Address from, String token, Amount maxFee) {
        return new TransferRequest(
                from,
                List.of(new Payment(shop, Optional.empty())),
                FeeChoice.MINIMUM,
                maxFee,
                Optional.ofNullable(token),
                Optional.empty());
    }

    private static Amount fee(int inputs) {
        return TxShape.EMPTY.plusPlainInputs(inputs).plusPlainOutputs(1).minimumFee();
    }

    private static Amount paid(Receipt receipt) {
        assertThat(receipt.outputs()).hasSize(1);
        return receipt.outputs().get(0).output().value();
    }

    @Test
    void all_coins_go_to_one_output_but_for_the_minimum_fee() {
        payer = spends.funded(1, 30_000, 20_000, 10_000);

        Receipt receipt = get(spends.spending.transfer(everything(payer, null)));

        assertThat(receipt.fee()).isEqualTo(fee(3));
        assertThat(paid(receipt)).isEqualTo(Amount.of(60_000).minus(fee(3)));
        assertThat(receipt.outputs().get(0).change()).isFalse();
        spends.confirmAll();
        assertThat(spends.coins(payer)).isEmpty();
    }

    /** At ten times the minimum fee, a coin must be worth some 570 base units to add anything. */
    private TransferRequest dear(Address from) {
        return new TransferRequest(
                from,
                List.of(new Payment(shop, Optional.empty())),
                new FeeChoice.Rate(10),
                TransferRequest.DEFAULT_MAX_FEE,
                Optional.empty(),
                Optional.empty());
    }

    private static long dearFee(int inputs) {
        return new FeeChoice.Rate(10)
                .feeOf(TxShape.EMPTY.plusPlainInputs(inputs).plusPlainOutputs(1))
                .bits();
    }

    @Test
    void a_coin_that_costs_more_than_it_brings_stays() {
        payer = spends.funded(1, 30_000, 200, 400);

        Receipt receipt = get(spends.spending.transfer(dear(payer)));

        assertThat(receipt.inputs()).extracting(Coin::value).containsExactly(Amount.of(30_000));
        assertThat(paid(receipt)).isEqualTo(Amount.of(30_000 - dearFee(1)));
    }

    @Test
    void no_number_of_coins_moves_more() {
        long[] values = new long[60];
        Arrays.setAll(values, i -> 520 + 5 * i);
        payer = spends.funded(1, values);
        long best = 0;
        long total = 0;
        int most = 0;
        for (int count = 1; count <= values.length; count++) {
            total += values[values.length - count];
            if (total - dearFee(count) > best) {
                best = total - dearFee(count);
                most = count;
            }
        }
        assertThat(most).isBetween(2, values.length - 1);

        assertThat(paid(get(spends.spending.transfer(dear(payer))))).isEqualTo(Amount.of(best));
    }

    @Test
    void no_more_coins_are_taken_than_max_fee_allows_and_with_too_little_for_one_it_is_refused() {
        payer = spends.funded(1, 30_000, 20_000, 10_000);

        refusal(
                SpendRefusal.FeeTooHigh.class,
                spends.spending.transfer(everything(payer, null, fee(1).minus(Amount.of(1)))));
        Receipt receipt = get(spends.spending.transfer(everything(payer, null, fee(2))));
        assertThat(receipt.inputs()).extracting(Coin::value).containsExactly(Amount.of(30_000), Amount.of(20_000));
    }

    @Test
    void coins_of_a_payment_in_flight_are_left_to_it() {
        payer = spends.funded(1, 30_000, 20_000);
        Receipt first = pay(25_000);

        Receipt rest = get(spends.spending.transfer(everything(payer, null)));

        assertThat(rest.inputs()).doesNotContainAnyElementsOf(first.inputs());
        refusal(SpendRefusal.InFlightExhausted.class, spends.spending.transfer(everything(payer, null)));
    }

    @Test
    void what_would_leave_dust_is_an_insufficient_balance() {
        Amount least = fee(1).plus(Amount.of(200));
        payer = spends.funded(1, least.bits() - 1);
        assertThat(refusal(SpendRefusal.InsufficientBalance.class, spends.spending.transfer(everything(payer, null)))
                        .shortage()
                        .needed())
                .isEqualTo(least);
        Address other = spends.funded(2, least.bits());
        assertThat(paid(get(spends.spending.transfer(everything(other, null))))).isEqualTo(Amount.of(200));
    }

    @Test
    void a_token_stands_for_the_word_and_answers_the_same_receipt_whatever_came_since() {
        payer = spends.funded(1, 30_000, 20_000);
        Receipt first = get(spends.spending.transfer(everything(payer, "all of it")));
        spends.confirmAll();
        spends.fund(payer, 70_000);

        assertThat(get(spends.spending.transfer(everything(payer, "all of it"))))
                .isEqualTo(first);
        refusal(SpendRefusal.TokenConflict.class, transfer(paid(first).bits(), "all of it"));
        spends.restart();
        assertThat(get(spends.spending.transfer(everything(payer, "all of it"))))
                .isEqualTo(first);
    }

    @Test
    void a_coin_that_the_mempool_spends_is_left_out() {
        payer = spends.funded(1, 50_000, 20_000);
        Outpoint large = spends.coin(payer, 50_000);
        spends.spendElsewhere(payer, large, shop, 49_000);

        assertThat(paid(get(spends.spending.transfer(everything(payer, "what is left")))))
                .isEqualTo(Amount.of(20_000).minus(fee(1)));
    }

    @Test
    void the_simulation_tells_what_would_move_and_holds_nothing() {
        payer = spends.funded(1, 30_000, 20_000);

        Simulation simulation = get(spends.spending.simulate(everything(payer, null)));

        assertThat(simulation.totalOut()).isEqualTo(Amount.of(50_000).minus(fee(2)));
        assertThat(simulation.change()).isEqualTo(Amount.ZERO);
        assertThat(spends.spending.inFlightUtxos()).isZero();
    }

    @Test
    void over_http_the_word_is_for_a_single_output_and_the_caps_hold() throws Exception {
        Party payer = new Party(1);
        Party to = new Party(2);
        try (Devnet chain = Devnet.start(DevnetConfig.onDemand(Party.PROFILE).withFirstBlocks(3));
                DaemonRig rig = DaemonRig.over(chain, folder.resolve("daemon"), "--spend-cap-per-tx", "40000")) {
            rig.imported(1);
            rig.fund(payer, 30_000, 20_000);
            JsonNode one = rig.call("simulate_transfer", DaemonRig.transfer(payer.address, payer.address, "max"))
                    .get("total_out");
            assertThat(one.asLong())
                    .as("what goes back to the payer does not leave")
                    .isEqualTo(50_000 - fee(2).bits());
            var capped = rig.refused("transfer", DaemonRig.transfer(payer.address, to.address, "max"));
            assertThat(capped.code()).isEqualTo(-32038);
            var two = rig.refused(
                    "transfer",
                    params(
                            "from",
                            payer.address,
                            "outputs",
                            List.of(
                                    params("to", to.address, "amount", "max"),
                                    params("to", to.address, "amount", 1_000))));
            assertThat(two.code()).isEqualTo(-32602);
            assertThat(two.getMessage()).contains("single output");
            var word = rig.refused("transfer", DaemonRig.transfer(payer.address, to.address, "all"));
            assertThat(word.code()).isEqualTo(-32602);
        }
    }
}
