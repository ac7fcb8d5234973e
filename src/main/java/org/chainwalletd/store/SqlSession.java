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

/** A database connection with its prepared statements. Used by one thread at a time. */
public final class SqlSession implements AutoCloseable {
    /**
     * Differences between the database engines. Tables and statements are shared; they are written in SQL that both engines understand, or in
     * SQLite's.
     */
    interface Dialect {
        /** Translates a statement for this engine. */
        String text(String statement);

        /** Statement that begins a transaction whose queries all see the same moment. */
        String beginReading();

        /** Tells whether a constraint, or the type of a column, rejected a row. */
        boolean isConstraint(SQLException e);

        /** Tells whether the rejected row can only come from a fault in this program: then the writer must stop. */
        boolean isImpossible(SQLException e);

        /** Makes the present transaction write a commit although no data changes. */
        void touch(SqlSession session) throws SQLException;

        /** Sets whether replaced data is overwritten in the file from now on, instead of only releasing its pages. */
        void overwrite(SqlSession session, boolean on) throws SQLException;
    }

    /** Reads one row. */
    @FunctionalInterface
    public interface RowReader<T> {
        T read(Row row) throws SQLException;
    }

    /** Processes one row. */
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

    /** Returns the text of every statement that was used and not discarded. */
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

    /** Passes each row to {@code visitor} without collecting results: for many rows of which little is kept. */
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

    /** Executes a statement without preparing it: for pragmas and schema changes. */
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

    /** Discards a prepared statement: after an error such as a full disk the driver has finalised it without notice. */
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
