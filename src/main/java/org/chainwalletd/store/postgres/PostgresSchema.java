package org.chainwalletd.store.postgres;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.store.Coin;
import org.chainwalletd.store.RawSendStore;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.KeyringTable;
import org.chainwalletd.store.sql.Schema;
import org.chainwalletd.store.sql.SpendTable;
import org.chainwalletd.store.sql.SqlSession;

/**
 * Tables of {@link Schema} in PostgreSQL, and the additional tables that several daemons need: the store lock, a row for each commit and each start
 * of a daemon, the changes of each commit, the daemon that runs each spend, and constraints that repeat the daemon's own checks. Triggers maintain
 * these, so that no statement on the shared tables can omit them; they fail for a writer that does not use the store lock.
 */
final class PostgresSchema {
    /** Advisory lock that admits one migration at a time ("WDST"). */
    private static final long MIGRATION_LOCK = 0x57445354L;

    /** Expression for the timeline of the WAL file that the server is writing; the timeline reported with checkpoints lags behind a promotion. */
    static final String TIMELINE = "('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint";

    /** Expression for the start time of the server, microseconds since 1970. */
    static final String BOOT = "(extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint";

    static final String SYSTEM = "(SELECT system_identifier FROM pg_control_system())";

    /** Expression for the server's clock, milliseconds since 1970. */
    static final String MILLIS = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

    /** Holder of the lease on background work before the first daemon takes it. */
    static final long NO_HOLDER = 0;

    private static final String COMMIT = "current_setting('walletd.commit')::bigint";

    private PostgresSchema() {}

