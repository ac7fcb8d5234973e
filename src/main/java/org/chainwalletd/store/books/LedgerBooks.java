package org.chainwalletd.store.books;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.VerifiedOutput;
import org.chainwalletd.store.books.CoinReading.CoinSums;
import org.chainwalletd.store.books.LedgerFilter.WatchedAddresses;
import org.chainwalletd.store.sql.Row;

/**
 * Queries of the ledger's tables, and the changes that do not come from blocks: which addresses are watched and covered. Results apply to one block
 * of the chain, named by the caller; they are empty when that block is no longer on the followed chain. Stages fail with {@code StoreException}.
 */
public final class LedgerBooks {
    /**
     * Number of the first rescan that reads for addresses watched from now on: the first pending rescan may have begun without them, the second has
     * not.
     */
    private static final String NEXT_SCAN =
            "COALESCE((SELECT scan FROM scans ORDER BY scan LIMIT 1 OFFSET 1), (SELECT MAX(scan) + 1 FROM scans), 1)";

    private final Books file;

    public LedgerBooks(Books file) {
        this.file = file;
    }

    /**
     * A watched address and the extent of its known history.
     *
     * @param birth height below which no block can pay it; 0 when unknown
     * @param historyFrom height from which its history is complete; {@link Long#MAX_VALUE} before the first block
     */
    public record Watched(Address address, long birth, long historyFrom) {
        /** Returns whether all coins of the address are known. */
        public boolean isCovered() {
            return historyFrom <= Math.max(birth, 1);
        }
    }

    /**
     * Watches addresses from the last written block on. Durable when the stage completes; addresses already watched stay unchanged.
     *
     * @param fresh whether the keys were just generated here, so that no block more than {@code young} below the top pays them. Before the first
     *     block that height is unknown, and the addresses count as old.
     * @param young number of blocks
     */
    public CompletionStage<Void> watch(List<Address> addresses, boolean fresh, long young) {
        return change(head -> {
            OptionalLong top = top(head);
            long birth = fresh && top.isPresent() ? Math.max(0, top.getAsLong() - young) : 0;
            long from = fresh && top.isPresent() ? birth : next(top);
            addresses.forEach(address -> watch(head, new Watched(address, birth, from)));
        });
    }

    private CompletionStage<Void> change(Consumer<Page> work) {
        return file.write(session -> {
            work.accept(session.head());
            LedgerTable.changed(session.head());
            return null;
        });
    }

    /** Returns why no address can be watched at the moment, as far as known without trying. */
    public Optional<StoreException> away() {
        return file.away();
    }

    private static OptionalLong top(Page head) {
        return BlockRows.top(head).map(row -> OptionalLong.of(row.height())).orElse(OptionalLong.empty());
    }

    private static long next(OptionalLong top) {
        return top.isPresent() ? top.getAsLong() + 1 : LedgerTable.NOTHING_READ;
    }

    /**
     * Watches an address whose key we have. If it was watch-only before, its coins and credits stay, and blocks are read for it as for any imported
     * key, because its HTLCs were never entered.
     */
    private static void watch(Page head, Watched address) {
        head.update(
                "INSERT INTO watched (address, birth, history_from, before_scan) SELECT ?, ?, ?, " + NEXT_SCAN
                        + " WHERE true ON CONFLICT (address) DO UPDATE SET watch_only = 0, read_history = 1,"
                        + " birth = excluded.birth, history_from = excluded.history_from,"
                        + " before_scan = excluded.before_scan WHERE watched.watch_only = 1",
                address.address(),
                address.birth(),
                address.historyFrom());
        LedgerFilter.ifCached(head.session()).ifPresent(filter -> filter.watch(address.address()));
    }

    /**
     * Watches addresses that may have coins in every block from their births on, and stops watching {@code unwatched}, both from the last written
     * block on; durable in one commit when the stage completes. Known coins of unwatched addresses stay, and their spends are still recorded.
     *
     * @param births height for each address to watch; 0 when unknown
     */
    public CompletionStage<Void> settle(Map<Address, Long> births, Collection<Address> unwatched) {
        return change(head -> {
            long from = next(top(head));
            births.forEach((address, birth) -> watch(head, new Watched(address, birth, from)));
            unwatched.forEach(address -> unwatch(head, address));
        });
    }

