package org.chainwalletd.spend;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.spend.plan.Receipt;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.Intent;
import org.chainwalletd.store.RawSendStore;
import org.chainwalletd.store.ReceiptStore.Bound;
import org.chainwalletd.store.SpendHistory.Amounts;
import org.chainwalletd.store.SpendHistory.PastSpend;
import org.chainwalletd.store.SpendHistory.Told;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * View of a stored spend for lists. The contents of a witness are never read: sealed bytes stay sealed.
 *
 * @param from empty when no record of it is left
 * @param outputs empty when only sums are left, and for a raw transaction with too many outputs
 * @param outputCount number of outputs, where known
 */
public record OwnPayment(
        PastSpend spend,
        Optional<Address> from,
        Optional<List<Receipt.PaidOutput>> outputs,
        OptionalInt outputCount,
        Amounts amounts) {
    private static final Logger LOG = LoggerFactory.getLogger(OwnPayment.class);

    /** Creates the view; a spend that cannot be decoded is shown without its outputs. */
    public static OwnPayment of(PastSpend spend) {
        return spend.kind().equals(RawSendStore.KIND) ? ofRaw(spend) : ofOwn(spend);
    }

    private static OwnPayment ofRaw(PastSpend spend) {
        Optional<RawContent> content = RawSends.content(spend);
        return new OwnPayment(
                spend,
                spend.from(),
                content.flatMap(RawContent::outputs)
                        .map(outputs -> outputs.stream()
                                .map(output ->
                                        new Receipt.PaidOutput(output, RawContent.isChange(output, spend.from())))
                                .toList()),
                content.map(raw -> OptionalInt.of(raw.outputCount())).orElse(OptionalInt.empty()),
                new Amounts(content.flatMap(RawContent::paid), Optional.empty()));
    }

    private static OwnPayment ofOwn(PastSpend spend) {
        Optional<Receipt> receipt = receipt(spend);
        if (receipt.isEmpty()) {
            Amounts amounts = spend.told() instanceof Told.Sums sums
                    ? sums.amounts()
                    : new Amounts(Optional.empty(), spend.details().fee());
            return new OwnPayment(spend, spend.from(), Optional.empty(), OptionalInt.empty(), amounts);
        }
        List<Receipt.PaidOutput> outputs = receipt.get().outputs();
        Optional<Address> change = outputs.stream()
                .filter(Receipt.PaidOutput::change)
                .findFirst()
                .flatMap(paid -> paid.output().address());
        return new OwnPayment(
                spend,
                spend.from().or(() -> change),
                Optional.of(outputs),
                OptionalInt.of(outputs.size()),
                new Amounts(
                        Optional.of(paid(outputs)), Optional.of(receipt.get().fee())));
    }

    private static Amount paid(List<Receipt.PaidOutput> outputs) {
        return outputs.stream()
                .filter(output -> !output.change())
                .map(output -> output.output().value())
                .reduce(Amount.ZERO, Amount::plus);
    }

    private static Optional<Receipt> receipt(PastSpend spend) {
        try {
            if (spend.told() instanceof Told.Whole whole) {
                return receipt(whole.intent());
            }
            return spend.told() instanceof Told.Answer kept
                    ? Optional.of(KeptAnswer.read(new Bound.ToReceipt(spend.txId(), Hash256.ZERO, kept.answer())))
                    : Optional.empty();
        } catch (RuntimeException e) {
            LOG.warn("spend {} cannot be decoded, and is listed without its outputs", spend.txId(), e);
            return Optional.empty();
        }
    }

    /**
     * Builds the receipt of an intent. For a claim with sealed bytes it is derived from the fee: such a claim pays one coin to the address
     * that it spends from.
     */
    private static Optional<Receipt> receipt(Intent intent) {
        if (!intent.isSealed()) {
            return Optional.of(Receipt.of(intent));
        }
        return intent.details().fee().map(fee -> {
            Amount spent = intent.inputs().stream().map(Coin::value).reduce(Amount.ZERO, Amount::plus);
            TxOutput output = TxOutput.toAddress(intent.from(), spent.minus(fee));
            return new Receipt(
                    intent.txId(),
                    0,
                    fee,
                    0,
                    intent.inputs(),
                    List.of(new Receipt.PaidOutput(output, false)),
                    intent.builtAtHeight());
        });
    }

    /** Encodes the record kept of a spend whose token has expired: no signature and no secret. */
    public static Optional<Bytes> kept(Intent intent) {
        try {
            return receipt(intent).map(KeptAnswer::of);
        } catch (RuntimeException e) {
            LOG.error("spend {} cannot be decoded, and only its id is kept", intent.txId(), e);
            return Optional.empty();
        }
    }
}