    private static List<String> additionalTables() {
        return List.of(
                """
            CREATE TABLE store (
              one BIGINT PRIMARY KEY CHECK (one = 1),
              version BIGINT NOT NULL,
              system BIGINT NOT NULL,
              pruned BIGINT NOT NULL DEFAULT 0,
              agreement BIGINT NOT NULL DEFAULT 0,
              stopped TEXT)""",
                "INSERT INTO store (one, version, system) VALUES (1, " + Schema.version() + ", " + SYSTEM + ")",
                "ALTER TABLE commits ADD COLUMN daemon BIGINT NOT NULL, ADD COLUMN counter BIGINT NOT NULL",
                "CREATE INDEX commits_by_daemon ON commits (daemon, number)",
                "CREATE INDEX commits_by_random ON commits (random)",
                "CREATE TABLE logs (name TEXT PRIMARY KEY, datadir TEXT NOT NULL)",
                """
            CREATE TABLE daemons (
              start BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
              timeline BIGINT NOT NULL,
              boot BIGINT NOT NULL DEFAULT %s,
              beaten BIGINT NOT NULL DEFAULT 0,
              ended BOOLEAN NOT NULL DEFAULT false,
              log TEXT,
              host TEXT,
              machine TEXT,
              since BIGINT NOT NULL DEFAULT %s,
              superseded BOOLEAN NOT NULL DEFAULT false)""".formatted(BOOT, MILLIS),
                "CREATE INDEX daemons_by_log ON daemons (log)",
                """
            CREATE TABLE restoring (
              log TEXT NOT NULL,
              place BIGINT NOT NULL,
              random BIGINT NOT NULL,
              counter BIGINT NOT NULL,
              number BIGINT NOT NULL,
              made BOOLEAN NOT NULL,
              lines BYTEA NOT NULL,
              PRIMARY KEY (log, place))""",
                "CREATE TABLE restoring_logs (log TEXT PRIMARY KEY, complete BOOLEAN NOT NULL)",
                "CREATE TABLE changes (commit BIGINT NOT NULL, rows_of TEXT NOT NULL, id BIGINT NOT NULL,"
                        + " PRIMARY KEY (commit, rows_of, id))",
                "ALTER TABLE spends ADD COLUMN runner BIGINT NOT NULL",
                "ALTER TABLE spends ALTER COLUMN runner SET DEFAULT " + SpendTable.RUNNER,
                """
            CREATE TABLE former_runners (
              spend BIGINT NOT NULL REFERENCES spends ON DELETE CASCADE,
              runner BIGINT NOT NULL,
              PRIMARY KEY (spend, runner))""",
                "ALTER TABLE kept_spends ADD COLUMN runner BIGINT NOT NULL",
                """
            CREATE FUNCTION spend_kept() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              NEW.runner := coalesce((SELECT runner FROM spends WHERE id = NEW.id), %s);
              RETURN NEW;
            END $$""".formatted(SpendTable.RUNNER),
                "CREATE TRIGGER spend_kept BEFORE INSERT ON kept_spends FOR EACH ROW EXECUTE FUNCTION spend_kept()",
                "CREATE TABLE agreed (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
                "CREATE TABLE live_tokens (token TEXT PRIMARY KEY)",
                "CREATE TABLE held_coins (outpoint BYTEA PRIMARY KEY, spend BIGINT NOT NULL)",
                "CREATE INDEX held_coins_by_spend ON held_coins (spend)",
                """
            CREATE FUNCTION spend_changed() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              INSERT INTO changes (commit, rows_of, id) VALUES (%s, 'spends', coalesce(NEW.id, OLD.id))
                ON CONFLICT DO NOTHING;
              IF OLD.token_key IS NOT NULL AND NEW.token_key IS NULL THEN
                DELETE FROM live_tokens WHERE token = OLD.token;
              END IF;
              IF NEW.token_key IS NOT NULL AND OLD.token_key IS NULL THEN
                INSERT INTO live_tokens (token) VALUES (NEW.token);
              END IF;
              IF NEW.held IS DISTINCT FROM OLD.held THEN
                DELETE FROM held_coins WHERE spend = coalesce(NEW.id, OLD.id);
                IF NEW.held IS NOT NULL THEN
                  INSERT INTO held_coins (outpoint, spend)
                    SELECT substr(NEW.inputs, 1 + input * %d, 36), NEW.id
                    FROM generate_series(0, length(NEW.inputs) / %d - 1) AS input
                    WHERE CASE WHEN NEW.held = '\\x00'::bytea THEN true
                      WHEN input < 8 * length(NEW.held) THEN get_bit(NEW.held, input) = 1
                      ELSE false END;
                END IF;
              END IF;
              RETURN NULL;
            END $$""".formatted(COMMIT, Coin.BYTES, Coin.BYTES),
                "CREATE TRIGGER spend_changed AFTER UPDATE OR DELETE ON spends"
                        + " FOR EACH ROW EXECUTE FUNCTION spend_changed()",
                """
            CREATE FUNCTION spends_opened() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              INSERT INTO changes (commit, rows_of, id) SELECT %s, 'spends', id FROM opened ON CONFLICT DO NOTHING;
              INSERT INTO live_tokens (token) SELECT token FROM opened WHERE token_key IS NOT NULL;
              INSERT INTO held_coins (outpoint, spend)
                SELECT substr(inputs, 1 + input * %d, 36), id
                FROM opened, generate_series(0, length(inputs) / %d - 1) AS input
                WHERE CASE WHEN held = '\\x00'::bytea THEN true
                  WHEN input < 8 * length(held) THEN get_bit(held, input) = 1
                  ELSE false END;
              RETURN NULL;
            END $$""".formatted(COMMIT, Coin.BYTES, Coin.BYTES),
                "CREATE TRIGGER spends_opened AFTER INSERT ON spends REFERENCING NEW TABLE AS opened"
                        + " FOR EACH STATEMENT EXECUTE FUNCTION spends_opened()",
                """
            CREATE FUNCTION payout_changed() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              INSERT INTO changes (commit, rows_of, id) VALUES (%s, 'payouts', NEW.id) ON CONFLICT DO NOTHING;
              IF TG_OP = 'INSERT' THEN
                INSERT INTO live_tokens (token) VALUES (NEW.payout_id);
              END IF;
              RETURN NULL;
            END $$""".formatted(COMMIT),
                "CREATE TRIGGER payout_changed AFTER INSERT OR UPDATE ON payouts"
                        + " FOR EACH ROW EXECUTE FUNCTION payout_changed()",
                """
            CREATE FUNCTION sweep_changed() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              INSERT INTO changes (commit, rows_of, id) VALUES (%s, 'sweeps', 0) ON CONFLICT DO NOTHING;
              RETURN NULL;
            END $$""".formatted(COMMIT),
                "CREATE TRIGGER sweep_changed AFTER INSERT OR UPDATE ON sweeps"
                        + " FOR EACH ROW EXECUTE FUNCTION sweep_changed()",
                "CREATE TRIGGER sweep_part_changed AFTER UPDATE ON sweep_parts"
                        + " FOR EACH ROW EXECUTE FUNCTION sweep_changed()",
                """
            CREATE FUNCTION allowance_changed() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              INSERT INTO changes (commit, rows_of, id)
                VALUES (%s, 'allowance_minutes', coalesce(NEW.minute, OLD.minute)) ON CONFLICT DO NOTHING;
              RETURN NULL;
            END $$""".formatted(COMMIT),
                "CREATE TRIGGER allowance_changed AFTER INSERT OR UPDATE OR DELETE ON allowance_minutes"
                        + " FOR EACH ROW EXECUTE FUNCTION allowance_changed()");
    }

