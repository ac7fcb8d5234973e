package org.chainwalletd.store.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A schema of the test server with the tables of a store: statements that no daemon would run, and a backup. */
public abstract class TestRows implements Postgres.Connector {
    private final String schema;

    TestRows(String schema) {
        this.schema = schema;
    }

    /** Opens connections in a way that a test chooses. */
    @FunctionalInterface
    public interface Connections {
        Connection connect() throws SQLException;
    }

    /** Returns this database, connected in another way. */
    public final Postgres.Connector through(Connections how) {
        String name = name();
        return new Postgres.Connector() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public Connection connect() throws SQLException {
                return how.connect();
            }
        };
    }

    public final void run(String statement) {
        try (Connection connection = connect();
                Statement one = connection.createStatement()) {
            one.execute(statement);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Runs a query for one number. */
    public final long number(String query) {
        try (Connection connection = connect();
                Statement one = connection.createStatement();
                ResultSet row = one.executeQuery(query)) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    /** Copies all rows as of one snapshot, as a dump does. */
    public final void backUp() {
        run("""
                BEGIN ISOLATION LEVEL REPEATABLE READ;
                DO $$ DECLARE each text; BEGIN
                  DROP SCHEMA IF EXISTS %1$s_backup CASCADE;
                  CREATE SCHEMA %1$s_backup;
                  FOR each IN SELECT tablename FROM pg_tables WHERE schemaname = '%1$s' LOOP
                    EXECUTE format('CREATE TABLE %1$s_backup.%%I AS TABLE %1$s.%%I', each, each);
                  END LOOP;
                END $$;
                COMMIT""".formatted(schema));
    }

    /** Restores the rows of {@link #backUp} while daemons are connected, so that the database goes back in time. */
    public final void putBack() {
        run("""
                DO $$ DECLARE each text; columns text; BEGIN
                  PERFORM set_config('session_replication_role', 'replica', true);
                  PERFORM 1 FROM store FOR UPDATE;
                  FOR each IN SELECT tablename FROM pg_tables WHERE schemaname = '%1$s' LOOP
                    EXECUTE format('DELETE FROM %1$s.%%I', each);
                    SELECT string_agg(column_name, ', ') INTO columns FROM information_schema.columns
                      WHERE table_schema = '%1$s' AND table_name = each AND is_generated = 'NEVER';
                    EXECUTE format('INSERT INTO %1$s.%%I (%%s) OVERRIDING SYSTEM VALUE SELECT %%s FROM %1$s_backup.%%I',
                      each, columns, columns, each);
                  END LOOP;
                  PERFORM setval(pg_get_serial_sequence('%1$s.daemons', 'start'), max(start)) FROM daemons;
                  IF to_regclass('%1$s.credit_log') IS NOT NULL THEN
                    PERFORM setval(pg_get_serial_sequence('%1$s.credit_log', 'number'), max(number)) FROM credit_log;
                  END IF;
                END $$""".formatted(schema));
    }
}
