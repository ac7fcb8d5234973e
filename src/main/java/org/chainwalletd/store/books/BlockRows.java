package org.chainwalletd.store.books;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.sql.Row;

/**
 * The book of block ids, and the position of each scan. Heights are below 2^63. A scan keeps the ids of its last {@value #KEPT} blocks and of every
 * {@value #EVERY}th block below them; its position is the highest kept block.
 */
public final class BlockRows {
    static final String NAME = "blocks";
    static final List<List<String>> STEPS = List.of(
            List.of(
                    """
            CREATE TABLE blocks (
              scan INTEGER NOT NULL,
              height INTEGER NOT NULL,
              id BLOB NOT NULL,
              parent BLOB NOT NULL,
              time INTEGER NOT NULL,
              target BLOB NOT NULL,
              work_checked INTEGER NOT NULL,
              PRIMARY KEY (scan, height)) WITHOUT ROWID""",
                    """
            CREATE TABLE scans (
              scan INTEGER NOT NULL PRIMARY KEY,
              from_height INTEGER NOT NULL,
              epoch INTEGER NOT NULL DEFAULT 0)""",
                    "CREATE TABLE chain_facts (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"),
            ShortKeys.BLOCKS);

    /** Number of most recent blocks whose ids are all kept. */
    public static final long KEPT = 10_000;
    /** Spacing of the ids kept below those: their heights are multiples of this. */
    public static final long EVERY = 1_000;

    /** Number of blocks with checked work needed above a block with unchecked work for that block to be trusted. */
    public static final int TRUSTED_DEPTH = 100;

    private static final String WRITTEN = "height, id, parent, time, target, work_checked";

    private static final String PARENT =
            "COALESCE(parent, (SELECT p.id FROM blocks p WHERE p.scan = blocks.scan AND p.height = blocks.height - 1))";

    private static final String OF_SCAN = "SELECT height, id, " + PARENT
            + ", time, (SELECT t.target FROM targets t WHERE t.id = blocks.target), work_checked FROM blocks WHERE scan = ?";

    private static final String LAST_SCAN = "last_scan";

    private BlockRows() {}

    /** Lists the kept blocks of a scan, lowest first. */
    public static List<BlockRow> all(Page page) {
        return page.query(OF_SCAN + " ORDER BY height", BlockRows::read, page.scan());
    }

    /** Returns the newest block of a scan; empty before its first block. */
    public static Optional<BlockRow> top(Page page) {
        return page.queryOne(OF_SCAN + " ORDER BY height DESC LIMIT 1", BlockRows::read, page.scan());
    }

    /**
     * Returns the highest block that may be reported to others: the block below the lowest untrusted block, which is one whose work was not checked
     * and that has fewer than {@value #TRUSTED_DEPTH} blocks with checked work above it (that block itself when none is kept below). The newest
     * block when there is no untrusted one. Empty before the first block.
     */
    public static Optional<BlockRow> told(Page page) {
        long trusted = page.ifNumber(
                        "SELECT height FROM blocks WHERE scan = ? AND work_checked = 1 ORDER BY height DESC LIMIT 1 OFFSET ?",
                        page.scan(),
                        TRUSTED_DEPTH - 1)
                .orElse(-1L);
        return page.queryOne(
                        "SELECT height FROM blocks WHERE scan = ? AND height > ? AND work_checked = 0 ORDER BY height LIMIT 1",
                        row -> row.getLong(1),
                        page.scan(),
                        trusted)
                .flatMap(unchecked -> below(page, unchecked).or(() -> from(page, unchecked)))
                .or(() -> top(page));
    }

    /** Finds the highest kept block below a height. */
    private static Optional<BlockRow> below(Page page, long height) {
        return page.queryOne(
                OF_SCAN + " AND height < ? ORDER BY height DESC LIMIT 1", BlockRows::read, page.scan(), height);
    }

    /** Finds the lowest kept block at or above a height. */
    public static Optional<BlockRow> from(Page page, long height) {
        return page.queryOne(
                OF_SCAN + " AND height >= ? ORDER BY height LIMIT 1", BlockRows::read, page.scan(), height);
    }

    /** Lists the kept blocks between two heights, both included, lowest first. */
    public static List<BlockRow> between(Page page, long from, long to) {
        return page.query(
                OF_SCAN + " AND height BETWEEN ? AND ? ORDER BY height", BlockRows::read, page.scan(), from, to);
    }

    /** Returns the height of the highest kept block above {@code height} whose predecessor is not kept; from it on, no block is missing. */
    static OptionalLong afterGap(Page page, long height) {
        return page.ifNumber(
                "SELECT height FROM blocks WHERE scan = ? AND height > ?"
                        + " AND NOT EXISTS (SELECT 1 FROM blocks p WHERE p.scan = blocks.scan AND p.height = blocks.height - 1)"
                        + " ORDER BY height DESC LIMIT 1",
                page.scan(),
                height);
    }

    public static Optional<BlockRow> at(Page page, long height) {
        return from(page, height).filter(row -> row.height() == height);
    }

    /** Returns whether the work of every block from one height to another, both included, was checked; false when ids in the range are not kept. */
    public static boolean isWorkChecked(Page page, long from, long to) {
        if (to - from >= KEPT) {
            return false;
        }
        long checked = page.number(
                "SELECT COUNT(*) FROM blocks WHERE scan = ? AND height BETWEEN ? AND ? AND work_checked = 1",
                page.scan(),
                from,
                to);
        return checked == to - from + 1;
    }

