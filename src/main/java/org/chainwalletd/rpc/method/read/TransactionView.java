package org.chainwalletd.rpc.method.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.chain.Witness;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.MaybeAbsent;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.U32;

/**
 * A transaction with its inputs resolved as far as possible (interface.md, section 2.5).
 *
 * @param blockId null while in the mempool
 * @param blockHeight null while in the mempool
 * @param totalIn null when an input could not be resolved
 * @param fee null together with totalIn
 */
record TransactionView(
        Hash256 txId,
        Bytes txHex,
        boolean inMempool,
        @OrNull Hash256 blockId,
        @OrNull Long blockHeight,
        List<Input> inputs,
        List<Output> outputs,
        Amount totalOut,

        @Doc("Absent when an input could not be resolved") @MaybeAbsent
        Amount totalIn,

        @Doc("Absent together with total_in") @MaybeAbsent Amount fee,
        @Doc("Bytes") long size) {
    /**
     * @param address from the key in the witness, else from the spent output; null for a script and when neither tells
     * @param scriptHex of the spent output when that is no address; null otherwise and when unresolved
     * @param value null when unresolved
     * @param witness null when it is empty
     */
    record Input(
            Hash256 prevTxId,
            @U32 long outputIndex,
            @MaybeAbsent Address address,
            @MaybeAbsent Bytes scriptHex,
            @MaybeAbsent Amount value,
            @MaybeAbsent WitnessView witness) {}

    /** A plain witness as key and signature, any other as hex. */
    record WitnessView(
            @MaybeAbsent PublicKey pubkey,
            @MaybeAbsent Bytes signature,
            @MaybeAbsent Bytes witnessHex,
            @MaybeAbsent Bytes redeemerHex) {}

    /** Either an address or a script. */
    record Output(
            @MaybeAbsent Address address,
            @MaybeAbsent Bytes scriptHex,
            Amount value,
            @MaybeAbsent Bytes datum,
            @MaybeAbsent Hash256 datumHash) {}

    /**
     * @param parents outputs by what spends them; incomplete when a parent could not be had
     */
    static TransactionView of(
            ChainProfile profile, NodeClient.NodeTransaction source, Transaction tx, Map<Outpoint, TxOutput> parents) {
        List<Input> inputs = new ArrayList<>();
        for (int i = 0; i < tx.inputs().size(); i++) {
            Outpoint outpoint = tx.inputs().get(i);
            inputs.add(input(profile, outpoint, tx.witnesses().get(i), parents.get(outpoint)));
        }
        Amount totalOut = total(tx.outputs().stream().map(TxOutput::value).toList());
        if (totalOut == null) {
            throw new NodeException.BadAnswer("node answered get_transaction with outputs above 2^64-1 in all");
        }
        Amount totalIn = total(inputs.stream().map(Input::value).toList());
        boolean priced = totalIn != null && !totalIn.isLessThan(totalOut);
        return new TransactionView(
                source.txId(),
                source.bytes(),
                source.inMempool(),
                source.blockId(),
                source.blockHeight(),
                inputs,
                tx.outputs().stream().map(TransactionView::output).toList(),
                totalOut,
                priced ? totalIn : null,
                priced ? totalIn.minus(totalOut) : null,
                source.bytes().length());
    }

    private static Input input(ChainProfile profile, Outpoint outpoint, Witness witness, TxOutput parent) {
        boolean script = parent != null && !parent.isPlain();
        boolean keyed = !script && witness.redeemer() == null && witness.data().length() == Witness.PLAIN_LENGTH;
        PublicKey key = keyed ? PublicKey.of(witness.data().slice(0, PublicKey.LENGTH)) : null;
        Address ofParent = parent == null ? null : parent.address().orElse(null);
        return new Input(
                outpoint.txId(),
                outpoint.index(),
                keyed ? profile.addressOf(key) : ofParent,
                script ? parent.script() : null,
                parent == null ? null : parent.value(),
                keyed
                        ? new WitnessView(
                                key,
                                Bytes.wrap(witness.data().slice(PublicKey.LENGTH, Witness.PLAIN_LENGTH)),
                                null,
                                null)
                        : raw(witness));
    }

    private static WitnessView raw(Witness witness) {
        return witness.data().isEmpty() && witness.redeemer() == null
                ? null
                : new WitnessView(null, null, witness.data(), witness.redeemer());
    }

    private static Output output(TxOutput output) {
        return new Output(
                output.address().orElse(null),
                output.isPlain() ? null : output.script(),
                output.value(),
                output.datum(),
                output.datumHash());
    }

    /** Null when a value is missing or the sum is above 2^64-1. */
    private static Amount total(List<Amount> values) {
        Amount total = Amount.ZERO;
        for (Amount value : values) {
            if (value == null) {
                return null;
            }
            try {
                total = total.plus(value);
            } catch (ArithmeticException e) {
                return null;
            }
        }
        return total;
    }
}
