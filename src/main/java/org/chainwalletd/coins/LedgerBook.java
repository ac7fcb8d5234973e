package org.chainwalletd.coins;

import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.chain.TxOutput;
import org.chainwalletd.follow.Book;
import org.chainwalletd.follow.ChainBlock;
import org.chainwalletd.follow.ChainBlock.ChainTransaction;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.LedgerChange;
import org.chainwalletd.store.books.LedgerTable;
import org.chainwalletd.store.books.OwnCoin;

/** Records payments of blocks to watched addresses, and the spends of their coins. */
public final class LedgerBook implements Book<LedgerTable.View, LedgerChange> {
    private final LedgerTable table = new LedgerTable();

    @Override
    public BookTable<LedgerTable.View, LedgerChange> table() {
        return table;
    }

    @Override
    public List<LedgerChange> connect(ChainBlock block, LedgerTable.View view) {
        List<LedgerChange> changes = new ArrayList<>();
        for (ChainTransaction transaction : block.transactions()) {
            transaction.decoded().ifPresent(tx -> connect(block, transaction, tx, view, changes));
        }
        return changes;
    }

    private static void connect(
            ChainBlock block,
            ChainTransaction transaction,
            Transaction tx,
            LedgerTable.View view,
            List<LedgerChange> changes) {
        if (!transaction.coinbase()) {
            tx.inputs().forEach(input -> changes.add(new LedgerChange.Spent(input, block.height(), transaction.id())));
        }
        for (int i = 0; i < tx.outputs().size(); i++) {
            TxOutput output = tx.outputs().get(i);
            Outpoint outpoint = new Outpoint(transaction.id(), i);
            output.address()
                    .filter(view::isWatched)
                    .map(address ->
                            new OwnCoin(outpoint, address, output.value(), block.height(), transaction.coinbase()))
                    .ifPresent(coin -> changes.add(new LedgerChange.Created(coin)));
        }
    }
}
