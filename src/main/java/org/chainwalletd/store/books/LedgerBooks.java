package org.chainwalletd.store.books;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;

/**
 * What the ledger's owner asks of its tables, and writes beside the blocks: which addresses are watched and covered. Answers hold for one
 * block of the chain, which the caller names; they are empty when that block is not on the followed chain any more. Stages fail with
 * {@code StoreException}.
 */
public final class LedgerBooks {
    private final Books file;

    public LedgerBooks(Books file) {
        this.file = file;
    }

    /**
     * How far an address is known.
     *
     * @param fromHeight blocks above are read for it
     * @param coverHeight from there on its coins are complete; empty: they are not
     * @param historyFrom from there on its history is complete
     */
    public record Watched(
            Address address, long fromHeight, boolean fresh, Optional<Long> coverHeight, long historyFrom) {}

    /**
     * Watches addresses from the block that was written last on. Durable when the stage completes; those that are watched stay as they are.
     *
     * @param fresh drawn here this moment: they have no coins in blocks deeper than {@code young} below
     */
    public CompletionStage<Void> watch(List<Address> addresses, boolean fresh, long young) {
        return file.write(session -> {
            watch(session.head(), addresses, fresh, young);
            return null;
        });
    }

    private static void watch(Page head, List<Address> addresses, boolean fresh, long young) {
        long height = BlockRows.top(head).map(BlockRow::height).orElse(-1L);
        long birth = Math.max(0, height - young);
        LedgerTable.changed(head);
        for (Address address : addresses) {
            head.update(
                    "INSERT OR IGNORE INTO watched"
                            + " (address, from_height, fresh, cover_height, history_from, before_scan)"
                            + " SELECT ?, ?, ?, ?, ?, COALESCE(MAX(scan), 0) + 1 FROM scans",
                    address.toArray(),
                    height,
                    fresh ? 1 : 0,
                    fresh ? birth : null,
                    fresh ? birth : Math.max(0, height + 1));
            LedgerSieve.inMindOf(head.session()).ifPresent(sieve -> sieve.watch(address));
        }
    }

    /**
     * Watches the first, which may have coins, from the block that was written last on, and the others no more; durable in one commit when the
     * stage completes. What is known of coins of the others stays, and their spends are still noted.
     */
    public CompletionStage<Void> settle(List<Address> watched, List<Address> unwatched) {
        return file.write(session -> {
            watch(session.head(), watched, false, 0);
            unwatched.forEach(address -> unwatch(session.head(), address));
            LedgerTable.changed(session.head());
            return null;
        });
    }

    private static void unwatch(Page head, Address address) {
        head.update("DELETE FROM watched WHERE address = ?", (Object) address.toArray());
        LedgerSieve.inMindOf(head.session()).ifPresent(sieve -> sieve.leave(address));
    }

    /**
     * Watches those keys that are not: ones that a crash left unwatched, whose callers never heard of them, and ones of an older release. They may
     * have coins.
     */
    public CompletionStage<Void> watchMissing(List<Address> keys) {
        return allWatched()
                .thenComposeAsync(
                        watched -> watch(
                                keys.stream()
                                        .filter(key -> !watched.contains(key))
                                        .toList(),
                                false,
                                0),
                        Runnable::run);
    }

    /** Whether the coins of at least one of these are complete. */
    public CompletionStage<Boolean> coversAny(List<Address> addresses) {
        return file.read(session -> addresses.stream()
                .anyMatch(address -> find(session.head(), address)
                        .flatMap(Watched::coverHeight)
                        .isPresent()));
    }

    public CompletionStage<Set<Address>> allWatched() {
        return file.read(session ->
                new HashSet<>(session.head().query("SELECT address FROM watched", row -> Address.of(row.getBytes(1)))));
    }

    public CompletionStage<Optional<Watched>> find(Address address) {
        return file.read(session -> find(session.head(), address));
    }

    private static Optional<Watched> find(Page page, Address address) {
        return page.queryOne(
                "SELECT address, from_height, fresh, cover_height, history_from FROM watched WHERE address = ?",
                LedgerBooks::watched,
                (Object) address.toArray());
    }

    private static Watched watched(ResultSet row) throws SQLException {
        long cover = row.getLong(4);
        Optional<Long> covered = row.wasNull() ? Optional.empty() : Optional.of(cover);
        return new Watched(Address.of(row.getBytes(1)), row.getLong(2), row.getInt(3) != 0, covered, row.getLong(5));
    }

