package org.chainwalletd.store.books;

import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Outpoint;

/**
 * Outpoints spent in blocks with our keys or from our HTLCs: a single look-up finds whether a payment is in a block, or whether another transaction
 * has spent its coin.
 */
public final class SpendingTable implements BookTable<SpendingTable.View, Spending> {
    private static final List<String> FIRST =
            List.of("""
            CREATE TABLE spendings (
              scan INTEGER NOT NULL,
              tx_id BLOB NOT NULL,
              output_index INTEGER NOT NULL,
              spent_by BLOB NOT NULL,
              height INTEGER NOT NULL,
              block BLOB NOT NULL,
              PRIMARY KEY (scan, tx_id, output_index)) WITHOUT ROWID""", "CREATE INDEX spendings_by_height ON spendings (scan, height)");

    /**
     * Data that the book needs while it reads a block.
     *
     * @param isOurs whether an address belongs to one of our keys
     * @param isHtlc whether an outpoint is one of our HTLCs
     */
    public record View(Predicate<Address> isOurs, Predicate<Outpoint> isHtlc) {}

    private final Function<Page, View> lookUp;

    /**
     * Creates the book.
     *
     * @param lookUp reads the tables of other books, which are updated for a block before this one
     */
    public SpendingTable(Function<Page, View> lookUp) {
        this.lookUp = lookUp;
    }

    @Override
    public String name() {
        return "spendings";
    }

    @Override
    public List<List<String>> steps() {
        return List.of(FIRST, ShortKeys.SPENDINGS);
    }

    @Override
    public View view(Page page) {
        return lookUp.apply(page);
    }

    @Override
    public void write(Page page, Spending spending) {
        page.update(
                "DELETE FROM spendings INDEXED BY spendings_by_outpoint WHERE substr(tx_id, 1, 6) = substr(?1, 1, 6) AND tx_id = ?1 AND output_index = ?2"
                        + " AND scan = ?3",
                spending.outpoint(),
                page.scan());
        page.update(
                "INSERT INTO spendings (scan, tx_id, output_index, spent_by, height, block) VALUES (?, ?, ?, ?, ?, ?)",
                page.scan(),
                spending.outpoint(),
                spending.by(),
                spending.place());
    }

    @Override
    public void undo(Page page, long height) {
        page.update("DELETE FROM spendings WHERE scan = ? AND height > ?", page.scan(), height);
    }

    @Override
    public void join(Page page) {
        page.update(
                "DELETE FROM spendings WHERE id IN (SELECT old.id FROM spendings s INDEXED BY spendings_by_height CROSS JOIN spendings old INDEXED BY spendings_by_outpoint"
                        + " WHERE s.scan = ? AND substr(old.tx_id, 1, 6) = substr(s.tx_id, 1, 6)"
                        + " AND old.tx_id = s.tx_id AND old.output_index = s.output_index AND old.scan = " + Page.HEAD
                        + ")",
                page.scan());
        page.update("UPDATE spendings SET scan = " + Page.HEAD + " WHERE scan = ?", page.scan());
    }

    @Override
    public void drop(Page page) {
        page.update("DELETE FROM spendings WHERE scan = ?", page.scan());
    }
}
