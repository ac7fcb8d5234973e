package org.chainwalletd.store.postgres;

import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.chainwalletd.store.AllowanceStore;
import org.chainwalletd.store.sql.SqlSession;

/**
 * Settings that all daemons of a database have in common: rows of the table {@code agreed}. Every change increments a version in the row of the
 * store, from which each daemon sees in its next transaction, or within a second, that it must reload them.
 *
 * @param version number of changes
 * @param values by name
 */
public record PostgresAgreed(long version, Map<String, String> values) {
    /** Name of the caps on spending, as {@link AllowanceStore.Limits#words} writes them. */
    public static final String CAPS = "caps";
    /** Name of the id of the chain's first block, 64 lower-case hex characters. */
    public static final String GENESIS = "genesis";

    /** Name of the key under which daemons seal data that they send to each other, in hex. */
    public static final String CLUSTER_KEY = "cluster-key";

    public PostgresAgreed {
        values = Map.copyOf(values);
    }

    public Optional<String> value(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /** Returns why a daemon with these caps must not start, as a clause that completes "the store …"; empty when it may. */
    public Optional<String> objectionToCaps(AllowanceStore.Limits caps) {
        return value(CAPS)
                .filter(others -> !others.equals(caps.words()))
                .map(others -> "has other caps (" + others + ") than this daemon (" + caps.words()
                        + "): configure it like the others, or change them for all with cluster set caps");
    }

    static PostgresAgreed read(SqlSession session) throws SQLException {
        Map<String, String> values = new TreeMap<>();
        long[] version = {0};
        session.visit("SELECT agreement, name, value FROM store LEFT JOIN agreed ON true WHERE one = 1", row -> {
            version[0] = row.number("agreement");
            Optional<String> name = row.ifText("name");
            if (name.isPresent()) {
                values.put(name.get(), row.text("value"));
            }
        });
        return new PostgresAgreed(version[0], values);
    }

    /** Replaces all settings by the result of {@code change}. The caller holds the store lock. */
    static void change(SqlSession session, UnaryOperator<Map<String, String>> change) throws SQLException {
        Map<String, String> before = read(session).values();
        Map<String, String> after = change.apply(new TreeMap<>(before));
        if (after.equals(before)) {
            return;
        }
        for (String name : before.keySet()) {
            if (!after.containsKey(name)) {
                session.update("DELETE FROM agreed WHERE name = ?", name);
            }
        }
        for (Map.Entry<String, String> setting : after.entrySet()) {
            session.update(
                    "INSERT INTO agreed (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                    setting.getKey(),
                    setting.getValue());
        }
        session.update("UPDATE store SET agreement = agreement + 1 WHERE one = 1");
    }

    /**
     * Replaces all settings as {@link #change} does, in its own transaction under the store lock, and returns them. Rejected while the store is being
     * moved, because the change would be lost.
     */
    static PostgresAgreed agree(SqlSession session, UnaryOperator<Map<String, String>> change) throws SQLException {
        session.execute(PostgresTransactions.LOCK);
        PostgresMoving.requireNone(
                session,
                session.queryOne("SELECT current_database() AS name", row -> row.text("name"))
                        .orElseThrow());
        change(session, change);
        PostgresAgreed changed = read(session);
        session.execute("COMMIT");
        return changed;
    }
}
