package org.chainwalletd.store.books;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Bytes32;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.BlockPlace;
import org.chainwalletd.store.sql.Row;
import org.chainwalletd.store.sql.SqlSession;

/**
 * The rows of one scan, inside one transaction. Database failures are unchecked exceptions and abort the whole transaction.
 *
 * @param scan {@link #HEAD}, or the number of a rescan whose rows are not visible to readers yet
 */
public record Page(BooksSession session, long scan) {
    /** Scan number of the rows of the followed chain, which all readers see. */
    public static final long HEAD = 0;

    public boolean isHead() {
        return scan == HEAD;
    }

    /** Runs a modifying statement, possibly deferred until the next query. */
    public void update(String sql, Object... values) {
        session.run(connection -> {
            connection.defer(sql, columns(values));
            return null;
        });
    }

    /** Runs a modifying statement immediately; returns the number of rows changed. */
    int updated(String sql, Object... values) {
        return session.run(connection -> connection.update(sql, columns(values)));
    }

    public <T> List<T> query(String sql, SqlSession.RowReader<T> reader, Object... values) {
        return session.run(connection -> connection.query(sql, reader, columns(values)));
    }

    void visit(String sql, SqlSession.Visitor<Row> visitor, Object... values) {
        session.run(connection -> {
            connection.visit(sql, visitor, columns(values));
            return null;
        });
    }

    public <T> Optional<T> queryOne(String sql, SqlSession.RowReader<T> reader, Object... values) {
        return session.run(connection -> connection.queryOne(sql, reader, columns(values)));
    }

    public boolean has(String sql, Object... values) {
        return session.run(connection -> connection.has(sql, columns(values)));
    }

    /** Returns the number in the first column of the first row, which must exist. */
    public long number(String sql, Object... values) {
        return ifNumber(sql, values).orElseThrow();
    }

    /** Returns the number in the first column of the first row; empty without a row. */
    public OptionalLong ifNumber(String sql, Object... values) {
        return session.run(connection -> connection.ifNumber(sql, columns(values)));
    }

    /** Returns the values of columns for values of the domain: two for an outpoint (id, index) and for a block (height, id). */
    private static Object[] columns(Object... values) {
        List<Object> columns = new ArrayList<>(values.length);
        for (Object value : values) {
            if (value instanceof Outpoint outpoint) {
                columns.add(outpoint.txId().toArray());
                columns.add(outpoint.index());
            } else if (value instanceof BlockPlace place) {
                columns.add(place.height());
                columns.add(place.blockId().toArray());
            } else if (value instanceof Bytes32<?> bytes) {
                columns.add(bytes.toArray());
            } else if (value instanceof Bytes bytes) {
                columns.add(bytes.toArray());
            } else if (value instanceof Amount amount) {
                columns.add(amount.bits());
            } else if (value instanceof Boolean flag) {
                columns.add(flag ? 1 : 0);
            } else {
                columns.add(value);
            }
        }
        return columns.toArray();
    }
}
