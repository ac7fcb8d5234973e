package org.chainwalletd.store.sql;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.store.KeyringRow.Head;
import org.chainwalletd.store.KeyringRow.Key;
import org.chainwalletd.store.KeyringRow.Place;

/** Tables of a keyring in a PostgreSQL store, read and written within a transaction of the caller. */
public final class KeyringTable {
    /** Number of keys per query. */
    private static final int PAGE = 10_000;

    private static final String COLUMNS = "number, address, public_key, derivation, label, imported, origin, birth";

    private static final List<String> TABLES = List.of(
            "CREATE TABLE keyring (one BIGINT PRIMARY KEY CHECK (one = 1), next_index BIGINT NOT NULL)",
            "CREATE TABLE keyring_members (name TEXT PRIMARY KEY, json BYTEA NOT NULL)",
            """
            CREATE TABLE sealed (
              kind TEXT NOT NULL,
              owner BYTEA NOT NULL,
              blob BYTEA NOT NULL,
              PRIMARY KEY (kind, owner))""",
            """
            CREATE TABLE keys (
              number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
              address BYTEA NOT NULL UNIQUE,
              public_key BYTEA,
              derivation BIGINT,
              label TEXT,
              imported BIGINT NOT NULL,
              origin BIGINT NOT NULL,
              birth BIGINT)""");

    private static final String COMMIT = "current_setting('walletd.commit')::bigint";

    /** Tables and triggers through which a daemon follows changes by others. */
    private static final List<String> FOLLOWING = List.of(
            "ALTER TABLE keys ADD COLUMN commit BIGINT NOT NULL DEFAULT 0",
            "CREATE INDEX keys_by_commit ON keys (commit)",
            "CREATE TABLE deleted_keys (address BYTEA PRIMARY KEY, commit BIGINT NOT NULL)",
            "CREATE INDEX deleted_keys_by_commit ON deleted_keys (commit)",
            """
            CREATE FUNCTION key_changing() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              NEW.commit := %s;
              IF TG_OP = 'INSERT' THEN
                DELETE FROM deleted_keys WHERE address = NEW.address;
              END IF;
              RETURN NEW;
            END $$""".formatted(COMMIT),
            "CREATE TRIGGER key_changing BEFORE INSERT OR UPDATE ON keys FOR EACH ROW EXECUTE FUNCTION key_changing()",
            """
            CREATE FUNCTION key_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              INSERT INTO deleted_keys (address, commit) VALUES (OLD.address, %s)
                ON CONFLICT (address) DO UPDATE SET commit = excluded.commit;
              RETURN NULL;
            END $$""".formatted(COMMIT),
            "CREATE TRIGGER key_deleted AFTER DELETE ON keys FOR EACH ROW EXECUTE FUNCTION key_deleted()",
            """
            CREATE FUNCTION keyring_changed() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              INSERT INTO changes (commit, rows_of, id) VALUES (%s, 'keys', 0) ON CONFLICT DO NOTHING;
              RETURN NULL;
            END $$""".formatted(COMMIT),
            "CREATE TRIGGER keys_changed AFTER INSERT OR UPDATE OR DELETE ON keys"
                    + " FOR EACH STATEMENT EXECUTE FUNCTION keyring_changed()",
            "CREATE TRIGGER keyring_changed AFTER INSERT OR UPDATE ON keyring"
                    + " FOR EACH STATEMENT EXECUTE FUNCTION keyring_changed()",
            "CREATE TRIGGER members_changed AFTER INSERT OR UPDATE OR DELETE ON keyring_members"
                    + " FOR EACH STATEMENT EXECUTE FUNCTION keyring_changed()",
            "CREATE TRIGGER evm_key_sealed AFTER INSERT ON sealed"
                    + " FOR EACH ROW WHEN (NEW.kind = 'kept_evm_key') EXECUTE FUNCTION keyring_changed()",
            "CREATE TRIGGER evm_key_removed AFTER DELETE ON sealed"
                    + " FOR EACH ROW WHEN (OLD.kind = 'kept_evm_key') EXECUTE FUNCTION keyring_changed()");

    private KeyringTable() {}

    /** Creates tables that an earlier release has not created; called with the migration lock held. */
    public static void migrate(SqlSession session) throws SQLException {
        if (!isMade(session)) {
            for (String table : TABLES) {
                session.execute(table);
            }
        }
        if (!isFollowed(session)) {
            for (String statement : FOLLOWING) {
                session.execute(statement);
            }
        }
    }

    private static boolean isFollowed(SqlSession session) throws SQLException {
        return Schema.isOnServer(session, "deleted_keys");
    }

    public static boolean isMade(SqlSession session) throws SQLException {
        return Schema.isOnServer(session, "keys");
    }

    public static Optional<Head> head(SqlSession session) throws SQLException {
        OptionalLong next = session.ifNumber("SELECT next_index FROM keyring");
        if (next.isEmpty()) {
            return Optional.empty();
        }
        Map<String, Bytes> members = new TreeMap<>();
        session.visit(
                "SELECT name, json FROM keyring_members", row -> members.put(row.text("name"), row.bytes("json")));
        return Optional.of(new Head(next.getAsLong(), members));
    }

    public static void visitKeys(SqlSession session, SqlSession.Visitor<Key> visitor) throws SQLException {
        record Numbered(long number, Key key) {}
        SqlSession.<Numbered>inPages(
                last -> session.query(
                        "SELECT " + COLUMNS + " FROM keys WHERE number > ? ORDER BY number LIMIT ?",
                        row -> new Numbered(row.number("number"), key(row)),
                        last.map(Numbered::number).orElse(0L),
                        PAGE),
                each -> visitor.visit(each.key()));
    }