    static boolean isMade(SqlSession session) throws SQLException {
        return Schema.isOnServer(session, "store");
    }

    /** Creates the tables or upgrades them to the newest version; several daemons may do so concurrently. */
    static void migrate(SqlSession session, String name) throws SQLException {
        session.execute("BEGIN");
        session.execute("SET LOCAL lock_timeout = 0; " + PostgresTransactions.IDLE_TIMEOUT);
        Schema.lockUpgrades(session, "the store " + name, MIGRATION_LOCK);
        if (!isMade(session)) {
            for (String statement : Schema.whole()) {
                session.execute(Postgres.definition(statement));
            }
            for (String statement : additionalTables()) {
                session.execute(statement);
            }
        }
        session.queryOne("SELECT 1 FROM store WHERE one = 1 FOR UPDATE", row -> true);
        session.execute("SET LOCAL lock_timeout = '10s'");
        List<String> steps = Schema.after(requireKnown(session, name));
        Schema.upgradeServer(
                session,
                "the store " + name,
                steps.stream().map(Postgres::definition).toList());
        KeyringTable.migrate(session);
        if (lacks(session, "store", "agreement")) {
            session.execute("ALTER TABLE store ADD COLUMN agreement BIGINT NOT NULL DEFAULT 0");
        }
        if (lacks(session, "spends", "signed_off")) {
            session.execute("ALTER TABLE spends ADD COLUMN signed_off BIGINT NOT NULL DEFAULT 0");
        }
        if (!hasLease(session)) {
            session.execute("CREATE TABLE keeper (one BIGINT PRIMARY KEY CHECK (one = 1), start BIGINT NOT NULL,"
                    + " epoch BIGINT NOT NULL, renewal BIGINT NOT NULL, given_back BOOLEAN NOT NULL DEFAULT false)");
            session.execute("INSERT INTO keeper (one, start, epoch, renewal) VALUES (1, " + NO_HOLDER + ", 0, 0)");
            session.execute("ALTER TABLE daemons ADD COLUMN address TEXT");
        }
        if (lacks(session, "daemons", "shares")) {
            session.execute("ALTER TABLE daemons ADD COLUMN shares BOOLEAN NOT NULL DEFAULT false");
        }
        if (lacks(session, "store", "least")) {
            session.execute("ALTER TABLE daemons ADD COLUMN release BIGINT NOT NULL DEFAULT 0");
            session.execute("ALTER TABLE store ADD COLUMN least BIGINT NOT NULL DEFAULT 0");
        }
        if (!hasGathering(session)) {
            session.execute("CREATE TABLE gathering (one BIGINT PRIMARY KEY CHECK (one = 1), number BIGINT NOT NULL,"
                    + " founder TEXT NOT NULL)");
            session.execute("INSERT INTO gathering (one, number, founder) VALUES (1, 0, '')");
            session.execute("ALTER TABLE daemons ADD COLUMN node TEXT, ADD COLUMN gathered BIGINT NOT NULL DEFAULT 0");
        }
        if (!hasTrigger(session, "watched_changed", "watch_only")) {
            session.execute("""
                CREATE FUNCTION watched_changed() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                  INSERT INTO changes (commit, rows_of, id) VALUES (%s, 'watch_only', 0) ON CONFLICT DO NOTHING;
                  RETURN NULL;
                END $$""".formatted(COMMIT));
            session.execute("""
                CREATE FUNCTION queue_changed() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                  INSERT INTO changes (commit, rows_of, id) VALUES (%s, 'payouts', 0) ON CONFLICT DO NOTHING;
                  RETURN NULL;
                END $$""".formatted(COMMIT));
            session.execute("CREATE TRIGGER queue_changed AFTER UPDATE ON payout_queue"
                    + " FOR EACH ROW EXECUTE FUNCTION queue_changed()");
            session.execute("CREATE TRIGGER watched_changed AFTER INSERT OR UPDATE OR DELETE ON watch_only"
                    + " FOR EACH ROW EXECUTE FUNCTION watched_changed()");
        }
        if (!hasTrigger(session, "raw_kept", "kept_spends")) {
            // All other rows of the table were spends under the same numbers.
            session.execute("""
                CREATE FUNCTION raw_kept() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                  INSERT INTO changes (commit, rows_of, id) VALUES (%s, 'spends', NEW.id) ON CONFLICT DO NOTHING;
                  RETURN NULL;
                END $$""".formatted(COMMIT));
            session.execute("CREATE TRIGGER raw_kept AFTER INSERT ON kept_spends FOR EACH ROW WHEN (NEW.kind = '"
                    + RawSendStore.KIND + "') EXECUTE FUNCTION raw_kept()");
        }
        session.update(
                "UPDATE store SET version = ? WHERE one = 1 AND version < ?", Schema.version(), Schema.version());
        session.execute("COMMIT");
    }

