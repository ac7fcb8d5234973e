package org.chainwalletd.htlc;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.HtlcScript;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.HtlcWitness.HtlcSpend;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.follow.Book;
import org.chainwalletd.follow.ChainBlock;
import org.chainwalletd.follow.ChainBlock.ChainTransaction;
import org.chainwalletd.store.books.htlc.HtlcTable;
import org.chainwalletd.store.books.htlc.HtlcTable.Change;
import org.chainwalletd.store.books.htlc.HtlcTable.View;

/**
 * Book of HTLCs in which a key of this daemon is a party (decisions.md, section 3): locks with or without datum, any number per transaction, claims
 * with preimages of any length, both encodings of the selectors, redeemers.
 */
public record HtlcBook(ChainProfile profile, HtlcTable table) implements Book<View, Change> {
    @Override
    public List<Change> connect(ChainBlock block, View view) {
        List<Change> changes = new ArrayList<>();
        Set<Outpoint> locked = new HashSet<>();
        for (ChainTransaction transaction : block.transactions()) {
            if (transaction.decoded().isEmpty()) {
                continue;
            }
            Transaction tx = transaction.decoded().get();
            if (!transaction.coinbase()) {
                spends(transaction, tx, block.height(), outpoint -> locked.contains(outpoint) || view.has(outpoint))
                        .forEach(changes::add);
            }
            for (HtlcTable.Locked lock : locks(transaction.id(), tx, block.height(), view)) {
                changes.add(lock);
                locked.add(lock.outpoint());
            }
        }
        changes.add(new HtlcTable.Passed(block.height()));
        return changes;
    }

    /** Returns the spends of known HTLCs. A witness that no valid HTLC spend can have is not looked up, so plain payments cost nothing here. */
    private static List<Change> spends(
            ChainTransaction transaction, Transaction tx, long height, Predicate<Outpoint> known) {
        List<Change> spends = new ArrayList<>();
        for (int i = 0; i < tx.inputs().size(); i++) {
            Outpoint outpoint = tx.inputs().get(i);
            Optional<HtlcSpend> spend = HtlcWitness.classify(tx.witnesses().get(i));
            if (spend.isPresent() && known.test(outpoint)) {
                spends.add(
                        spend.get() instanceof HtlcSpend.Claim claim
                                ? new HtlcTable.Claimed(outpoint, transaction.id(), i, claim.preimage(), height)
                                : new HtlcTable.Reclaimed(outpoint, transaction.id(), i, height));
            }
        }
        return spends;
    }

    /**
     * Returns the locks among the outputs of a transaction that have a key of this daemon as a party.
     *
     * @param height of its block, or {@link HtlcTable#NOWHERE}
     */
    List<HtlcTable.Locked> locks(Hash256 txId, Transaction tx, long height, View view) {
        List<HtlcTable.Locked> locks = new ArrayList<>();
        for (int i = 0; i < tx.outputs().size(); i++) {
            TxOutput output = tx.outputs().get(i);
            Outpoint outpoint = new Outpoint(txId, i);
            HtlcScript.recognise(output.script())
                    .flatMap(params -> lock(outpoint, params, output, height, view))
                    .ifPresent(locks::add);
        }
        return locks;
    }

    private Optional<HtlcTable.Locked> lock(
            Outpoint outpoint, HtlcParams params, TxOutput output, long height, View view) {
        Address sender = profile.addressOf(params.sender());
        Address receiver = profile.addressOf(params.receiver());
        int role =
                (view.isWatched(sender) ? HtlcTable.SENDER : 0) | (view.isWatched(receiver) ? HtlcTable.RECEIVER : 0);
        return role == 0
                ? Optional.empty()
                : Optional.of(new HtlcTable.Locked(outpoint, params, sender, receiver, output.value(), role, height));
    }
}