    /** Lists the lowest blocks with unchecked work between two heights, both included. */
    public static List<BlockRow> withoutWork(Page page, long from, long to, int limit) {
        return page.query(
                OF_SCAN + " AND height BETWEEN ? AND ? AND work_checked = 0" + " ORDER BY height LIMIT ?",
                BlockRows::read,
                page.scan(),
                from,
                to,
                limit);
    }

    /** Records that the work of this block was checked, if the block is still there. */
    public static void checkWork(Page page, BlockPlace place) {
        page.update("UPDATE blocks SET work_checked = 1 WHERE scan = ? AND height = ? AND id = ?", page.scan(), place);
    }

    /** Returns whether this block is among the kept ones of a scan. */
    public static boolean has(Page page, BlockPlace place) {
        return page.has("SELECT 1 FROM blocks WHERE scan = ? AND height = ? AND id = ?", page.scan(), place);
    }

    /** Id of the target that was written last; targets are never deleted. */
    private record LastTarget(Hash256 target, long number) {}

    private static long target(Page page, Hash256 target) {
        BooksSession session = page.session();
        Optional<LastTarget> last = session.ifCached(LastTarget.class);
        if (last.isEmpty() || !last.get().target().equals(target)) {
            page.update("INSERT INTO targets (target) VALUES (?) ON CONFLICT DO NOTHING", target);
            long number = page.number("SELECT id FROM targets WHERE target = ?", target);
            session.dropCache(LastTarget.class);
            last = Optional.of(session.cached(LastTarget.class, none -> new LastTarget(target, number)));
        }
        return last.get().number();
    }

    public static void put(Page page, BlockRow block) {
        page.update(
                "INSERT INTO blocks (scan, " + WRITTEN + ") VALUES (?1, ?2, ?3,"
                        + " CASE WHEN EXISTS (SELECT 1 FROM blocks WHERE scan = ?1 AND height = ?2 - 1 AND id = ?4) THEN NULL ELSE ?4 END,"
                        + " ?5, ?6, ?7)",
                page.scan(),
                block.height(),
                block.blockId(),
                block.parentId(),
                block.timestamp(),
                target(page, block.target()),
                block.workChecked());
        long old = block.height() - KEPT;
        if (old > 0 && old % EVERY != 0) {
            page.update(
                    "UPDATE blocks SET parent = " + PARENT + " WHERE scan = ? AND height = ?", page.scan(), old + 1);
            page.update("DELETE FROM blocks WHERE scan = ? AND height = ?", page.scan(), old);
        }
    }

    public static void undo(Page page, long height) {
        page.update("DELETE FROM blocks WHERE scan = ? AND height > ?", page.scan(), height);
    }

    /** Lists the rescans that have not joined, oldest first. */
    public static List<ScanRow> scans(Page page) {
        return page.query(
                "SELECT scan, from_height FROM scans ORDER BY scan",
                row -> new ScanRow(row.getLong(1), row.getLong(2)));
    }

    /** Records a rescan to be done, under a new number. The first recorded rescan may already have begun; later requests share the second one. */
    public static void beginScan(Page page, long fromHeight) {
        Optional<ScanRow> waiting = scans(page).stream().skip(1).findFirst();
        if (waiting.isPresent()) {
            page.update(
                    "UPDATE scans SET from_height = MIN(from_height, ?) WHERE scan = ?",
                    fromHeight,
                    waiting.get().scan());
            return;
        }
        page.update(
                "INSERT INTO scans (scan, from_height)"
                        + " SELECT MAX(COALESCE((SELECT MAX(scan) FROM scans), 0),"
                        + " COALESCE((SELECT CAST(value AS INTEGER) FROM chain_facts WHERE name = 'last_scan'), 0)) + 1, ?",
                fromHeight);
    }

    /**
     * Removes a rescan that has joined. Its ids at multiples of {@link #EVERY} below the head's lowest block are kept for the head. The scan's
     * number is not used again.
     */
    public static void endScan(Page page) {
        putFact(page, LAST_SCAN, String.valueOf(page.scan()));
        page.update(
                "INSERT INTO blocks (scan, " + WRITTEN + ") SELECT " + Page.HEAD + ", height, id, " + PARENT
                        + ", time, target, work_checked"
                        + " FROM blocks WHERE scan = ? AND height % " + EVERY + " = 0"
                        + " AND height < (SELECT MIN(height) FROM blocks WHERE scan = " + Page.HEAD + ")"
                        + " ON CONFLICT DO NOTHING",
                page.scan());
        page.update("DELETE FROM blocks WHERE scan = ?", page.scan());
        page.update("DELETE FROM scans WHERE scan = ?", page.scan());
    }

    /** Returns the number of the rescan that joined last; 0 before the first one. */
    public static long lastScan(Page page) {
        return fact(page, LAST_SCAN).map(Long::parseLong).orElse(0L);
    }

    /** Reads a fact determined once about the chain, such as its network. */
    public static Optional<String> fact(Page page, String name) {
        return page.queryOne("SELECT value FROM chain_facts WHERE name = ?", row -> row.getString(1), name);
    }

    public static void putFact(Page page, String name, String value) {
        page.update(
                "INSERT INTO chain_facts (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                name,
                value);
    }

    private static BlockRow read(Row row) throws SQLException {
        return new BlockRow(
                row.getLong(1),
                Hash256.of(row.getBytes(2)),
                Hash256.of(row.getBytes(3)),
                row.getLong(4),
                Hash256.of(row.getBytes(5)),
                row.getInt(6) != 0);
    }
}
