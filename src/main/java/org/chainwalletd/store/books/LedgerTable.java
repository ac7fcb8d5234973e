package org.chainwalletd.store.books;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.sql.Row;

/**
 * The ledger: coins of watched addresses, and for each address the height from which its history is complete. Only blocks enter coins; an address is
 * covered when every block since its birth was read for it. A coin is proven by the bytes of its transaction, which holds on any fork: undoing keeps
 * each coin that it deletes as a verified output.
 */
public final class LedgerTable implements BookTable<LedgerTable.View, LedgerChange> {
    private static final List<String> FIRST = List.of(
            """
            CREATE TABLE coins (
              scan INTEGER NOT NULL,
              tx_id BLOB NOT NULL,
              output_index INTEGER NOT NULL,
              address BLOB NOT NULL,
              value INTEGER NOT NULL,
              height INTEGER NOT NULL,
              coinbase INTEGER NOT NULL,
              spent_height INTEGER,
              spent_by BLOB,
              PRIMARY KEY (scan, tx_id, output_index)) WITHOUT ROWID""",
            "CREATE INDEX coins_by_address ON coins (scan, address, height)",
            "CREATE INDEX coins_by_height ON coins (scan, height)",
            "CREATE INDEX coins_spent ON coins (scan, spent_height) WHERE spent_height IS NOT NULL",
            """
            CREATE TABLE watched (
              address BLOB NOT NULL PRIMARY KEY,
              from_height INTEGER NOT NULL,
              fresh INTEGER NOT NULL,
              cover_height INTEGER,
              history_from INTEGER NOT NULL,
              before_scan INTEGER NOT NULL) WITHOUT ROWID""",
            "CREATE INDEX watched_uncovered ON watched (from_height) WHERE cover_height IS NULL",
            "CREATE INDEX watched_covered ON watched (cover_height) WHERE cover_height IS NOT NULL AND fresh = 0",
            """
            CREATE TABLE verified_outputs (
              tx_id BLOB NOT NULL,
              output_index INTEGER NOT NULL,
              value INTEGER NOT NULL,
              script BLOB NOT NULL,
              PRIMARY KEY (tx_id, output_index)) WITHOUT ROWID""");

    /**
     * Covering indexes for listing and summing unspent coins, and for the spends of an address in order, so that addresses with a long history are
     * read as fast as those without.
     */
    private static final List<String> SECOND = List.of("""
            CREATE INDEX coins_unspent ON coins (scan, address, height, value, coinbase, spent_height)
              WHERE spent_height IS NULL""", """
            CREATE INDEX coins_spent_by_address ON coins (scan, address, spent_height, spent_by)
              WHERE spent_height IS NOT NULL""");

    /**
     * Keeps only coins read from blocks. Earlier releases entered coins listed by a node for addresses whose keys were not generated here, and these
     * rows cannot be distinguished from those of blocks: all rows of such addresses are deleted and read again from the first block on. The same
     * applies to addresses generated before any block was known: they counted as complete from the first followed block on, which may be younger
     * than the address.
     */
    private static final List<String> BLOCKS_ONLY = List.of(
            "ALTER TABLE watched RENAME TO earlier_watched",
            """
            CREATE TABLE watched (
              address BLOB NOT NULL PRIMARY KEY,
              birth INTEGER NOT NULL,
              history_from INTEGER NOT NULL,
              before_scan INTEGER NOT NULL) WITHOUT ROWID""",
            """
            INSERT INTO watched
              SELECT address, cover_height, MIN(history_from, cover_height), before_scan FROM earlier_watched
              WHERE fresh = 1 AND from_height >= 0""",
            """
            INSERT OR IGNORE INTO watched
              SELECT address, 0, (SELECT COALESCE(MAX(height) + 1, 9223372036854775807) FROM blocks WHERE scan = 0), before_scan
              FROM earlier_watched""",
            """
            INSERT OR IGNORE INTO verified_outputs (tx_id, output_index, value, script)
              SELECT c.tx_id, c.output_index, c.value, a.address FROM coins c JOIN addresses a ON a.id = c.address
              WHERE c.scan = 0 AND a.address NOT IN (SELECT address FROM earlier_watched WHERE fresh = 1)""",
            """
            DELETE FROM coins WHERE scan = 0 AND address NOT IN (
              SELECT a.id FROM addresses a JOIN earlier_watched w ON w.address = a.address WHERE w.fresh = 1)""",
            "DROP TABLE earlier_watched",
            "CREATE INDEX watched_unread ON watched (birth) WHERE history_from > MAX(birth, 1)");