    /** Returns whether the table of the lease on background work exists; earlier releases did not create it. */
    static boolean hasLease(SqlSession session) throws SQLException {
        return Schema.isOnServer(session, "keeper");
    }

    /** Returns whether the table through which nodes find each other exists; earlier releases did not create it. */
    static boolean hasGathering(SqlSession session) throws SQLException {
        return Schema.isOnServer(session, "gathering");
    }

    private static boolean hasTrigger(SqlSession session, String name, String table) throws SQLException {
        return session.has("SELECT 1 FROM pg_trigger WHERE tgname = ? AND tgrelid = to_regclass(?)", name, table);
    }

    private static boolean lacks(SqlSession session, String table, String column) throws SQLException {
        return !session.has(
                "SELECT 1 FROM pg_attribute WHERE attrelid = to_regclass(?) AND attname = ?", table, column);
    }

    /**
     * Returns the version of the tables. The next release's version is accepted too: it only adds to them, and removes nothing before
     * {@link PostgresCluster#finishUpgrade}, so that daemons of both releases can run concurrently.
     *
     * @throws StoreException {@code DAMAGED} when a later release has written them, or an upgrade to the next one is finished
     */
    static long requireKnown(SqlSession session, String name) throws SQLException {
        // Reading the row as JSON allows for a column that earlier releases did not create.
        Optional<long[]> versions = session.queryOne(
                "SELECT version, coalesce((to_jsonb(store) ->> 'least')::bigint, 0) AS least FROM store WHERE one = 1",
                row -> new long[] {row.number("version"), row.number("least")});
        if (versions.isEmpty()) {
            throw StoreException.damaged("the database " + name + " has lost the row of its store");
        }
        long version = versions.get()[0];
        if (version > Schema.version() + 1 || versions.get()[1] > Schema.version()) {
            throw StoreException.damaged("the store " + name + " has version " + version
                    + ", written by a newer release; this one knows up to " + Schema.version()
                    + ", and one more until cluster finish-upgrade was said: install the newer one");
        }
        return version;
    }
}
