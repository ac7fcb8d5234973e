package org.chainwalletd.devnet.pool;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.crypto.SigningKey;
import org.chainwalletd.devnet.ledger.Ledger;
import org.chainwalletd.devnet.ledger.LedgerView;
import org.chainwalletd.devnet.ledger.Purse;
import org.chainwalletd.devnet.ledger.RejectedException;

/** A key and its coins on the development chain: pays, locks, claims, refunds. The pool's side, and in tests a user's. */
public final class ChainLeg {
    private static final int MOST_COINS = 200;
    private static final int SECRET_LENGTH = 32;

    private final Ledger ledger;
    private final Purse purse;

    /** @param key stays the caller's */
    public ChainLeg(Ledger ledger, SigningKey key) {
        this.ledger = ledger;
        this.purse = new Purse(ledger, key);
    }

    public PublicKey publicKey() {
        return purse.publicKey();
    }

    public Address address() {
        return purse.address();
    }

    public long height() {
        return ledger.tip().height();
    }

    /** Amount that can be locked now. */
    public Amount free() {
        return purse.free(MOST_COINS).stream()
                .map(coin -> coin.output().value())
                .reduce(Amount.ZERO, Amount::plus);
    }

    /** A signed payment of {@code outputs} with change to this key; does not send it. */
    public Optional<Transaction> payment(List<TxOutput> outputs) {
        return purse.payment(outputs, purse.free(MOST_COINS));
    }

    public TxOutput lockOutput(HtlcParams params, BigInteger units) {
        return TxOutput.toScript(HtlcScript.build(params), Amount.of(units));
    }

    /** Claims an HTLC that pays this key, with its preimage. */
    public Transaction claim(Outpoint lock, BigInteger value, Bytes preimage) {
        Transaction open = sweep(lock, value, TxShape.EMPTY.plusClaim(SECRET_LENGTH));
        return open.withWitnesses(List.of(HtlcWitness.claim(preimage.toArray(), purse.sign(open))));
    }

    /** Refunds an HTLC of this key; valid in blocks above its timeout. */
    public Transaction reclaim(Outpoint lock, BigInteger value) {
        Transaction open = sweep(lock, value, TxShape.EMPTY.plusReclaim());
        return open.withWitnesses(List.of(HtlcWitness.reclaim(purse.sign(open))));
    }

    private Transaction sweep(Outpoint lock, BigInteger value, TxShape input) {
        Amount fee = input.plusPlainOutputs(1).minimumFee();
        return Transaction.unsigned(
                List.of(lock),
                List.of(TxOutput.toAddress(address(), Amount.of(value).minus(fee))));
    }

    /** Submits or resubmits; returns whether the ledger has the transaction now. */
    public boolean submit(Transaction tx) {
        Hash256 id = id(tx);
        if (ledger.transaction(id).isPresent()) {
            return true;
        }
        try {
            ledger.submit(tx);
            return true;
        } catch (RejectedException e) {
            return ledger.transaction(id).isPresent();
        }
    }

    public Hash256 id(Transaction tx) {
        return TransactionCodec.txId(ledger.profile(), tx);
    }

    /** Confirmations of a transaction, its own block counted; 0 while unconfirmed. */
    public long depth(Hash256 txId) {
        return ledger.transaction(txId)
                .filter(located -> located.blockId() != null)
                .map(located -> ledger.tip().height() - located.height() + 1)
                .orElse(0L);
    }

    /** An HTLC that this key can claim. */
    public record Lock(Outpoint outpoint, HtlcParams params, BigInteger value) {}

    /** The first output of a transaction that pays this key under {@code hashLock}, with nothing that a claim would have to supply. */
    public Optional<Lock> lockIn(Hash256 txId, Hash256 hashLock) {
        Optional<Transaction> tx = ledger.transaction(txId).map(LedgerView.Located::tx);
        if (tx.isEmpty()) {
            return Optional.empty();
        }
        List<TxOutput> outputs = tx.get().outputs();
        for (int i = 0; i < outputs.size(); i++) {
            TxOutput output = outputs.get(i);
            Optional<HtlcParams> params = HtlcScript.recognise(output.script())
                    .filter(found -> found.hashLock().equals(hashLock)
                            && found.receiver().equals(publicKey()));
            if (params.isPresent() && output.datumHash() == null) {
                return Optional.of(new Lock(
                        new Outpoint(txId, i), params.get(), output.value().toBigInteger()));
            }
        }
        return Optional.empty();
    }

    /** A transaction that spends an HTLC, confirmed or waiting, with what its witness shows. */
    public record Spend(Hash256 txId, HtlcSpend shown) {}

    public Optional<Spend> spendOf(Outpoint lock, Bytes script) {
        Optional<Spend> confirmed = ledger.spentBy(lock)
                .flatMap(spent -> ledger.transaction(spent.txId()).flatMap(tx -> spend(spent.txId(), tx.tx(), lock)));
        return confirmed.or(() -> ledger.pendingOf(script).transactions().stream()
                .flatMap(pending -> spend(pending.txId(), pending.tx(), lock).stream())
                .findFirst());
    }

    private static Optional<Spend> spend(Hash256 txId, Transaction tx, Outpoint lock) {
        int index = tx.inputs().indexOf(lock);
        return index < 0
                ? Optional.empty()
                : HtlcWitness.classify(tx.witnesses().get(index)).map(shown -> new Spend(txId, shown));
    }
}