    /**
     * Adds watch-only addresses, and whether the blocks before they were watched are to be read. The index for rescans leaves out those for which
     * that was not requested.
     */
    private static final List<String> WATCH_ONLY = List.of(
            "ALTER TABLE watched ADD COLUMN watch_only INTEGER NOT NULL DEFAULT 0",
            "ALTER TABLE watched ADD COLUMN read_history INTEGER NOT NULL DEFAULT 1",
            "DROP INDEX watched_unread",
            "CREATE INDEX watched_unread ON watched (birth) WHERE history_from > MAX(birth, 1) AND read_history = 1",
            "CREATE INDEX watched_without_key ON watched (address) WHERE watch_only = 1");

    /** Value of {@code history_from} while no block has been read for an address. */
    static final long NOTHING_READ = Long.MAX_VALUE;

    /** Condition of covered addresses. The first block has no transactions that a follower reads. */
    static final String COVERED = "history_from <= MAX(birth, 1)";

    /** The coin with the outpoint ?1, ?2 in the scan ?3. The index has only the first bytes of transaction ids; collisions are rare. */
    private static final String OF_OUTPOINT =
            " WHERE substr(tx_id, 1, 6) = substr(?1, 1, 6) AND tx_id = ?1 AND output_index = ?2 AND scan = ?3";

    /** Data that the ledger needs while it reads a block. */
    public record View(Page page) {
        /** Returns whether coins of the address are entered, whether its key is here or it is watch-only. */
        public boolean isWatched(Address address) {
            return owned(address).isPresent();
        }

        /** Returns whether the address is watched and we have its key. */
        public boolean isOwned(Address address) {
            return owned(address).orElse(false);
        }

        private Optional<Boolean> owned(Address address) {
            return LedgerFilter.of(page.session())
                    .map(filter -> filter.owned(address, () -> inTable(address)))
                    .orElseGet(() -> inTable(address));
        }

        private Optional<Boolean> inTable(Address address) {
            return page.queryOne(
                    "SELECT watch_only FROM watched WHERE address = ?", row -> row.getInt(1) == 0, address);
        }
    }

    @Override
    public String name() {
        return "ledger";
    }

    @Override
    public List<List<String>> steps() {
        return List.of(FIRST, SECOND, ShortKeys.COINS, BLOCKS_ONLY, WATCH_ONLY);
    }

    @Override
    public View view(Page page) {
        return new View(page);
    }

    @Override
    public void write(Page page, LedgerChange change) {
        if (change instanceof LedgerChange.Created created) {
            create(page, created.coin());
        } else if (change instanceof LedgerChange.Spent spent && mayBeUnspent(page, spent.outpoint())) {
            page.update(
                    "UPDATE coins INDEXED BY coins_by_outpoint SET spent_height = ?4, spent_by = ?5" + OF_OUTPOINT,
                    spent.outpoint(),
                    page.scan(),
                    spent.height(),
                    spent.spentBy());
        }
    }

    private static boolean mayBeUnspent(Page page, Outpoint outpoint) {
        return LedgerFilter.of(page.session())
                .map(filter -> filter.mayBeUnspent(outpoint))
                .orElse(true);
    }

    /** Records that the rows have changed other than by a block on top of the last one. */
    static void changed(Page page) {
        page.update("INSERT INTO chain_facts (name, value) VALUES ('ledger_changes', '1')"
                + " ON CONFLICT (name) DO UPDATE SET value = CAST(chain_facts.value AS INTEGER) + 1");
    }

    /** Returns a version that changes unless the only changes are blocks added on top of each other. */
    static String changes(Page page) {
        return BlockRows.fact(page, "ledger_changes").orElse("0");
    }

    /** Returns a version that changes when a rescan has added coins to blocks that were read before. */
    static String rescans(Page page) {
        return BlockRows.fact(page, "ledger_rescans").orElse("");
    }

    /** Records that addresses watched so far have no known history before the first block that is read. */
    @Override
    public void begin(Page page, long height) {
        page.update("UPDATE watched SET history_from = ?1 WHERE history_from > ?1", height + 1);
    }

    @Override
    public OptionalLong unread(Page head, Optional<ScanRow> underway) {
        return head.ifNumber(
                "SELECT birth FROM watched INDEXED BY watched_unread WHERE history_from > MAX(birth, 1) AND read_history = 1"
                        + " AND NOT (before_scan <= ? AND ? <= MAX(birth, 1)) ORDER BY birth LIMIT 1",
                underway.map(ScanRow::scan).orElse(-1L),
                underway.map(ScanRow::fromHeight).orElse(-1L));
    }

    /** Returns whether an output is a coin of the page's scan, spent or not. */
    static boolean has(Page page, Outpoint outpoint) {
        return page.has("SELECT 1 FROM coins INDEXED BY coins_by_outpoint" + OF_OUTPOINT, outpoint, page.scan());
    }

