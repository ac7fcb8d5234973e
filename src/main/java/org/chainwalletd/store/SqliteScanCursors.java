package org.chainwalletd.store;

import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/** Cursors in SQLite. */
final class SqliteScanCursors implements ScanCursors {
    private final SqliteStore store;

    SqliteScanCursors(SqliteStore store) {
        this.store = store;
    }

    @Override
    public CompletionStage<OptionalLong> of(String scan) {
        return store.read(
                session -> session.queryOne("SELECT block FROM scans WHERE name = ?", row -> row.getLong(1), scan)
                        .map(OptionalLong::of)
                        .orElseGet(OptionalLong::empty));
    }

    @Override
    public CompletionStage<Void> move(String scan, long block) {
        return store.write(session -> {
            session.update(
                    "INSERT INTO scans (name, block) VALUES (?, ?)"
                            + " ON CONFLICT (name) DO UPDATE SET block = max(block, excluded.block)",
                    scan,
                    block);
            return null;
        });
    }
}