    /**
     * Watches watch-only addresses, and stops watching other ones, both from the last written block on. An address with a key here stays unchanged.
     * Durable when the stage completes.
     *
     * @param births heights from which blocks are to be read for them; empty when no earlier block is to be read
     * @param owned tells, at the time of the write, whether we have the key of an address
     */
    public CompletionStage<Void> settleWatchOnly(
            Map<Address, OptionalLong> births, Collection<Address> unwatched, Predicate<Address> owned) {
        return change(head -> {
            long from = next(top(head));
            births.forEach((address, birth) -> {
                if (!owned.test(address) && !hasSharedKey(head, address)) {
                    makeWatchOnly(head, address);
                }
                watchOnly(head, address, birth, from);
            });
            unwatched.forEach(address -> removeWatchOnly(head, address));
        });
    }

    /**
     * Stops watching a watch-only address and deletes its coins, which would be indistinguishable from those of a key that was here. Reported
     * credits stay.
     */
    private static void removeWatchOnly(Page head, Address address) {
        if (head.updated("DELETE FROM watched WHERE address = ? AND watch_only = 1", address) > 0) {
            head.update(
                    "DELETE FROM coins WHERE scan IN (SELECT 0 UNION ALL SELECT scan FROM scans)"
                            + " AND address = (SELECT id FROM addresses WHERE address = ?)",
                    address);
            LedgerFilter.ifCached(head.session()).ifPresent(filter -> filter.unwatch(address));
        }
    }

    /** Watches a watch-only address. For one already watched, its history, or more of it, may be requested. */
    private static void watchOnly(Page head, Address address, OptionalLong birth, long from) {
        head.update(
                "INSERT INTO watched (address, birth, history_from, watch_only, read_history, before_scan)"
                        + " SELECT ?1, ?2, ?3, 1, ?4, " + NEXT_SCAN + " WHERE true"
                        + " ON CONFLICT (address) DO UPDATE SET read_history = 1,"
                        + " birth = CASE watched.read_history WHEN 1 THEN MIN(watched.birth, excluded.birth) ELSE excluded.birth END"
                        + " WHERE watched.watch_only = 1 AND excluded.read_history = 1"
                        + " AND (watched.read_history = 0 OR excluded.birth < watched.birth)",
                address,
                birth.orElse(0),
                from,
                birth.isPresent());
        LedgerFilter.ifCached(head.session()).ifPresent(filter -> filter.watch(address));
    }

    /** Keeps watching an address whose key was deleted, as watch-only. */
    private static void makeWatchOnly(Page head, Address address) {
        head.update("UPDATE watched SET watch_only = 1 WHERE address = ? AND watch_only = 0", address);
    }

    public CompletionStage<Set<Address>> watchOnly() {
        return file.read(session -> new HashSet<>(session.head()
                .query(
                        "SELECT address FROM watched INDEXED BY watched_without_key WHERE watch_only = 1",
                        row -> Address.of(row.getBytes(1)))));
    }

    /**
     * Stops watching an address whose key was deleted, unless it has since become watch-only. When several daemons share the keyring and the store,
     * their rows decide, under the lock of the books: a key added at another daemon is watched by that daemon after the key was recorded, so it is
     * either seen here or watched again afterwards. The same holds for watch-only addresses.
     */
    private static void unwatch(Page head, Address address) {
        if (hasSharedKey(head, address)) {
            return;
        }
        if (!SharedKeys.haveStore(head)) {
            head.update("DELETE FROM watched WHERE address = ? AND watch_only = 0", address);
        } else if (SharedKeys.isWatchedWithout(head, address)) {
            makeWatchOnly(head, address);
        } else {
            head.update("DELETE FROM watched WHERE address = ?", address);
        }
        LedgerFilter.ifCached(head.session()).ifPresent(filter -> filter.unwatch(address));
    }

    private static boolean hasSharedKey(Page head, Address address) {
        return head.session().isShared() && SharedKeys.has(head, address);
    }

    public CompletionStage<Boolean> coversAny(List<Address> addresses) {
        return file.read(session -> addresses.stream()
                .anyMatch(address ->
                        find(session.head(), address).filter(Watched::isCovered).isPresent()));
    }

    /** Returns all watched addresses whose keys we have. */
    public CompletionStage<Set<Address>> allWatched() {
        return file.read(session -> {
            Set<Address> watched = new HashSet<>();
            for (byte[] joined : WatchedAddresses.OWNED.joined(session)) {
                for (int at = 0; at < joined.length; at += Address.LENGTH) {
                    watched.add(Address.of(Arrays.copyOfRange(joined, at, at + Address.LENGTH)));
                }
            }
            return watched;
        });
    }