    /** Reads the listed keys that changed after a commit. */
    public static List<Key> changedAfter(SqlSession session, long commit) throws SQLException {
        return session.query(
                "SELECT " + COLUMNS + " FROM keys WHERE commit > ? ORDER BY commit, number", KeyringTable::key, commit);
    }

    private static Key key(Row row) throws SQLException {
        byte[] publicKey = row.raw("public_key");
        return new Key(
                row.address("address"),
                Optional.ofNullable(publicKey).map(PublicKey::of),
                row.ifNumber("derivation"),
                row.ifText("label"),
                row.flag("imported"),
                (int) row.number("origin"),
                row.ifNumber("birth"));
    }

    public static void seal(SqlSession session, Place place, Bytes blob) throws SQLException {
        session.defer(
                "INSERT INTO sealed (kind, owner, blob) VALUES (?, ?, ?)"
                        + " ON CONFLICT (kind, owner) DO UPDATE SET blob = excluded.blob",
                place.kind(),
                place.owner(),
                blob);
    }

    public static void list(SqlSession session, Key key) throws SQLException {
        session.defer(
                List.of(deletion(key.address()).key()),
                "INSERT INTO keys (address, public_key, derivation, label, imported, origin, birth)"
                        + " VALUES (?, ?::bytea, ?::bigint, ?, ?, ?, ?::bigint)"
                        + " ON CONFLICT (address) DO UPDATE SET public_key = excluded.public_key,"
                        + " derivation = excluded.derivation, label = excluded.label, imported = excluded.imported,"
                        + " origin = excluded.origin, birth = excluded.birth",
                key.address(),
                key.publicKey(),
                key.index(),
                key.label(),
                key.imported() ? 1 : 0,
                key.origin(),
                key.birth());
    }

    public static void delete(SqlSession session, Address address) throws SQLException {
        session.defer(List.of(deletion(address).key()), "DELETE FROM keys WHERE address = ?", address);
    }

    /** Updates a listed key with newly known values. Returns the key afterwards; nothing if it is not listed. */
    public static List<Key> replace(SqlSession session, Key key) throws SQLException {
        // Other daemons may have learnt more values meanwhile, so stored values are kept where no new one is given.
        return session.query(
                "UPDATE keys SET public_key = coalesce(?::bytea, public_key),"
                        + " derivation = coalesce(?::bigint, derivation), imported = greatest(imported, ?),"
                        + " origin = coalesce(nullif(?, 0), origin), birth = coalesce(?::bigint, birth)"
                        + " WHERE address = ? RETURNING " + COLUMNS,
                KeyringTable::key,
                key.publicKey(),
                key.index(),
                key.imported() ? 1 : 0,
                key.origin(),
                key.birth(),
                key.address());
    }

    /** Sets the label of a listed key. Returns the key afterwards; nothing if it is not listed. */
    public static List<Key> label(SqlSession session, Address address, Optional<String> label) throws SQLException {
        return session.query(
                "UPDATE keys SET label = ? WHERE address = ? RETURNING " + COLUMNS, KeyringTable::key, label, address);
    }

    /** Sets the head. The next index is never decreased: each address of the seed is issued once. */
    public static void set(SqlSession session, Head head) throws SQLException {
        session.defer(
                "INSERT INTO keyring (one, next_index) VALUES (1, ?) ON CONFLICT (one) DO UPDATE"
                        + " SET next_index = excluded.next_index WHERE keyring.next_index < excluded.next_index",
                head.nextIndex());
        session.defer("DELETE FROM keyring_members");
        for (Map.Entry<String, Bytes> member : head.members().entrySet()) {
            session.defer("INSERT INTO keyring_members (name, json) VALUES (?, ?)", member.getKey(), member.getValue());
        }
    }

    /** Returns the lookup of whether a key was deleted and not added again. */
    public static SqlSession.Lookup<Boolean> deletion(Address address) {
        return new SqlSession.Lookup<>(
                List.of("deleted_keys", address), "SELECT 1 FROM deleted_keys WHERE address = ?", row -> true, address);
    }

    /** Passes the whole keyring to {@code visitor}, for the base of a log. */
    static void writeTo(SqlSession session, SqlSession.Visitor<SentLine> visitor) throws SQLException {
        SqlSession.<SentLine.Sealed>inPages(
                last -> session.query(
                        "SELECT kind, owner, blob FROM sealed WHERE (kind, owner) > (?, ?) ORDER BY kind, owner LIMIT ?",
                        row -> new SentLine.Sealed(new Place(row.text("kind"), row.bytes("owner")), row.bytes("blob")),
                        last.map(line -> line.place().kind()).orElse(""),
                        last.map(line -> line.place().owner()).orElse(Bytes.EMPTY),
                        PAGE),
                visitor::visit);
        visitKeys(session, key -> visitor.visit(new SentLine.KeyListed(key)));
        Optional<Head> head = head(session);
        if (head.isPresent()) {
            visitor.visit(new SentLine.KeyringHead(head.get()));
        }
    }

    /** Adds a key from a line of a log. Returns whether it was not listed before. */
    static boolean enter(SqlSession session, SentLine.KeyListed listed) throws SQLException {
        boolean isNew = !session.has(
                "SELECT 1 FROM keys WHERE address = ?", listed.key().address());
        list(session, listed.key());
        return isNew;
    }
}
