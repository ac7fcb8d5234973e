package org.chainwalletd.devnet.ledger;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TransactionCodec;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.TxShape;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.crypto.SigningKey;

/** A key and its plain coins on the development chain. */
public final class Purse {
    private final Ledger ledger;
    private final SigningKey key;
    private final PublicKey publicKey;
    private final Address address;

    /** @param key stays the caller's */
    public Purse(Ledger ledger, SigningKey key) {
        this.ledger = ledger;
        this.key = key;
        this.publicKey = PublicKey.of(key.publicKey());
        this.address = ledger.profile().addressOf(publicKey);
    }

    public PublicKey publicKey() {
        return publicKey;
    }

    public Address address() {
        return address;
    }

    /** The first {@code most} mature coins that no unconfirmed transaction spends. */
    public List<Coin> free(int most) {
        return ledger.free(Bytes.wrap(address.toArray()), most);
    }

    /** A signed payment of {@code outputs} with change, from the first of {@code coins}; empty when they do not suffice. */
    public Optional<Transaction> payment(List<TxOutput> outputs, List<Coin> coins) {
        Amount wanted = outputs.stream().map(TxOutput::value).reduce(Amount.ZERO, Amount::plus);
        TxShape shape = TxShape.ofOutputs(outputs).plusPlainOutputs(1);
        Amount total = Amount.ZERO;
        for (int count = 1; count <= coins.size(); count++) {
            total = total.plus(coins.get(count - 1).output().value());
            shape = shape.plusPlainInputs(1);
            Amount needed = wanted.plus(shape.minimumFee());
            if (!total.isLessThan(needed.plus(ChainProfile.DUST_THRESHOLD))) {
                List<TxOutput> all = new ArrayList<>(outputs);
                all.add(TxOutput.toAddress(address, total.minus(needed)));
                Transaction open = Transaction.unsigned(
                        coins.subList(0, count).stream().map(Coin::outpoint).toList(), all);
                Witness witness = Witness.plain(publicKey, sign(open));
                return Optional.of(open.withWitnesses(Collections.nCopies(count, witness)));
            }
        }
        return Optional.empty();
    }

    public byte[] sign(Transaction open) {
        return key.sign(TransactionCodec.signingMessage(ledger.profile(), ledger.genesisId(), open));
    }
}