    /** Returns the addresses of {@link #allWatched}, each once, concatenated, split over several arrays. */
    public CompletionStage<List<byte[]>> allWatchedJoined() {
        return file.read(WatchedAddresses.OWNED::joined);
    }

    public CompletionStage<Optional<Watched>> find(Address address) {
        return file.read(session -> find(session.head(), address));
    }

    private static Optional<Watched> find(Page page, Address address) {
        return page.queryOne(
                "SELECT address, birth, history_from FROM watched WHERE address = ?", LedgerBooks::watched, address);
    }

    private static Watched watched(Row row) throws SQLException {
        return new Watched(Address.of(row.getBytes(1)), row.getLong(2), row.getLong(3));
    }

    /** Reads the unspent coins, after the block {@code at}, of each address that is covered; other addresses are left out. */
    public CompletionStage<Optional<Map<Address, List<OwnCoin>>>> unspent(BlockPlace at, List<Address> addresses) {
        return after(at, head -> CoinReading.unspent(head, at.height(), addresses));
    }

    /** Reads the most valuable coins of an address as {@link #unspent} does, at most {@code most}, in descending order. */
    public CompletionStage<Optional<Map<Address, List<OwnCoin>>>> mostValuable(
            BlockPlace at, Address address, int most) {
        return after(at, head -> CoinReading.mostValuable(head, at.height(), address, most));
    }

    /**
     * Reads the balance of each address after the block {@code at}, in the order of {@code addresses}; empty for addresses that are not covered.
     *
     * @param maturity blocks between a coinbase and the first block that may spend it; only coins that the next block may spend count
     */
    public CompletionStage<Optional<List<Optional<Amount>>>> sums(
            BlockPlace at, int maturity, List<Address> addresses) {
        return after(at, head -> CoinReading.sums(head, new CoinSums.Moment(at.height(), maturity), addresses));
    }

    /** Reads deposits and payments; empty when the requested block is no longer on the followed chain. */
    public CompletionStage<Optional<MoneyFlow.Read>> flow(MoneyFlow.Wanted wanted) {
        return file.read(session -> MoneyFlow.read(session.head(), wanted));
    }

    private <T> CompletionStage<Optional<T>> after(BlockPlace at, Function<Page, T> reading) {
        return file.read(session -> Optional.of(session.head())
                .filter(head -> BlockRows.has(head, at))
                .map(reading));
    }

    /**
     * Page of the history of an address.
     *
     * @param next cursor of the next page; empty on the last one
     * @param completeFrom height from which the books have every coin that the address received; a list from 0 lacks nothing. Otherwise it lacks,
     *     at every height, also the spends of coins that were received below
     * @param to height of the newest block that was looked at; -1 before the first
     */
    public record History(List<HistoryEntry> entries, Optional<HistoryCursor> next, long completeFrom, long to) {}

    /**
     * Reads the history of an address within a range of heights, ascending, but not below the height from which its coins are known. Empty for
     * an address that is not watched, and when the list of the cursor cannot go on: a block up to it was replaced, or the books know less than
     * when it began.
     *
     * @param after end of the page before; empty for the first page
     * @param most number of entries
     */
    public CompletionStage<Optional<History>> history(
            Address address, long from, long to, Optional<HistoryCursor> after, int most) {
        return file.read(session -> history(session.head(), address, from, to, after, most));
    }

    private static Optional<History> history(
            Page head, Address address, long from, long to, Optional<HistoryCursor> after, int most) {
        HistoryEntry.Position start = after.map(HistoryCursor::position).orElse(HistoryEntry.Position.START);
        OptionalLong known = knownFrom(head, address);
        if (known.isEmpty()) {
            return Optional.empty();
        }
        long completeFrom = after.map(HistoryCursor::completeFrom).orElse(known.getAsLong());
        if (known.getAsLong() > completeFrom
                || after.isPresent() && !isOnChain(head, after.get().block())) {
            return Optional.empty();
        }
        long last = Math.min(to, top(head).orElse(-1));
        List<HistoryEntry> found =
                HistoryReading.read(head, address, Math.max(from, known.getAsLong()), last, start, most + 1);
        List<HistoryEntry> entries = found.subList(0, Math.min(most, found.size()));
        Optional<HistoryCursor> next = found.size() == entries.size()
                ? Optional.empty()
                : Optional.of(entries.get(most - 1).position())
                        .flatMap(end -> BlockRows.from(head, end.height())
                                .map(block -> new HistoryCursor(
                                        end, new BlockPlace(block.height(), block.blockId()), completeFrom)));
        return Optional.of(new History(entries, next, completeFrom, last));
    }

