package org.chainwalletd.store.books;

import java.util.List;

/**
 * Schema step of each book that reduces the number of pages a block changes: rows are appended instead of sorted by an id, and found by the id's
 * first bytes; an integer stands for an address ({@link AddressRows}) or a target. A commit writes every changed page as a whole, so its cost is the
 * number of pages, and long keys were repeated in each index. Also converts the rows of earlier releases.
 */
final class ShortKeys {
    /** Omits the parent's id from a row when the row below has it, and stores targets, which rarely change, in a table. */
    static final List<String> BLOCKS = List.of(
            "ALTER TABLE blocks RENAME TO earlier_blocks",
            "CREATE TABLE targets (id INTEGER PRIMARY KEY, target BLOB NOT NULL UNIQUE)",
            "INSERT INTO targets (target) SELECT DISTINCT target FROM earlier_blocks",
            """
            CREATE TABLE blocks (
              scan INTEGER NOT NULL,
              height INTEGER NOT NULL,
              id BLOB NOT NULL,
              parent BLOB,
              time INTEGER NOT NULL,
              target INTEGER NOT NULL,
              work_checked INTEGER NOT NULL,
              PRIMARY KEY (scan, height)) WITHOUT ROWID""",
            """
            INSERT INTO blocks
              SELECT b.scan, b.height, b.id, CASE WHEN p.id = b.parent THEN NULL ELSE b.parent END, b.time,
                (SELECT t.id FROM targets t WHERE t.target = b.target), b.work_checked
              FROM earlier_blocks b LEFT JOIN earlier_blocks p ON p.scan = b.scan AND p.height = b.height - 1
              ORDER BY b.scan, b.height""",
            "DROP TABLE earlier_blocks");

    /** Stores a verified output as a separate row only when its coin is deleted. */
    static final List<String> COINS = List.of(
            "ALTER TABLE coins RENAME TO earlier_coins",
            "INSERT OR IGNORE INTO addresses (address) SELECT DISTINCT address FROM earlier_coins",
            """
            CREATE TABLE coins (
              id INTEGER PRIMARY KEY,
              scan INTEGER NOT NULL,
              tx_id BLOB NOT NULL,
              output_index INTEGER NOT NULL,
              address INTEGER NOT NULL,
              value INTEGER NOT NULL,
              height INTEGER NOT NULL,
              coinbase INTEGER NOT NULL,
              spent_height INTEGER,
              spent_by BLOB)""",
            """
            INSERT INTO coins (scan, tx_id, output_index, address, value, height, coinbase, spent_height, spent_by)
              SELECT c.scan, c.tx_id, c.output_index, a.id, c.value, c.height, c.coinbase, c.spent_height, c.spent_by
              FROM earlier_coins c JOIN addresses a ON a.address = c.address ORDER BY c.scan, c.height""",
            "DROP TABLE earlier_coins",
            "CREATE INDEX coins_by_outpoint ON coins (substr(tx_id, 1, 6))",
            "CREATE INDEX coins_by_height ON coins (scan, height)",
            "CREATE INDEX coins_by_address ON coins (scan, address, height)",
            "CREATE INDEX coins_spent ON coins (scan, spent_height) WHERE spent_height IS NOT NULL",
            """
            CREATE INDEX coins_unspent ON coins (scan, address, height, value, coinbase, spent_height)
              WHERE spent_height IS NULL""",
            """
            CREATE INDEX coins_spent_by_address ON coins (scan, address, spent_height)
              WHERE spent_height IS NOT NULL""",
            """
            DELETE FROM verified_outputs WHERE EXISTS (
              SELECT 1 FROM coins c INDEXED BY coins_by_outpoint WHERE substr(c.tx_id, 1, 6) = substr(verified_outputs.tx_id, 1, 6)
                AND c.tx_id = verified_outputs.tx_id AND c.output_index = verified_outputs.output_index)""");

    /** Removes the index by block: its height is nearly as selective. Numbers of credits and log entries are kept and never reused. */
    static final List<String> CREDITS = List.of(
            "ALTER TABLE credits RENAME TO earlier_credits",
            "ALTER TABLE credit_log RENAME TO earlier_log",
            "INSERT OR IGNORE INTO addresses (address) SELECT DISTINCT address FROM earlier_credits",
            """
            CREATE TABLE credits (
              id INTEGER PRIMARY KEY,
              scan INTEGER NOT NULL,
              active INTEGER NOT NULL,
              tx BLOB NOT NULL,
              output INTEGER NOT NULL,
              address INTEGER NOT NULL,
              amount INTEGER NOT NULL,
              height INTEGER NOT NULL,
              block BLOB NOT NULL,
              position INTEGER NOT NULL,
              own INTEGER NOT NULL,
              change INTEGER NOT NULL,
              coinbase INTEGER NOT NULL,
              datum BLOB)""",
            """
            INSERT INTO credits
              SELECT c.id, c.scan, c.active, c.tx, c.output, a.id, c.amount, c.height, c.block, c.position, c.own,
                c.change, c.coinbase, c.datum
              FROM earlier_credits c JOIN addresses a ON a.address = c.address ORDER BY c.id""",
            """
            CREATE TABLE credit_log (
              number INTEGER PRIMARY KEY AUTOINCREMENT,
              entry INTEGER NOT NULL,
              credit INTEGER,
              address INTEGER,
              height INTEGER NOT NULL)""",
            """
            INSERT INTO credit_log
              SELECT l.number, l.entry, l.credit, a.id, l.height
              FROM earlier_log l LEFT JOIN addresses a ON a.address = l.address ORDER BY l.number""",
            "DELETE FROM sqlite_sequence WHERE name = 'credit_log'",
            """
            INSERT INTO sqlite_sequence (name, seq)
              SELECT 'credit_log', seq FROM sqlite_sequence WHERE name = 'earlier_log'""",
            "DROP TABLE earlier_credits",
            "DROP TABLE earlier_log",
            "CREATE INDEX credits_by_height ON credits (scan, active, height, position)",
            "CREATE INDEX credits_by_address ON credits (address, scan, active, height, position)",
            "CREATE INDEX credits_by_output ON credits (substr(tx, 1, 6))",
            "CREATE INDEX credit_log_by_address ON credit_log (address, number)",
            "CREATE INDEX credit_log_by_credit ON credit_log (credit, number)");

    static final List<String> SPENDINGS = List.of(
            "ALTER TABLE spendings RENAME TO earlier_spendings",
            """
            CREATE TABLE spendings (
              id INTEGER PRIMARY KEY,
              scan INTEGER NOT NULL,
              tx_id BLOB NOT NULL,
              output_index INTEGER NOT NULL,
              spent_by BLOB NOT NULL,
              height INTEGER NOT NULL,
              block BLOB NOT NULL)""",
            """
            INSERT INTO spendings (scan, tx_id, output_index, spent_by, height, block)
              SELECT scan, tx_id, output_index, spent_by, height, block FROM earlier_spendings ORDER BY scan, height""",
            "DROP TABLE earlier_spendings",
            "CREATE INDEX spendings_by_outpoint ON spendings (substr(tx_id, 1, 6))",
            "CREATE INDEX spendings_by_height ON spendings (scan, height)");

    private ShortKeys() {}
}