    /** Some addresses whose coins are not complete, the ones that are watched longest first. */
    public CompletionStage<List<Watched>> uncovered(int most) {
        return file.read(session -> session.head()
                .query(
                        "SELECT address, from_height, fresh, cover_height, history_from FROM watched"
                                + " WHERE cover_height IS NULL ORDER BY from_height LIMIT ?",
                        LedgerBooks::watched,
                        most));
    }

    /**
     * Makes addresses covered by what was listed for them at a block, if that block is the last one that was written: neither earlier nor
     * later, because spends after it would be missing.
     *
     * @param below other blocks that must still be of the chain, because some of the coins were read up to them
     * @return whether they are covered now
     */
    public CompletionStage<Boolean> cover(
            BlockPlace at, Collection<BlockPlace> below, List<Address> addresses, List<OwnCoin> coins) {
        return file.write(session -> {
            Page head = session.head();
            if (!BlockRows.top(head).map(BlockRow::place).equals(Optional.of(at))
                    || !below.stream().allMatch(place -> BlockRows.has(head, place))) {
                return false;
            }
            LedgerTable.changed(head);
            coins.forEach(coin -> LedgerTable.create(head, coin));
            for (Address address : addresses) {
                head.update(
                        "UPDATE watched SET cover_height = ? WHERE address = ? AND cover_height IS NULL",
                        at.height(),
                        address.toArray());
            }
            return true;
        });
    }

    /** Unspent coins of each covered one of {@code addresses} after the block {@code at}; the others are left out. */
    public CompletionStage<Optional<Map<Address, List<OwnCoin>>>> unspent(BlockPlace at, List<Address> addresses) {
        return after(at, head -> CoinReading.unspent(head, at.height(), addresses));
    }

    /**
     * What each of {@code addresses} has after the block {@code at}, in their order; empty for those that are not covered there.
     *
     * @param maturity blocks between a coinbase and the first block that may spend it; only what the next block may spend counts
     */
    public CompletionStage<Optional<List<Optional<Amount>>>> sums(
            BlockPlace at, int maturity, List<Address> addresses) {
        return after(at, head -> CoinReading.sums(head, new CoinSums.Moment(at.height(), maturity), addresses));
    }

    private <T> CompletionStage<Optional<T>> after(BlockPlace at, Function<Page, T> reading) {
        return file.read(session -> Optional.of(session.head())
                .filter(head -> BlockRows.has(head, at))
                .map(reading));
    }

    /**
     * What has happened to an address from a height on up to the block {@code at}, ascending, and no further back than its history is complete.
     *
     * @param after the place that the first entry comes after; empty: from the beginning
     */
    public CompletionStage<List<HistoryEntry>> history(
            Address address, long from, long to, Optional<HistoryEntry.Position> after, int most) {
        return file.read(session -> {
            Page head = session.head();
            long complete = find(head, address).map(Watched::historyFrom).orElse(Long.MAX_VALUE);
            return HistoryReading.read(
                    head, address, Math.max(from, complete), to, after.orElse(HistoryEntry.Position.START), most);
        });
    }

    /** What is known by bytes of these outpoints. */
    public CompletionStage<Map<Outpoint, Map.Entry<Amount, Bytes>>> verified(Set<Outpoint> wanted) {
        return file.read(session -> {
            Map<Outpoint, Map.Entry<Amount, Bytes>> known = new HashMap<>();
            for (Outpoint outpoint : wanted) {
                verified(session.head(), outpoint).ifPresent(output -> known.put(outpoint, output));
            }
            return known;
        });
    }

    private static Optional<Map.Entry<Amount, Bytes>> verified(Page page, Outpoint outpoint) {
        return page.queryOne(
                "SELECT value, script FROM verified_outputs WHERE tx_id = ?1 AND output_index = ?2 UNION ALL"
                        + " SELECT c.value, a.address FROM coins c INDEXED BY coins_by_outpoint CROSS JOIN addresses a ON a.id = c.address"
                        + " WHERE substr(c.tx_id, 1, 6) = substr(?1, 1, 6) AND c.tx_id = ?1 AND c.output_index = ?2"
                        + " LIMIT 1",
                row -> Map.entry(Amount.ofUnsigned(row.getLong(1)), Bytes.wrap(row.getBytes(2))),
                outpoint.txId().toArray(),
                outpoint.index());
    }
}