    /**
     * Returns the height from which all coins of an address are known: 0 when no block before can have a part in its history. For a watch-only
     * address the birth is only what a caller said, so the blocks below count as not read.
     */
    private static OptionalLong knownFrom(Page head, Address address) {
        return head.ifNumber(
                "SELECT CASE WHEN history_from <= MAX(CASE WHEN watch_only = 1 THEN 0 ELSE birth END, 1) THEN 0"
                        + " ELSE history_from END FROM watched WHERE address = ?",
                address);
    }

    /** Tells whether a block that was kept once is still on the chain. Only within the last 10,000 blocks: one below counts as still there. */
    private static boolean isOnChain(Page head, BlockPlace place) {
        return BlockRows.from(head, place.height())
                .filter(row -> row.height() > place.height() || row.blockId().equals(place.blockId()))
                .isPresent();
    }

    /**
     * A transaction that may be in a block.
     *
     * @param inputs outpoints that it spends
     */
    public record Sought(Hash256 txId, List<Outpoint> inputs) {}

    /**
     * Returns the heights of the blocks that contain the transactions, in their order. Only transactions that pay or spend from a watched address
     * are found.
     */
    public CompletionStage<List<OptionalLong>> heights(List<Sought> transactions) {
        return file.read(session -> {
            Page head = session.head();
            return transactions.stream()
                    .map(sought -> LedgerTable.heightOf(head, sought.txId(), sought.inputs()))
                    .toList();
        });
    }

    /** Reads the outputs, among these outpoints, that are proven by the bytes of their transactions. */
    public CompletionStage<Map<Outpoint, VerifiedOutput>> verified(Set<Outpoint> wanted) {
        return file.read(session -> {
            Map<Outpoint, VerifiedOutput> known = new HashMap<>();
            for (Outpoint outpoint : wanted) {
                verified(session.head(), outpoint).ifPresent(output -> known.put(outpoint, output));
            }
            return known;
        });
    }

    private static Optional<VerifiedOutput> verified(Page page, Outpoint outpoint) {
        return page.queryOne(
                "SELECT value, script FROM verified_outputs WHERE tx_id = ?1 AND output_index = ?2 UNION ALL"
                        + " SELECT c.value, a.address FROM coins c INDEXED BY coins_by_outpoint CROSS JOIN addresses a ON a.id = c.address"
                        + " WHERE substr(c.tx_id, 1, 6) = substr(?1, 1, 6) AND c.tx_id = ?1 AND c.output_index = ?2"
                        + " LIMIT 1",
                row -> new VerifiedOutput(Amount.ofUnsigned(row.getLong(1)), Bytes.wrap(row.getBytes(2))),
                outpoint);
    }

    /**
     * Reads a page of an address's history. The indexes order its coins by height; within a block they are sorted here by transaction. So a page
     * costs its content plus the coins of the blocks at its borders, and no index needs transaction ids.
     */
    private static final class HistoryReading {
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
            static Part read(Row row, boolean input) throws SQLException {
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
         * Returns the first entries after a position, at heights {@code from} to {@code to}.
         *
         * @throws ArithmeticException when one transaction sums to more than 2^64-1, which no valid chain contains
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

        /** Reads the entries of one direction, received or spent. A block yields entries only once all its coins are read. */
        private static List<HistoryEntry> half(
                Page head, Address address, boolean input, long first, long to, HistoryEntry.Position after, int most) {
            List<HistoryEntry> entries = new ArrayList<>();
            Map<HistoryEntry.Position, HistoryEntry> block = new TreeMap<>();
            long height = first - 1;
            long coin = Long.MAX_VALUE;
            List<Part> parts;
            do {
                parts = head.query(
                        input ? SPENT : PAID, row -> Part.read(row, input), address, to, height, coin, COINS);
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
                Map<HistoryEntry.Position, HistoryEntry> block,
                HistoryEntry.Position after,
                List<HistoryEntry> entries) {
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
}
