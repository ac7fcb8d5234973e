package org.chainwalletd.store.books;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;

/**
 * The rows of the feed of credits. A credit is never deleted when its block goes: it is marked, and the log gets an entry. The log is
 * append-only; its numbers are never used twice.
 *
 * <p>Entries of the log: a credit was connected with the tip, found by a rescan in an older block, removed with its block; or the chain was
 * undone to a height, which says which heights are told anew.
 */
public final class CreditTable implements BookTable<Predicate<Address>, Credit> {
    static final int CONNECTED = 1;
    static final int LATE = 2;
    static final int REMOVED = 3;
    static final int UNDONE = 4;

    static final String COLUMNS =
            "c.tx, c.output, c.address, c.amount, c.height, c.block, c.position, c.own, c.change, c.coinbase, c.datum";

    private static final List<List<String>> STEPS = List.of(List.of(
            """
            CREATE TABLE credits (
              id INTEGER PRIMARY KEY,
              scan INTEGER NOT NULL,
              active INTEGER NOT NULL,
              tx BLOB NOT NULL,
              output INTEGER NOT NULL,
              address BLOB NOT NULL,
              amount INTEGER NOT NULL,
              height INTEGER NOT NULL,
              block BLOB NOT NULL,
              position INTEGER NOT NULL,
              own INTEGER NOT NULL,
              change INTEGER NOT NULL,
              coinbase INTEGER NOT NULL,
              datum BLOB,
              UNIQUE (block, position, scan))""",
            "CREATE INDEX credits_by_height ON credits (scan, active, height, position)",
            "CREATE INDEX credits_by_address ON credits (address, scan, active, height, position)",
            """
            CREATE TABLE credit_log (
              number INTEGER PRIMARY KEY AUTOINCREMENT,
              entry INTEGER NOT NULL,
              credit INTEGER,
              address BLOB,
              height INTEGER NOT NULL)""",
            "CREATE INDEX credit_log_by_address ON credit_log (address, number)",
            "CREATE INDEX credit_log_by_credit ON credit_log (credit, number)",
            "CREATE TABLE credit_facts (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
            "INSERT INTO credit_facts (name, value) VALUES ('store', lower(hex(randomblob(8))))"));

    private final Function<Page, Predicate<Address>> owned;

    /**
     * @param owned tells in a page which addresses are ours
     */
    public CreditTable(Function<Page, Predicate<Address>> owned) {
        this.owned = owned;
    }

    @Override
    public String name() {
        return "credits";
    }

    @Override
    public List<List<String>> steps() {
        return STEPS;
    }

    @Override
    public Predicate<Address> view(Page page) {
        return owned.apply(page);
    }

    @Override
    public void write(Page page, Credit credit) {
        enter(page, credit, CONNECTED);
    }

    /** A block that comes back brings back its credits as they were. */
    private static void enter(Page page, Credit credit, int entry) {
        Optional<long[]> known = page.queryOne(
                "SELECT id, active FROM credits WHERE block = ? AND position = ? AND scan = ?",
                row -> new long[] {row.getLong(1), row.getLong(2)},
                credit.block().blockId().toArray(),
                credit.position(),
                page.scan());
        if (known.isPresent() && known.get()[1] != 0) {
            return;
        }
        if (known.isPresent()) {
            page.update("UPDATE credits SET active = 1 WHERE id = ?", known.get()[0]);
        } else {
            insert(page, credit);
        }
        if (page.isHead()) {
            page.update(
                    "INSERT INTO credit_log (entry, credit, address, height) "
                            + "SELECT ?, id, address, height FROM credits WHERE block = ? AND position = ? AND scan = ?",
                    entry,
                    credit.block().blockId().toArray(),
                    credit.position(),
                    page.scan());
        }
    }

    private static void insert(Page page, Credit credit) {
        page.update(
                "INSERT INTO credits (scan, active, tx, output, address, amount, height, block, position, own, change, coinbase, datum) "
                        + "VALUES (?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                page.scan(),
                credit.outpoint().txId().toArray(),
                credit.outpoint().index(),
                credit.address().toArray(),
                credit.amount().bits(),
                credit.block().height(),
                credit.block().blockId().toArray(),
                credit.position(),
                credit.own() ? 1 : 0,
                credit.change() ? 1 : 0,
                credit.coinbase() ? 1 : 0,
                credit.datum().map(Bytes::toArray).orElse(null));
    }

    /** Told backwards: the last credit goes first. */
    @Override
    public void undo(Page page, long height) {
        if (!page.isHead()) {
            page.update("DELETE FROM credits WHERE scan = ? AND height > ?", page.scan(), height);
            return;
        }
        page.update(
                "INSERT INTO credit_log (entry, credit, address, height) SELECT ?, id, address, height FROM credits "
                        + "WHERE scan = ? AND active = 1 AND height > ? ORDER BY height DESC, position DESC",
                REMOVED,
                page.scan(),
                height);
        page.update("UPDATE credits SET active = 0 WHERE scan = ? AND active = 1 AND height > ?", page.scan(), height);
        page.update("INSERT INTO credit_log (entry, height) VALUES (?, ?)", UNDONE, height);
    }

    @Override
    public void join(Page page) {
        Page head = page.session().head();
        List<Credit> found = page.query(
                "SELECT " + COLUMNS + " FROM credits c WHERE scan = ? AND active = 1 ORDER BY height, position",
                CreditTable::read,
                page.scan());
        found.forEach(credit -> enter(head, credit, LATE));
        drop(page);
    }

    @Override
    public void drop(Page page) {
        page.update("DELETE FROM credits WHERE scan = ?", page.scan());
    }

    /** Reads {@link #COLUMNS}. */
    static Credit read(ResultSet row) throws SQLException {
        return readFrom(row, 0);
    }

    /** Reads {@link #COLUMNS} after {@code skipped} others. */
    static Credit readFrom(ResultSet row, int skipped) throws SQLException {
        byte[] datum = row.getBytes(skipped + 11);
        return new Credit(
                new Outpoint(Hash256.of(row.getBytes(skipped + 1)), row.getLong(skipped + 2)),
                Address.of(row.getBytes(skipped + 3)),
                Amount.ofUnsigned(row.getLong(skipped + 4)),
                new BlockPlace(row.getLong(skipped + 5), Hash256.of(row.getBytes(skipped + 6))),
                row.getLong(skipped + 7),
                row.getInt(skipped + 8) != 0,
                row.getInt(skipped + 9) != 0,
                row.getInt(skipped + 10) != 0,
                Optional.ofNullable(datum).map(Bytes::of));
    }
}
