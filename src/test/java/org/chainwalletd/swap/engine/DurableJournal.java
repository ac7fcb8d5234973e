package org.chainwalletd.swap.engine;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.TestSeals;
import org.chainwalletd.keyring.store.SealedRecords;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.store.sql.Sqlite;
import org.chainwalletd.store.sql.SqliteStore;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.testkit.Await;

/**
 * The swap journal as currently in the file, read through a separate connection: what the next process would find if this one died now.
 * Thread-safe.
 */
public final class DurableJournal implements AutoCloseable {
    private final SqlSession session;
    private final SealedRecords seals = TestSeals.of(Optional.empty());

    /** @param folder with the file of the store */
    DurableJournal(Path folder) {
        try {
            session = Sqlite.connect(folder.resolve(SqliteStore.FILE_NAME));
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    Optional<SwapRow> row(String id) {
        return row("id", id);
    }

    Optional<SwapRow> row(Hash256 hashLock) {
        return row("hash_lock", hashLock.toArray());
    }

    private synchronized Optional<SwapRow> row(String column, Object value) {
        try {
            return session.queryOne(
                            "SELECT content FROM swaps WHERE " + column + " = ?",
                            row -> Bytes.wrap(row.getBytes(1)),
                            value)
                    .map(this::opened);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns the decoded row of the journal. */
    SwapRow opened(Bytes sealed) {
        try (SecretBytes content = Await.result(seals.open(sealed))) {
            SwapCodec.Opened opened = SwapCodec.decode(content);
            opened.secret().close();
            return opened.row();
        }
    }

    @Override
    public synchronized void close() {
        try {
            session.close();
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
        seals.close();
    }
}
