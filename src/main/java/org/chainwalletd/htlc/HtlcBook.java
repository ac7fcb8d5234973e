package org.chainwalletd.htlc;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.HtlcSpend;
import org.chainwalletd.chain.HtlcWitness;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.follow.Book;
import org.chainwalletd.follow.ChainBlock;
import org.chainwalletd.follow.ChainTransaction;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.HtlcTable;
import org.chainwalletd.store.books.HtlcTable.Change;
import org.chainwalletd.store.books.HtlcTable.View;

/**
 * The book of HTLCs in which a key of this daemon is a party (decisions.md, section 3): locks with or without datum, any number in a
 * transaction, claims with preimages of any length, both encodings of the selectors, redeemers.
 */
public final class HtlcBook implements Book<View, Change> {
    private final HtlcParties parties;
    private final HtlcTable table = new HtlcTable();

    public HtlcBook(HtlcParties parties) {
        this.parties = parties;
    }

    @Override
    public BookTable<View, Change> table() {
        return table;
    }

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
            for (HtlcTable.Locked lock : parties.locks(transaction.id(), tx, block.height())) {
                changes.add(lock);
                locked.add(lock.outpoint());
            }
        }
        changes.add(new HtlcTable.Passed(block.height()));
        return changes;
    }

    /** A witness that no valid spend of an HTLC can have is not looked up: so plain payments cost nothing here. */
    private static List<Change> spends(ChainTransaction transaction, Transaction tx, long height, View known) {
        List<Change> spends = new ArrayList<>();
        for (int i = 0; i < tx.inputs().size(); i++) {
            Outpoint outpoint = tx.inputs().get(i);
            Optional<HtlcSpend> spend = HtlcWitness.classify(tx.witnesses().get(i));
            if (spend.isPresent() && known.has(outpoint)) {
                spends.add(
                        spend.get() instanceof HtlcSpend.Claim claim
                                ? new HtlcTable.Claimed(outpoint, transaction.id(), i, claim.preimage(), height)
                                : new HtlcTable.Reclaimed(outpoint, transaction.id(), i, height));
            }
        }
        return spends;
    }
}
