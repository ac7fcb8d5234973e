package org.chainwalletd.store.books.htlc;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.books.Page;

/**
 * Log of changes in the {@link HtlcTable}'s rows of the head; triggers write to it in the transaction of the change. It feeds live notifications,
 * after which its entries are deleted. A row that changes twice has two entries.
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

    /** The triggers of {@link #STEP} in PostgreSQL's dialect. */
    static final List<String> ON_SERVER = List.of(
            """
            CREATE FUNCTION htlc_changed() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              INSERT INTO htlc_changes (tx_id, output_index)
                VALUES (coalesce(NEW.tx_id, OLD.tx_id), coalesce(NEW.output_index, OLD.output_index));
              RETURN NULL;
            END $$""",
            "CREATE TRIGGER htlc_inserted AFTER INSERT ON htlcs FOR EACH ROW WHEN (NEW.scan = 0) EXECUTE FUNCTION htlc_changed()",
            """
            CREATE TRIGGER htlc_updated AFTER UPDATE ON htlcs FOR EACH ROW WHEN (NEW.scan = 0 AND
                (NEW.role, NEW.lock_height, NEW.expired, NEW.lost, NEW.claim_tx, NEW.claim_height, NEW.reclaim_tx, NEW.reclaim_height)
                IS DISTINCT FROM
                (OLD.role, OLD.lock_height, OLD.expired, OLD.lost, OLD.claim_tx, OLD.claim_height, OLD.reclaim_tx, OLD.reclaim_height))
              EXECUTE FUNCTION htlc_changed()""",
            "CREATE TRIGGER htlc_deleted AFTER DELETE ON htlcs FOR EACH ROW WHEN (OLD.scan = 0) EXECUTE FUNCTION htlc_changed()");

    /** Number of entries kept when other daemons read the log too. */
    static final long KEPT = 10_000;

    private HtlcChanges() {}

    /**
     * An entry of the log.
     *
     * @param row in its present state; empty when it no longer exists
     */
    public record Change(long number, Outpoint outpoint, Optional<HtlcRow> row) {}

    public static long last(Page page) {
        return page.number("SELECT COALESCE(MAX(number), 0) FROM htlc_changes");
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

    /** Deletes the entries up to {@code number}, except the last {@value #KEPT} of them when other daemons read the log too. */
    public static void drop(Page page, long number) {
        page.update("DELETE FROM htlc_changes WHERE number <= ?", page.session().isShared() ? number - KEPT : number);
    }
}
