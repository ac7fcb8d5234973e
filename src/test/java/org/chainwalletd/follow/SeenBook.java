package org.chainwalletd.follow;

import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.store.books.BookTable;
import org.chainwalletd.store.books.SeenTable;

/** Records every transaction, and how many there were before its block. */
final class SeenBook implements Book<SeenTable.View, SeenTable.Seen> {
    private final SeenTable table = new SeenTable();

    @Override
    public BookTable<SeenTable.View, SeenTable.Seen> table() {
        return table;
    }

    @Override
    public List<SeenTable.Seen> connect(ChainBlock block, SeenTable.View view) {
        long before = view.count();
        List<SeenTable.Seen> seen = new ArrayList<>();
        block.transactions().forEach(tx -> seen.add(new SeenTable.Seen(tx.id(), block.height(), before)));
        return seen;
    }
}
