package org.chainwalletd.spend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.chainwalletd.spend.SpendHarness.get;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Fees;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.spend.plan.FeeChoice;
import org.chainwalletd.spend.plan.Payment;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.spend.plan.SpendException;
import org.chainwalletd.spend.plan.SpendRefusal;
import org.chainwalletd.spend.plan.TransferRequest;
import org.chainwalletd.store.Coin;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransferPropertyTest {
    private static final int ROUNDS = 150;

    @TempDir
    Path folder;

    @Test
    void the_development_node_takes_every_transaction_and_its_numbers_are_exact() {
        Random random = Seeded.random("transfers");
        try (SpendHarness spends = new SpendHarness(folder).start()) {
            Address payer = spends.keys.add(1);
            int made = 0;
            for (int round = 0; round < ROUNDS; round++) {
                if (round % 5 == 0) {
                    spends.fund(payer, random.longs(6, 200, 20_000).toArray());
                }
                TransferRequest request = randomRequest(random, payer, spends.keys.add(2 + random.nextInt(20)));
                try {
                    check(spends, request, get(spends.spending.transfer(request)));
                    made++;
                } catch (SpendException e) {
                    assertThat(e.refusal())
                            .isInstanceOfAny(
                                    SpendRefusal.InsufficientBalance.class,
                                    SpendRefusal.InFlightExhausted.class,
                                    SpendRefusal.FeeTooHigh.class);
                }
                if (random.nextInt(4) == 0) {
                    spends.confirmAll();
                }
            }
            assertThat(made).isGreaterThan(ROUNDS / 4);
        }
    }

    private static TransferRequest randomRequest(Random random, Address payer, Address shop) {
        List<Payment> payments = new ArrayList<>();
        int count = random.nextInt(5) == 0 ? 16 : 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            payments.add(new Payment(
                    random.nextInt(10) == 0 ? payer : shop, Amount.of(200 + random.nextInt(12_000 / count))));
        }
        FeeChoice fee = switch (random.nextInt(3)) {
            case 0 -> FeeChoice.MINIMUM;
            case 1 -> new FeeChoice.Rate(random.nextInt(8));
            default -> new FeeChoice.Fixed(Amount.of(random.nextInt(2_000)));
        };
        Optional<Bytes> datum = random.nextBoolean()
                ? Optional.empty()
                : Optional.of(Bytes.wrap(Seeded.bytes(random, random.nextBoolean() ? 0 : random.nextInt(4_097))));
        Amount maxFee = random.nextInt(5) == 0 ? Amount.of(150) : TransferRequest.DEFAULT_MAX_FEE;
        return new TransferRequest(payer, payments, fee, maxFee, Optional.empty(), datum);
    }

    private static void check(SpendHarness spends, TransferRequest request, Receipt receipt) {
        Transaction tx =
                spends.devnet.ledger().transaction(receipt.txId()).orElseThrow().tx();
        Amount in = receipt.inputs().stream().map(Coin::value).reduce(Amount.ZERO, Amount::plus);
        Amount out = tx.outputs().stream().map(output -> output.value()).reduce(Amount.ZERO, Amount::plus);
        TxShape shape =
                TxShape.ofOutputs(tx.outputs()).plusPlainInputs(tx.inputs().size());
        assertThat(in).isEqualTo(out.plus(receipt.fee()));
        assertThat(receipt.fee()).isBetween(shape.minimumFee(), request.maxFee());
        assertThat(receipt.feeRate()).isEqualTo(Fees.effectiveRate(receipt.fee(), shape.cost()));
        assertThat(receipt.size()).isEqualTo(TransactionCodec.encode(tx).length).isEqualTo(shape.size());
        assertThat(tx.outputs())
                .allSatisfy(output -> assertThat(output.value()).isGreaterThanOrEqualTo(ChainProfile.DUST_THRESHOLD));
        assertThat(Optional.ofNullable(tx.outputs().get(0).datum())).isEqualTo(request.datum());
        assertThat(tx.outputs().stream().skip(1)).allMatch(output -> output.datum() == null);
        for (int i = 0; i < request.payments().size(); i++) {
            Payment payment = request.payments().get(i);
            assertThat(tx.outputs().get(i).address()).contains(payment.to());
            assertThat(tx.outputs().get(i).value()).isEqualTo(payment.amount().orElseThrow());
            assertThat(receipt.outputs().get(i).change()).isFalse();
        }
        assertThat(tx.outputs())
                .hasSizeBetween(request.payments().size(), request.payments().size() + 1);
    }
}
