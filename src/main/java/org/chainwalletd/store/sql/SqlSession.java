package org.chainwalletd.store.sql;

import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A database connection with its prepared statements. Used by one thread at a time. */
public final class SqlSession implements AutoCloseable {
    /**
     * Differences between the database engines. Tables and statements are shared; they are written in SQL that both engines understand, or in
     * SQLite's.
     */
    public interface Dialect {
        /** Translates a statement for this engine. */
        String text(String statement);

        /** Returns the values of a statement in the order of the places where its translation has them. */
        default Object[] values(String statement, Object... values) {
            return values;
        }

        /** Statement that begins a transaction whose queries all see the same moment. */
        String beginReading();

        /** Tells whether a constraint, or the type of a column, rejected a row. */
        boolean isConstraint(SQLException e);

        /** Tells whether the rejected row can only come from a fault in this program: then the writer must stop. */
        boolean isImpossible(SQLException e);

        /**
         * Tells whether a statement costs a round trip to a server: then lookups are fetched together ({@link SqlSession#fetch}) and writes sent
         * together ({@link SqlSession#later}).
         */
        default boolean isRemote() {
            return false;
        }

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

    /** Processes one row, or what was read of it. */
    @FunctionalInterface
    public interface Visitor<T> {
        void visit(T row) throws SQLException;
    }

    /**
     * A query for the few rows of one key. Queries with the same text can be fetched in one message for many keys; the order of the rows of one
     * key is not defined.
     *
     * @param key by which deferred writes name the rows that they change
     */
    public record Lookup<T>(Object key, String sql, RowReader<T> reader, Object... values) {
        private List<Object> identity() {
            List<Object> identity = new ArrayList<>(List.of(sql, key));
            for (Object value : values) {
                identity.add(value instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : value);
            }
            return identity;
        }
    }

    /** Finds rows of lookups: by asking the database, or among rows that were fetched before. */
    @FunctionalInterface
    interface Finder {
        /** Returns the first row of a lookup. */
        <T> Optional<T> find(Lookup<T> lookup) throws SQLException;
    }

    /** Answers to the lookups of one {@link #ask}. */
    public final class Answers implements Finder {
        /** Rows that a server has sent, by the lookup; empty on a disk. */
        private final Map<List<Object>, List<?>> sent = new HashMap<>();

        private Answers() {}

        /** Returns the rows of one of the lookups. */
        @SuppressWarnings("unchecked")
        public <T> List<T> all(Lookup<T> lookup) throws SQLException {
            // Only the reader of this lookup has read the rows that are kept under its identity.
            return dialect.isRemote()
                    ? (List<T>) sent.get(lookup.identity())
                    : query(lookup.sql(), lookup.reader(), lookup.values());
        }

        @Override
        public <T> Optional<T> find(Lookup<T> lookup) throws SQLException {
            return all(lookup).stream().findFirst();
        }
    }

    /**
     * A write that was not sent yet.
     *
     */
    private record Write(String sql, Together together, Object... values) {
        /** Returns what those have in common that are sent as one statement. */
        private Object statement() {
            return together == Together.NO ? this : sql;
        }
    }

    /** Way in which writes of the same text are sent as one statement. */
    private enum Together {
        NO,
        /** Inserts or updates a row for each write. */
        ROWS,
        /** Has one parameter, an array with the value of each write. */
        ARRAY
    }

    /** Most statements in a message: the driver waits for an answer after some more. */
    private static final int STATEMENTS_IN_MESSAGE = 200;

    private final Connection connection;
    private final Dialect dialect;
    /** Rows of lookups that no statement has changed since they were fetched. */
    private final Map<List<Object>, List<?>> fetched = new HashMap<>();

    private final Map<Object, List<List<Object>>> fetchedByKey = new HashMap<>();
    /** Deferred writes in their order; one that sets the row of a key replaces an earlier one. */
    private final Map<Object, Write> unsent = new LinkedHashMap<>();

    /** Statements for arrays of values, by the text of their lookups. */
    private final Map<String, String> ofMany = new HashMap<>();

    private long messages;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    public SqlSession(Connection connection, Dialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
    }