    /** Finds the height of the block with a transaction that created a coin or spent one of these outpoints that is a coin. */
    static OptionalLong heightOf(Page page, Hash256 txId, List<Outpoint> inputs) {
        OptionalLong made = page.ifNumber(
                "SELECT height FROM coins INDEXED BY coins_by_outpoint"
                        + " WHERE substr(tx_id, 1, 6) = substr(?1, 1, 6) AND tx_id = ?1 AND scan = ?2 LIMIT 1",
                txId,
                page.scan());
        if (made.isPresent()) {
            return made;
        }
        for (Outpoint input : inputs) {
            OptionalLong spent = page.ifNumber(
                    "SELECT spent_height FROM coins INDEXED BY coins_by_outpoint" + OF_OUTPOINT + " AND spent_by = ?4",
                    input,
                    page.scan(),
                    txId);
            if (spent.isPresent()) {
                return spent;
            }
        }
        return OptionalLong.empty();
    }

    /** Enters a coin; an existing one stays unchanged. */
    static void create(Page page, OwnCoin coin) {
        LedgerFilter.ifCached(page.session()).ifPresent(filter -> filter.unspent(coin.outpoint()));
        page.update(
                "INSERT INTO coins (scan, tx_id, output_index, address, value, height, coinbase)"
                        + " SELECT ?3, ?1, ?2, ?4, ?5, ?6, ?7"
                        + " WHERE NOT EXISTS (SELECT 1 FROM coins INDEXED BY coins_by_outpoint" + OF_OUTPOINT + ")",
                coin.outpoint(),
                page.scan(),
                AddressRows.number(page, coin.address()),
                coin.value(),
                coin.height(),
                coin.coinbase());
    }

    /** Deletes the coins above a height; keeps them as verified outputs, since they are proven by transaction bytes. */
    private static void delete(Page page, long height) {
        page.update(
                "INSERT INTO verified_outputs (tx_id, output_index, value, script)"
                        + " SELECT c.tx_id, c.output_index, c.value, a.address FROM coins c INDEXED BY coins_by_height CROSS JOIN addresses a ON a.id = c.address"
                        + " WHERE c.scan = ? AND c.height > ? ON CONFLICT DO NOTHING",
                page.scan(),
                height);
        page.update("DELETE FROM coins WHERE scan = ? AND height > ?", page.scan(), height);
    }

    @Override
    public void undo(Page page, long height) {
        changed(page);
        delete(page, height);
        LedgerFilter.ifCached(page.session())
                .ifPresent(filter -> page.query(
                                "SELECT tx_id, output_index FROM coins INDEXED BY coins_spent WHERE scan = ? AND spent_height > ?",
                                LedgerTable::outpoint,
                                page.scan(),
                                height)
                        .forEach(filter::unspent));
        page.update(
                "UPDATE coins SET spent_height = NULL, spent_by = NULL WHERE scan = ? AND spent_height > ?",
                page.scan(),
                height);
    }

    static Outpoint outpoint(Row row) throws SQLException {
        return new Outpoint(Hash256.of(row.getBytes(1)), row.getLong(2));
    }

    /** Resets every address to be read from the first block on, because births are heights of the previous chain. Verified outputs stay. */
    @Override
    public OptionalLong beginAnew(Page head, long height) {
        undo(head, -1);
        head.update("UPDATE watched SET birth = 0, history_from = ?", height + 1);
        return unread(head, Optional.empty());
    }

    @Override
    public void join(Page page) {
        changed(page);
        BlockRows.putFact(page, "ledger_rescans", String.valueOf(page.scan()));
        page.update(
                "DELETE FROM coins WHERE id IN (SELECT old.id FROM coins c INDEXED BY coins_by_height CROSS JOIN coins old INDEXED BY coins_by_outpoint"
                        + " WHERE c.scan = ? AND substr(old.tx_id, 1, 6) = substr(c.tx_id, 1, 6)"
                        + " AND old.tx_id = c.tx_id AND old.output_index = c.output_index AND old.scan = " + Page.HEAD
                        + ")",
                page.scan());
        page.update("UPDATE coins SET scan = " + Page.HEAD + " WHERE scan = ?", page.scan());
        BlockRows.scans(page).stream()
                .filter(row -> row.scan() == page.scan())
                .forEach(row -> known(page, row.fromHeight()));
    }

    /** Records that the addresses watched before the scan began have complete history from its first block on; undoing does not revert that. */
    private static void known(Page page, long from) {
        page.update("UPDATE watched SET history_from = MIN(history_from, ?) WHERE before_scan <= ?", from, page.scan());
    }

    @Override
    public void drop(Page page) {
        delete(page, -1);
    }
}
