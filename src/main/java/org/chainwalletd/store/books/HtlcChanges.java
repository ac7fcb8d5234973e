package org.chainwalletd.store.books;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/**
 * Log of changes in the {@link HtlcTable}'s rows of the head; triggers write it together with any change. It feeds live notifications and is
 * emptied after them; a row that changes twice is in it twice.
 */
public final class HtlcChanges {
    static final List<String> STEP = List.of("""
            CREATE TABLE htlc_changes (
              number INTEGER PRIMARY KEY AUTOINCREMENT,
              tx_id BLOB NOT NULL,
              output_index INTEGER NOT NULL)""", """
            CREATE TRIGGER htlc_inserted AFTER INSERT ON htlcs WHEN NEW.scan = 0 BEGIN
              INSERT INTO htlc_changes (tx_id, output_index) VALUES (NEW.tx_id, NEW.output_index);
            END""", """
            CREATE TRIGGER htlc_updated AFTER UPDATE ON htlcs WHEN NEW.scan = 0 AND (
                NEW.role IS NOT OLD.role OR NEW.lock_height IS NOT OLD.lock_height OR NEW.expired IS NOT OLD.expired
                OR NEW.lost IS NOT OLD.lost OR NEW.claim_tx IS NOT OLD.claim_tx
                OR NEW.claim_height IS NOT OLD.claim_height OR NEW.reclaim_tx IS NOT OLD.reclaim_tx
                OR NEW.reclaim_height IS NOT OLD.reclaim_height) BEGIN
              INSERT INTO htlc_changes (tx_id, output_index) VALUES (NEW.tx_id, NEW.output_index);
            END""", """
            CREATE TRIGGER htlc_deleted AFTER DELETE ON htlcs WHEN OLD.scan = 0 BEGIN
              INSERT INTO htlc_changes (tx_id, output_index) VALUES (OLD.tx_id, OLD.output_index);
            END""");

    private HtlcChanges() {}

    /**
     * An entry of the log.
     *
     * @param row as it is now; empty when it does not exist any more
     */
    public record Change(long number, Outpoint outpoint, Optional<HtlcRow> row) {}

    /** Returns the number of the last entry; 0 when there was none. */
    public static long last(Page page) {
        return page.queryOne("SELECT seq FROM sqlite_sequence WHERE name = 'htlc_changes'", row -> row.getLong(1))
                .orElse(0L);
    }

    /** Lists entries after {@code number}, in order. */
    public static List<Change> after(Page page, long number, int limit) {
        return page
                .query(
                        "SELECT number, tx_id, output_index FROM htlc_changes WHERE number > ? ORDER BY number LIMIT ?",
                        row -> new Change(
                                row.getLong(1),
                                new Outpoint(Hash256.of(row.getBytes(2)), row.getLong(3)),
                                Optional.empty()),
                        number,
                        limit)
                .stream()
                .map(change -> new Change(change.number(), change.outpoint(), HtlcRows.find(page, change.outpoint())))
                .toList();
    }

    /** Forgets the entries up to {@code number}. */
    public static void drop(Page page, long number) {
        page.update("DELETE FROM htlc_changes WHERE number <= ?", number);
    }
}