    /** Sets the time in milliseconds after which the connection is closed when a statement gets no answer; from the next statement on. */
    public void patience(int millis) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, millis);
    }

    Dialect dialect() {
        return dialect;
    }

    /** Returns the text of every statement that was used and not discarded. */
    public Set<String> statements() {
        return Set.copyOf(prepared.keySet());
    }

    /** Returns the number of messages that were sent for statements. */
    public long messages() {
        return messages;
    }

    /** Fetches the rows of many lookups from a server at once: one statement for each text, all in one message. */
    public void fetch(Collection<? extends Lookup<?>> lookups) throws SQLException {
        fetch(lookups, (lookup, rows) -> remember(lookup.key(), lookup.identity(), rows));
    }

    /**
     * Returns the rows that many lookups have now: a server is asked once, on a disk each is looked up when its rows are wanted. Nothing is
     * remembered.
     */
    public Answers ask(Stream<? extends Lookup<?>> lookups) throws SQLException {
        Answers answers = new Answers();
        if (dialect.isRemote()) {
            fetch(lookups.toList(), (lookup, rows) -> answers.sent.put(lookup.identity(), rows));
        }
        return answers;
    }

    private void fetch(Collection<? extends Lookup<?>> lookups, BiConsumer<Lookup<?>, List<?>> found)
            throws SQLException {
        if (!dialect.isRemote() || lookups.isEmpty()) {
            return;
        }
        flush();
        Map<String, Map<List<Object>, Lookup<?>>> byText = new LinkedHashMap<>();
        for (Lookup<?> lookup : lookups) {
            byText.computeIfAbsent(lookup.sql(), text -> new LinkedHashMap<>()).put(lookup.identity(), lookup);
        }
        StringBuilder text = new StringBuilder();
        for (Map<List<Object>, Lookup<?>> group : byText.values()) {
            Lookup<?> first = group.values().iterator().next();
            text.append(ofMany.computeIfAbsent(first.sql(), sql -> ofMany(first)))
                    .append(";\n");
        }
        messages++;
        try (PreparedStatement statement = connection.prepareStatement(text.toString())) {
            int parameter = 1;
            for (Map<List<Object>, Lookup<?>> group : byText.values()) {
                parameter = bindMany(statement, parameter, List.copyOf(group.values()));
            }
            statement.execute();
            for (Map<List<Object>, Lookup<?>> group : byText.values()) {
                readMany(statement.getResultSet(), List.copyOf(group.values()), found);
                statement.getMoreResults();
            }
        }
    }

    /**
     * Returns the statement of a lookup for arrays of values; its last column is the place of the values in the arrays, from 1. Each row is looked up
     * by an index: without OFFSET the planner takes the lookup for a join, and reads the whole table.
     */
    private String ofMany(Lookup<?> lookup) {
        StringBuilder arrays = new StringBuilder();
        StringBuilder names = new StringBuilder();
        String text = dialect.text(lookup.sql());
        for (int i = 0; i < lookup.values().length; i++) {
            arrays.append(i == 0 ? "?::" : ", ?::")
                    .append(typeOf(lookup.values()[i]))
                    .append("[]");
            names.append("value_").append(i).append(", ");
            text = text.replaceFirst("\\?", "asked.value_" + i);
        }
        return "SELECT found.*, asked.place FROM unnest(" + arrays + ") WITH ORDINALITY AS asked (" + names
                + "place) CROSS JOIN LATERAL (" + text + " OFFSET 0) AS found";
    }

    private int bindMany(PreparedStatement statement, int first, List<Lookup<?>> lookups) throws SQLException {
        Object[] one = lookups.get(0).values();
        for (int i = 0; i < one.length; i++) {
            int column = i;
            Object[] values = lookups.stream()
                    .map(lookup -> lookup.values()[column])
                    .toArray(length -> one[column] instanceof byte[] ? new byte[length][] : new Object[length]);
            statement.setArray(first + i, connection.createArrayOf(typeOf(one[i]), values));
        }
        return first + one.length;
    }

    private static String typeOf(Object value) {
        return value instanceof byte[] ? "bytea" : value instanceof String ? "text" : "bigint";
    }

    private static void readMany(ResultSet result, List<Lookup<?>> lookups, BiConsumer<Lookup<?>, List<?>> found)
            throws SQLException {
        List<List<Object>> rows = new ArrayList<>();
        lookups.forEach(lookup -> rows.add(new ArrayList<>()));
        int place = result.getMetaData().getColumnCount();
        Row row = new Row(result);
        while (result.next()) {
            int which = result.getInt(place) - 1;
            rows.get(which).add(lookups.get(which).reader().read(row));
        }
        for (int which = 0; which < lookups.size(); which++) {
            found.accept(lookups.get(which), rows.get(which));
        }
    }

    private void remember(Object key, List<Object> identity, List<?> rows) {
        fetched.put(identity, rows);
        fetchedByKey.computeIfAbsent(key, any -> new ArrayList<>()).add(identity);
    }

    /** Returns the first row of a lookup, from what was fetched before if it still holds. */
    @SuppressWarnings("unchecked")
    public <T> Optional<T> find(Lookup<T> lookup) throws SQLException {
        // Only the reader of this lookup has read the rows that are kept under its identity.
        List<T> rows = fetched.isEmpty() ? null : (List<T>) fetched.get(lookup.identity());
        if (rows == null) {
            return queryOne(lookup.sql(), lookup.reader(), lookup.values());
        }
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(0));
    }

    /** Runs a statement as {@link #later(Collection, String, Object...)} does, where nothing is fetched before it is looked up. */
    public void later(String sql, Object... values) throws SQLException {
        later(List.of(), sql, values);
    }

    /** Tells whether a server runs the statements, which other daemons ask as well. */
    public boolean isRemote() {
        return dialect.isRemote();
    }

    /** Begins a transaction whose queries all see the same moment. */
    public void beginReading() throws SQLException {
        update(dialect.beginReading());
    }

    /**
     * Runs a statement whose result nobody needs: on a server together with others, before the next query that was not fetched, or before the
     * commit.
     *
     * @param keys of all lookups whose rows the statement changes
     */
    void later(Collection<?> keys, String sql, Object... values) throws SQLException {
        if (dialect.isRemote()) {
            keys.forEach(this::forget);
            unsent.put(new Object(), new Write(sql, Together.NO, values));
        } else {
            update(sql, values);
        }
    }

    /**
     * Runs a statement as {@link #later(Collection, String, Object...)} does, on a server as one statement with all that have the same text: it
     * plans each statement anew, which costs more than a row does. The statement inserts one row, or updates the row with its last value as id,
     * setting numbers. Of the deferred statements, insertions of this kind may run earlier and updates later than they came.
     */
    void laterTogether(Collection<?> keys, String sql, Object... values) throws SQLException {
        if (dialect.isRemote()) {
            keys.forEach(this::forget);
            unsent.put(new Object(), new Write(sql, Together.ROWS, values));
        } else {
            update(sql, values);
        }
    }

    /**
     * Runs a statement on a server as {@link #later(Collection, String, Object...)} does, once for the values of all calls with the same text: its
     * parameter is an array of them. It changes no row of a lookup.
     */
    public void laterForAll(String sql, long value) {
        unsent.put(new Object(), new Write(sql, Together.ARRAY, value));
    }

    /**
     * Sets the row of a lookup, whatever it was, as {@link #later} does.
     *
     * @param value that the lookup finds from then on
     */
    <T> void set(Lookup<T> lookup, T value, String sql, Object... values) throws SQLException {
        if (dialect.isRemote()) {
            forget(lookup.key());
            remember(lookup.key(), lookup.identity(), List.of(value));
            List<Object> place = List.of(sql, lookup.identity());
            unsent.remove(place);
            unsent.put(place, new Write(sql, Together.NO, values));
        } else {
            update(sql, values);
        }
    }

    private void forget(Object key) {
        List<List<Object>> identities = fetchedByKey.remove(key);
        if (identities != null) {
            identities.forEach(fetched::remove);
        }
    }

    /** Sends the deferred writes. */
    public void flush() throws SQLException {
        if (unsent.isEmpty()) {
            return;
        }
        List<Write> writes = List.copyOf(unsent.values());
        unsent.clear();
        for (int from = 0; from < writes.size(); from += STATEMENTS_IN_MESSAGE) {
            send(writes.subList(from, Math.min(from + STATEMENTS_IN_MESSAGE, writes.size())));
        }
    }

    private void send(List<Write> writes) throws SQLException {
        List<Statement> statements =
                together(writes).stream().map(this::statement).toList();
        messages++;
        try (PreparedStatement message = connection.prepareStatement(
                statements.stream().map(Statement::text).collect(Collectors.joining(";\n")))) {
            int parameter = 1;
            for (Statement statement : statements) {
                for (Object value : statement.values()) {
                    message.setObject(parameter++, value);
                }
            }
            message.execute();
        }
    }

    /** Returns the writes of each statement: insertions at the place of the first of them, updates at the place of the last. */
    private static Collection<List<Write>> together(List<Write> writes) {
        Map<Object, List<Write>> statements = new LinkedHashMap<>();
        for (Write write : writes) {
            List<Write> rows =
                    isInsertion(write.sql()) ? statements.get(write.statement()) : statements.remove(write.statement());
            rows = rows == null ? new ArrayList<>() : rows;
            rows.add(write);
            statements.put(write.statement(), rows);
        }
        return statements.values();
    }

    private static boolean isInsertion(String sql) {
        return sql.startsWith("INSERT ");
    }

    /** A statement of a message. */
    private record Statement(String text, List<?> values) {}

    private Statement statement(List<Write> writes) {
        Write first = writes.get(0);
        String text = dialect.text(first.sql());
        if (first.together() == Together.ARRAY) {
            Object array = writes.stream().map(write -> write.values()[0]).toArray(Long[]::new);
            return new Statement(text, List.of(array));
        }
        return writes.size() == 1
                ? new Statement(text, Arrays.asList(dialect.values(first.sql(), first.values())))
                : ofRows(text, writes);
    }

    /**
     * Returns a statement for many rows, whose text is the same for any number of them: the server and the driver read a parameter for each column, and
     * not for each value.
     */
    private Statement ofRows(String text, List<Write> writes) {
        List<Object[]> placed = writes.stream()
                .map(write -> dialect.values(write.sql(), write.values()))
                .toList();
        int columns = placed.get(0).length;
        List<String> values = new ArrayList<>();
        List<String> parameters = new ArrayList<>();
        List<String> names = new ArrayList<>();
        List<Object> arrays = new ArrayList<>();
        for (int i = 0; i < columns; i++) {
            int column = i;
            List<Object> of = placed.stream().map(row -> row[column]).toList();
            Optional<String> type =
                    of.stream().filter(Objects::nonNull).findFirst().map(SqlSession::typeOf);
            values.add(type.isPresent() ? "rows.value_" + i : "NULL");
            if (type.isPresent()) {
                parameters.add("?::" + type.get() + "[]");
                names.add("value_" + i);
                arrays.add(arrayOf(type.get(), of));
            }
        }
        String rows = " FROM unnest(" + String.join(", ", parameters) + ") AS rows (" + String.join(", ", names) + ")";
        String named = replaced(text, values);
        if (isInsertion(text)) {
            int tuple = named.lastIndexOf(" VALUES (");
            return new Statement(
                    named.substring(0, tuple) + " SELECT "
                            + named.substring(tuple + " VALUES (".length(), named.length() - 1) + rows,
                    arrays);
        }
        int where = named.lastIndexOf(" WHERE ");
        String table = text.substring("UPDATE ".length(), text.indexOf(" SET "));
        return new Statement(
                named.substring(0, where) + rows + " WHERE " + table + ".id = " + values.get(columns - 1), arrays);
    }

    private static String replaced(String text, List<String> values) {
        StringBuilder named = new StringBuilder(text);
        int from = 0;
        for (String value : values) {
            int place = named.indexOf("?", from);
            named.replace(place, place + 1, value);
            from = place + value.length();
        }
        return named.toString();
    }

    private static Object[] arrayOf(String type, List<Object> values) {
        return switch (type) {
            case "bytea" -> values.toArray(byte[][]::new);
            case "text" -> values.toArray(String[]::new);
            default ->
                values.stream()
                        .map(value -> value == null ? null : Long.valueOf(((Number) value).longValue()))
                        .toArray(Long[]::new);
        };
    }

    /** Forgets what was fetched, and the deferred writes: the transaction, or a part of it, is rolled back. */
    public void forget() {
        fetched.clear();
        fetchedByKey.clear();
        unsent.clear();
    }

    /** Runs a statement and returns the number of rows it changed. */
    public int update(String sql, Object... values) throws SQLException {
        if (dialect.isRemote()) {
            // It may change any row.
            flush();
            forget();
        }
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
    public void visit(String sql, Visitor<Row> visitor, Object... values) throws SQLException {
        flush();
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

    /** Tells whether a query finds a row. */
    public boolean has(String sql, Object... values) throws SQLException {
        return queryOne(sql, row -> true, values).isPresent();
    }

    /** Returns the number in the only column of the first row, which there is. */
    public long number(String sql, Object... values) throws SQLException {
        return ifNumber(sql, values).orElseThrow();
    }

    /** Returns the number in the only column of the first row, when there is a row. */
    public OptionalLong ifNumber(String sql, Object... values) throws SQLException {
        return query(sql, row -> row.getLong(1), values).stream()
                .mapToLong(Long::longValue)
                .findFirst();
    }

    /** Executes a statement without preparing it: for pragmas and schema changes. */
    public void execute(String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Commits; tells whether the server warns, for example because no standby that it waits for may have the commit. */
    public boolean commitWarns() throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("COMMIT");
            return statement.getWarnings() != null;
        }
    }

    private PreparedStatement bind(String sql, Object... values) throws SQLException {
        messages++;
        PreparedStatement statement = prepared.get(sql);
        if (statement == null) {
            statement = connection.prepareStatement(dialect.text(sql));
            prepared.put(sql, statement);
        }
        Object[] placed = dialect.values(sql, values);
        for (int i = 0; i < placed.length; i++) {
            statement.setObject(i + 1, placed[i]);
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
