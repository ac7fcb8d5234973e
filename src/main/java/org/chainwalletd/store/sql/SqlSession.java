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
     * Differences between the database engines. Tables and statements are shared: they are written in SQL that both engines accept, or in SQLite's
     * dialect, which is then translated.
     */
    public interface Dialect {
        /** Translates a statement for this engine. */
        String text(String statement);

        /** Returns the values of a statement in the order in which its translation expects them. */
        default Object[] values(String statement, Object... values) {
            return values;
        }

        /** Returns the statement that begins a transaction whose queries all read the same snapshot. */
        String beginReading();

        /** Returns whether a row was rejected because of a constraint or its column types. */
        boolean isConstraint(SQLException e);

        /** Returns whether the rejection can only be caused by a bug in this program, in which case the writer must stop. */
        boolean isImpossible(SQLException e);

        /**
         * Returns whether each statement costs a round trip to a server. Lookups are then fetched in batches ({@link SqlSession#fetch}) and writes
         * sent in batches ({@link SqlSession#defer}).
         */
        default boolean isRemote() {
            return false;
        }

        /** Makes the current transaction write a commit although it changes no data. */
        void touch(SqlSession session) throws SQLException;

        /** Sets whether deleted or replaced data is overwritten in the file from now on, instead of only releasing its pages. */
        void overwrite(SqlSession session, boolean on) throws SQLException;
    }

    /** Reads one row. */
    @FunctionalInterface
    public interface RowReader<T> {
        T read(Row row) throws SQLException;
    }

    /** Processes one row, or a value read from it. */
    @FunctionalInterface
    public interface Visitor<T> {
        void visit(T row) throws SQLException;
    }

    /**
     * Query for the few rows of one key. Queries with the same text can be fetched for many keys in one message; the order of a key's rows is
     * undefined.
     *
     * @param key by which deferred writes name the rows that they change
     */
    public record Lookup<T>(Object key, String sql, RowReader<T> reader, Object... values) {
        public Lookup {
            values = Row.stored(values);
        }

        private List<Object> identity() {
            List<Object> identity = new ArrayList<>(List.of(sql, key));
            for (Object value : values) {
                identity.add(value instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : value);
            }
            return identity;
        }
    }

    /** Finds the rows of lookups, in the database or among rows fetched earlier. */
    @FunctionalInterface
    interface Finder {
        /** Returns the first row of a lookup. */
        <T> Optional<T> find(Lookup<T> lookup) throws SQLException;
    }

    /** Results of the lookups of one {@link #ask}. */
    public final class Answers implements Finder {
        /** Rows received from a server, by the identity of the lookup; empty on SQLite. */
        private final Map<List<Object>, List<?>> sent = new HashMap<>();

        private Answers() {}

        /** Returns all rows of one of the lookups. */
        @SuppressWarnings("unchecked")
        public <T> List<T> all(Lookup<T> lookup) throws SQLException {
            // The cast is safe: the rows stored under this identity were read by the reader of the same lookup.
            return dialect.isRemote()
                    ? (List<T>) sent.get(lookup.identity())
                    : query(lookup.sql(), lookup.reader(), lookup.values());
        }

        @Override
        public <T> Optional<T> find(Lookup<T> lookup) throws SQLException {
            return all(lookup).stream().findFirst();
        }
    }

    /** Deferred write that was not sent yet. */
    private record Write(String sql, Combining together, Object... values) {
        private Write {
            values = Row.stored(values);
        }

        /** Returns the key that is equal for writes which are sent as one statement. */
        private Object statement() {
            return together == Combining.NO ? this : sql;
        }
    }

    /** How deferred writes with the same text are combined into one statement. */
    private enum Combining {
        NO,
        /** Inserts or updates one row per write. */
        ROWS,
        /** Has one array parameter with the value of each write. */
        ARRAY
    }

    /** Maximum number of statements in one message; with more, the driver waits for a response in between. */
    private static final int STATEMENTS_IN_MESSAGE = 200;

    private final Connection connection;
    private final Dialect dialect;
    /** Rows of lookups not changed by any statement since they were fetched. */
    private final Map<List<Object>, List<?>> fetched = new HashMap<>();

    private final Map<Object, List<List<Object>>> fetchedByKey = new HashMap<>();
    /** Deferred writes in order; a write that sets the row of a key replaces an earlier write of that row. */
    private final Map<Object, Write> unsent = new LinkedHashMap<>();

    /** Array statements, by the text of their lookups. */
    private final Map<String, String> ofMany = new HashMap<>();

    private long messages;
    private final Map<String, PreparedStatement> prepared = new HashMap<>();

    public SqlSession(Connection connection, Dialect dialect) {
        this.connection = connection;
        this.dialect = dialect;
    }

    /** Sets the time in milliseconds after which the connection is closed when a statement gets no response, starting with the next statement. */
    public void networkTimeout(int millis) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, millis);
    }

    /** Returns the time set with {@link #networkTimeout(int)}, or by the connection's creator. */
    int networkTimeout() throws SQLException {
        return connection.getNetworkTimeout();
    }

    Dialect dialect() {
        return dialect;
    }

    /** Returns the text of every statement that was used and not discarded. */
    public Set<String> statements() {
        return Set.copyOf(prepared.keySet());
    }

    /** Returns the number of messages sent for statements. */
    public long messages() {
        return messages;
    }

    /** Fetches the rows of many lookups from a server at once: one statement per text, all in one message. */
    public void fetch(Collection<? extends Lookup<?>> lookups) throws SQLException {
        fetch(lookups, (lookup, rows) -> remember(lookup.key(), lookup.identity(), rows));
    }

    /**
     * Returns the current rows of many lookups without remembering them: a server receives one request, on SQLite each lookup runs when its rows are
     * read.
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
     * Returns the statement of a lookup for arrays of values; its last column is the 1-based position of the values in the arrays. OFFSET 0 makes the
     * planner look each row up by an index; without it the planner flattens the lookup into a join and scans the whole table.
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

    /** Returns the first row of a lookup, from the rows fetched earlier if they are still valid. */
    @SuppressWarnings("unchecked")
    public <T> Optional<T> find(Lookup<T> lookup) throws SQLException {
        // The cast is safe: the rows stored under this identity were read by the reader of the same lookup.
        List<T> rows = fetched.isEmpty() ? null : (List<T>) fetched.get(lookup.identity());
        if (rows == null) {
            return queryOne(lookup.sql(), lookup.reader(), lookup.values());
        }
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(0));
    }

    /** Runs a statement as {@link #defer(Collection, String, Object...)} does, for rows that no lookup has fetched. */
    public void defer(String sql, Object... values) throws SQLException {
        defer(List.of(), sql, values);
    }

    /** Returns whether the statements run on a server, which other daemons use as well. */
    public boolean isRemote() {
        return dialect.isRemote();
    }

    /** Begins a transaction whose queries all read the same snapshot. */
    public void beginReading() throws SQLException {
        update(dialect.beginReading());
    }

    /**
     * Runs a statement whose result is not needed. On a server it is deferred and sent together with others, before the next query that was not
     * fetched or before the commit.
     *
     * @param keys of all lookups whose rows the statement changes
     */
    void defer(Collection<?> keys, String sql, Object... values) throws SQLException {
        if (dialect.isRemote()) {
            keys.forEach(this::forget);
            unsent.put(new Object(), new Write(sql, Combining.NO, values));
        } else {
            update(sql, values);
        }
    }

    /**
     * Runs a statement as {@link #defer(Collection, String, Object...)} does; on a server all calls with the same text become one statement, because
     * the server plans each statement anew, which costs more than a row does. The statement must insert one row, or set numbers in the row whose id
     * is the last value. Compared with other deferred statements, these insertions may run earlier than they were made, and these updates later.
     */
    void deferCombined(Collection<?> keys, String sql, Object... values) throws SQLException {
        if (dialect.isRemote()) {
            keys.forEach(this::forget);
            unsent.put(new Object(), new Write(sql, Combining.ROWS, values));
        } else {
            update(sql, values);
        }
    }

    /**
     * Runs a statement on a server as {@link #defer(Collection, String, Object...)} does, once for the values of all calls with the same text: its
     * only parameter is an array of them. The statement must not change rows of a lookup.
     */
    public void deferForAll(String sql, long value) {
        unsent.put(new Object(), new Write(sql, Combining.ARRAY, value));
    }

    /**
     * Sets the row of a lookup, replacing any previous one, as {@link #defer} does.
     *
     * @param value that the lookup finds from then on
     */
    <T> void set(Lookup<T> lookup, T value, String sql, Object... values) throws SQLException {
        if (dialect.isRemote()) {
            forget(lookup.key());
            remember(lookup.key(), lookup.identity(), List.of(value));
            List<Object> place = List.of(sql, lookup.identity());
            unsent.remove(place);
            unsent.put(place, new Write(sql, Combining.NO, values));
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

    /** Groups the writes by statement: insertions run at the position of the first one of their group, updates at the position of the last one. */
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

    /** Returns the statement that inserts a row with a value for each of these columns, which are separated by commas. */
    static String insertion(String table, String columns) {
        long others = columns.chars().filter(c -> c == ',').count();
        return "INSERT INTO " + table + " (" + columns + ") VALUES (?" + ", ?".repeat((int) others) + ")";
    }

    private static boolean isInsertion(String sql) {
        return sql.startsWith("INSERT ");
    }

    /** Statement within a message. */
    private record Statement(String text, List<?> values) {}

    private Statement statement(List<Write> writes) {
        Write first = writes.get(0);
        String text = dialect.text(first.sql());
        if (first.together() == Combining.ARRAY) {
            Object array = writes.stream().map(write -> write.values()[0]).toArray(Long[]::new);
            return new Statement(text, List.of(array));
        }
        return writes.size() == 1
                ? new Statement(text, Arrays.asList(dialect.values(first.sql(), first.values())))
                : ofRows(text, writes);
    }

    /**
     * Returns a statement for many rows whose text does not depend on their number: the server and the driver parse one parameter per column instead
     * of one per value.
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

    /** Forgets fetched rows and deferred writes, because the transaction or a part of it is rolled back. */
    public void forget() {
        fetched.clear();
        fetchedByKey.clear();
        unsent.clear();
    }

    /** Runs a statement and returns the number of rows that it changed. */
    public int update(String sql, Object... values) throws SQLException {
        if (dialect.isRemote()) {
            // The statement may change any row.
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

    /** Passes each row to {@code visitor} without collecting them: for many rows of which little is kept. */
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

    /** Reads the next rows of a table, in an order in which no row is added before one that was read. */
    @FunctionalInterface
    interface Pages<T> {
        /** Returns the rows that follow {@code last}, or the first rows if it is empty; none at the end of the table. */
        List<T> after(Optional<T> last) throws SQLException;
    }

    /** Passes all rows to {@code visitor} page by page: a server sends all rows of a query at once, which may be too many for the memory. */
    static <T> void inPages(Pages<T> pages, Visitor<? super T> visitor) throws SQLException {
        List<T> page = pages.after(Optional.empty());
        while (!page.isEmpty()) {
            for (T row : page) {
                visitor.visit(row);
            }
            page = pages.after(Optional.of(page.get(page.size() - 1)));
        }
    }

    public <T> Optional<T> queryOne(String sql, RowReader<T> reader, Object... values) throws SQLException {
        List<T> rows = query(sql, reader, values);
        return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(0));
    }

    /** Returns whether a query finds a row. */
    public boolean has(String sql, Object... values) throws SQLException {
        return queryOne(sql, row -> true, values).isPresent();
    }

    /** Returns the number in the only column of the first row, which must exist. */
    public long number(String sql, Object... values) throws SQLException {
        return ifNumber(sql, values).orElseThrow();
    }

    /** Returns the number in the only column of the first row, if there is a row. */
    public OptionalLong ifNumber(String sql, Object... values) throws SQLException {
        return query(sql, row -> row.getLong(1), values).stream()
                .mapToLong(Long::longValue)
                .findFirst();
    }

    /** Executes a statement without preparing it, for pragmas and schema changes. */
    public void execute(String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    /** Commits, and returns whether the server warned, for example because no synchronous standby may have the commit. */
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
        Object[] placed = dialect.values(sql, Row.stored(values));
        for (int i = 0; i < placed.length; i++) {
            statement.setObject(i + 1, placed[i]);
        }
        return statement;
    }

    /** Discards a prepared statement: after an error such as a full disk, the driver has finalised it silently. */
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
