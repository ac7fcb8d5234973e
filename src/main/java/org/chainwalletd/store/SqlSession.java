package org.chainwalletd.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One database connection with its prepared statements. Used by one thread at a time. */
public final class SqlSession implements AutoCloseable {
    /** Differences between the engines. Tables and statements are the same; they are written as both understand them, or as SQLite does. */
    interface Dialect {
        /** A statement as this engine understands it. */
        String text(String statement);

        /** Begins a transaction whose questions all see the same moment. */
        String beginReading();

        /** Whether a constraint, or the type of a column, refuses a row. */
        boolean isConstraint(SQLException e);

        /** Whether a row was refused that can only come of a fault of this program: the writer must not go on. */
        boolean isImpossible(SQLException e);

        /** Changes nothing, and lets the transaction that it is part of be written all the same. */
        void touch(SqlSession session) throws SQLException;

        /** Whether what is replaced from now on is overwritten in the file, not only let go of. */
        void overwrite(SqlSession session, boolean on) throws SQLException;
    }

    /** Reads one row. */
    @FunctionalInterface
    public interface RowReader<T> {
        T read(Row row) throws SQLException;
    }

    /** Takes what it wants of one row. */
    @FunctionalInterface
    public interface RowVisitor {
        void visit(Row row) throws SQLException;
    }

    private final Connection connection;
    private final Dialect dialect;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    SqlSession(Connection connection, Dialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
    }

    Dialect dialect() {
        return dialect;
    }

    /** The text of every statement that was used and not discarded. */
    public Set<String> statements() {
        return Set.copyOf(prepared.keySet());
    }

    /** Runs a statement and returns the number of rows it changed. */
    public int update(String sql, Object... values) throws SQLException {
        try {
            return bind(sql, values).executeUpdate();
        } catch (SQLException e) {
            discard(sql);
            throw e;
        }
    }

    public <T> List<T> query(String sql, RowReader<T> reader, Object... values) throws SQLException {
        List<T> rows = new ArrayList<>();
        visit(sql, row -> rows.add(reader.read(row)), values);
        return rows;
    }

    /** Collects nothing: for many rows of which little is kept. */
    public void visit(String sql, RowVisitor visitor, Object... values) throws SQLException {
        try (ResultSet result = bind(sql, values).executeQuery()) {
            Row row = new Row(result);
            while (result.next()) {
                visitor.visit(row);
            }
        } catch (SQLException e) {
            discard(sql);
            throw e;
        }
    }

    public <T> Optional<T> queryOne(String sql, RowReader<T> reader, Object... values) throws SQLException {
        List<T> rows = query(sql, reader, values);
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(0));
    }

    /** For pragmas and schema changes, which are not worth preparing. */
    public void execute(String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private PreparedStatement bind(String sql, Object... values) throws SQLException {
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(dialect.text(sql));
            prepared.put(sql, statement);
        }
        for (int i = 0; i < values.length; i++) {
            statement.setObject(i + 1, values[i]);
        }
        return statement;
    }

    /** After an error such as a full disk the driver has finalised the statement behind our back. */
    private void discard(String sql) throws SQLException {
        PreparedStatement broken = prepared.remove(sql);
        if (broken != null) {
            broken.close();
        }
    }

    @Override
    public void close() throws SQLException {
        for (PreparedStatement statement : prepared.values()) {
            statement.close();
        }
        connection.close();
    }
}
