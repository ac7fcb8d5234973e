package org.chainwalletd.store.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.store.SwapStore;
import org.chainwalletd.store.SwapStore.SwapEntry;

/** Stores the swap journal in SQL. */
public final class SqlSwaps implements SwapStore {
    public static final String WATCHED = "watched = 1";

    private static final String COLUMNS =
            "number, id, version, pool_id, hash_lock, status, watched, content, updated_at";
    private static final String SELECT = "SELECT " + COLUMNS + " FROM swaps";
    private static final String SAME = " WHERE id = ? OR pool_id = ? OR hash_lock = ?";

    private final SqlStore store;

    SqlSwaps(SqlStore store) {
        this.store = store;
    }

    @Override
    public CompletionStage<Optional<SwapEntry>> add(SwapEntry entry) {
        return store.writeNew(session -> {
            store.requireKeeper();
            if (session.queryOne(SELECT + SAME, SqlSwaps::read, entry.id(), entry.poolId(), entry.hashLock())
                    .isPresent()) {
                return Optional.empty();
            }
            long number = 1 + session.number("SELECT coalesce(max(number), 0) FROM swaps");
            session.update(
                    SqlSession.insertion("swaps", COLUMNS),
                    number,
                    entry.id(),
                    entry.version(),
                    entry.poolId(),
                    entry.hashLock(),
                    entry.status(),
                    entry.watched() ? 1 : 0,
                    entry.content(),
                    entry.updatedAt());
            return Optional.of(entry.numbered(number));
        });
    }

    @Override
    public CompletionStage<Boolean> replace(SwapEntry entry) {
        return store.write(session -> {
            store.requireKeeper();
            return session.update(
                            "UPDATE swaps SET version = ?, status = ?, watched = ?, content = ?, updated_at = ?"
                                    + " WHERE id = ? AND version = ?",
                            entry.version(),
                            entry.status(),
                            entry.watched() ? 1 : 0,
                            entry.content(),
                            entry.updatedAt(),
                            entry.id(),
                            entry.version() - 1)
                    == 1;
        });
    }

    @Override
    public CompletionStage<Optional<SwapEntry>> find(String id) {
        return store.read(session -> session.queryOne(SELECT + " WHERE id = ?", SqlSwaps::read, id));
    }

    @Override
    public CompletionStage<Optional<SwapEntry>> ofHashLock(Hash256 hashLock) {
        return store.read(session -> session.queryOne(SELECT + " WHERE hash_lock = ?", SqlSwaps::read, hashLock));
    }

    @Override
    public CompletionStage<List<SwapEntry>> watched() {
        return store.read(session -> session.query(SELECT + " WHERE " + WATCHED + " ORDER BY number", SqlSwaps::read));
    }

    @Override
    public CompletionStage<Optional<SwapEntry>> newest() {
        return store.read(session -> session.queryOne(SELECT + " ORDER BY number DESC LIMIT 1", SqlSwaps::read));
    }

    @Override
    public CompletionStage<List<SwapEntry>> page(Optional<String> status, long below, int limit) {
        return store.read(session -> status.isEmpty()
                ? session.query(SELECT + " WHERE number < ? ORDER BY number DESC LIMIT ?", SqlSwaps::read, below, limit)
                : session.query(
                        SELECT + " WHERE status = ? AND number < ? ORDER BY number DESC LIMIT ?",
                        SqlSwaps::read,
                        status.get(),
                        below,
                        limit));
    }

    @Override
    public CompletionStage<Integer> remove(String status, long updatedBefore) {
        return store.write(session -> {
            store.requireKeeper();
            return session.update(
                    "DELETE FROM swaps WHERE status = ? AND watched = 0 AND updated_at < ?", status, updatedBefore);
        });
    }

    private static SwapEntry read(Row row) throws SQLException {
        return new SwapEntry(
                row.number("number"),
                row.text("id"),
                row.number("version"),
                row.text("pool_id"),
                row.hash("hash_lock"),
                row.text("status"),
                row.flag("watched"),
                row.bytes("content"),
                row.number("updated_at"));
    }
}
