package org.chainwalletd.devnet.ledger;

import java.math.BigInteger;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Reward;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.crypto.SigningKey;

/**
 * Pays from the miner's coins with ordinary transactions. Never builds on unconfirmed outputs: when the mature coins that no pending
 * payment uses are too few, it mines.
 */
public final class Faucet {
    /** Maximum inputs of one payment; with coinbases alone about 100,000 coins. */
    static final int MAX_INPUTS = 1_000;

    /** Coins to look at first, enough for ordinary payments: the miner of a long chain owns a coin per block. */
    private static final int FEW_COINS = 256;

    private static final Comparator<Coin> BY_VALUE =
            Comparator.comparing((Coin coin) -> coin.output().value()).thenComparing(Coin::outpoint);

    private final Ledger ledger;
    private final Miner miner;
    private final Purse purse;

    public Faucet(Ledger ledger, Miner miner, SigningKey key) {
        this.ledger = ledger;
        this.miner = miner;
        this.purse = new Purse(ledger, key);
    }

    /**
     * Submits a payment of {@code amount} to {@code to}; the next block confirms it.
     *
     * @return the transaction id
     * @throws RejectedException for dust, and for more than one payment can carry
     */
    public synchronized Hash256 pay(Address to, Amount amount) {
        if (amount.isLessThan(ChainProfile.DUST_THRESHOLD)) {
            throw new RejectedException("amount must be at least " + ChainProfile.DUST_THRESHOLD);
        }
        Amount most = Reward.at(ledger.tip().height() + 1);
        Amount limit = Amount.of(most.toBigInteger().multiply(BigInteger.valueOf(MAX_INPUTS - 100)));
        if (limit.isLessThan(amount)) {
            throw new RejectedException("amount must be at most " + limit + " in one payment");
        }
        while (true) {
            Hash256 tip = ledger.tip().id();
            Optional<Transaction> payment = build(to, amount, FEW_COINS).or(() -> build(to, amount, Integer.MAX_VALUE));
            if (payment.isEmpty()) {
                miner.mine(1);
                continue;
            }
            try {
                Hash256 txId = ledger.submit(payment.get());
                ledger.prefer(txId);
                return txId;
            } catch (RejectedException e) {
                if (ledger.tip().id().equals(tip)) {
                    throw e;
                }
                // A reorganisation may have removed a coin since it was selected.
            }
        }
    }

    /** A signed payment, or empty when the first {@code most} free mature coins do not suffice. */
    private Optional<Transaction> build(Address to, Amount amount, int most) {
        List<Coin> candidates = candidates(amount, most);
        return purse.payment(
                List.of(TxOutput.toAddress(to, amount)),
                candidates.subList(0, Math.min(MAX_INPUTS, candidates.size())));
    }

    /** Free coins: the smallest that covers the payment alone, or else all with the largest first. */
    private List<Coin> candidates(Amount amount, int most) {
        List<Coin> free = purse.free(most);
        Amount comfortable = amount.plus(Amount.of(10_000));
        Optional<Coin> single = free.stream()
                .filter(coin -> !coin.output().value().isLessThan(comfortable))
                .min(BY_VALUE);
        return single.map(List::of)
                .orElseGet(() -> free.stream().sorted(BY_VALUE.reversed()).toList());
    }
}
