package org.chainwalletd.store.books;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;

/**
 * A page of an address's history. Indexes have its coins by height; within a block they are ordered here, by transaction: so that a page costs
 * what it tells and the coins of the blocks at its borders, and no index needs the ids of transactions.
 */
final class HistoryReading {
    /** Coins that are read at a time. */
    private static final int COINS = 500;

    private static final String OF_ADDRESS =
            " WHERE scan = 0 AND address = (SELECT id FROM addresses WHERE address = ?1)";

    private static final String PAID =
            "SELECT id, height, tx_id, value, coinbase FROM coins INDEXED BY coins_by_address" + OF_ADDRESS
                    + " AND height <= ?2 AND (height, id) > (?3, ?4) ORDER BY height, id LIMIT ?5";

    private static final String SPENT =
            "SELECT id, spent_height, spent_by, value, 0 FROM coins INDEXED BY coins_spent_by_address" + OF_ADDRESS
                    + " AND spent_height <= ?2 AND (spent_height, id) > (?3, ?4) ORDER BY spent_height, id LIMIT ?5";

    private HistoryReading() {}

    private record Part(long coin, HistoryEntry entry) {
        static Part read(ResultSet row, boolean input) throws SQLException {
            return new Part(
                    row.getLong(1),
                    new HistoryEntry(
                            row.getLong(2),
                            Hash256.of(row.getBytes(3)),
                            input,
                            Amount.ofUnsigned(row.getLong(4)),
                            row.getInt(5) != 0));
        }
    }

    /**
     * The first entries after a place, at heights {@code from} to {@code to}.
     *
     * @throws ArithmeticException above 2^64-1 for one transaction, which no chain has
     */
    static List<HistoryEntry> read(
            Page head, Address address, long from, long to, HistoryEntry.Position after, int most) {
        long first = Math.max(from, after.height());
        return Stream.concat(
                        half(head, address, false, first, to, after, most).stream(),
                        half(head, address, true, first, to, after, most).stream())
                .sorted(Comparator.comparing(HistoryEntry::position))
                .limit(most)
                .toList();
    }

    /** What was received, or what was spent. A block whose last coin is not read yet has no entry. */
    private static List<HistoryEntry> half(
            Page head, Address address, boolean input, long first, long to, HistoryEntry.Position after, int most) {
        List<HistoryEntry> entries = new ArrayList<>();
        Map<HistoryEntry.Position, HistoryEntry> block = new TreeMap<>();
        long height = first - 1;
        long coin = Long.MAX_VALUE;
        List<Part> parts;
        do {
            parts = head.query(
                    input ? SPENT : PAID, row -> Part.read(row, input), address.toArray(), to, height, coin, COINS);
            for (Part part : parts) {
                HistoryEntry entry = part.entry();
                if (entry.height() != height) {
                    close(block, after, entries);
                }
                height = entry.height();
                coin = part.coin();
                block.merge(entry.position(), entry, HistoryReading::sum);
            }
        } while (parts.size() == COINS && entries.size() < most);
        if (parts.size() < COINS) {
            close(block, after, entries);
        }
        return entries;
    }

    private static void close(
            Map<HistoryEntry.Position, HistoryEntry> block, HistoryEntry.Position after, List<HistoryEntry> entries) {
        block.values().stream()
                .filter(entry -> entry.position().compareTo(after) > 0)
                .forEach(entries::add);
        block.clear();
    }

    private static HistoryEntry sum(HistoryEntry one, HistoryEntry other) {
        return new HistoryEntry(
                one.height(),
                one.txId(),
                one.input(),
                one.amount().plus(other.amount()),
                one.coinbase() || other.coinbase());
    }
}
