package org.chainwalletd.store;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.KeyringRow.Head;
import org.chainwalletd.store.KeyringRow.Key;
import org.chainwalletd.store.KeyringRow.Place;

/**
 * Rows of a keyring in a PostgreSQL store: sealed blobs, and beside them what need not be unsealed to be known. Everything that is added is also in
 * {@code sent.log} when a method returns, so that a database that went back in time loses no key; a deletion is not, so a restore brings deleted
 * keys back. Methods block, and fail with {@link StoreException}.
 */
public final class KeyRows {
    /** Keys in one query. */
    private static final int PAGE = 10_000;

    private static final long PATIENCE_SECONDS = 60;

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

    /** Tables and triggers by which a daemon follows the changes of others. */
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

    /** Runs statements and waits for their result. */
    private interface Runner {
        <T> T run(GroupCommitWriter.Work<T> work);
    }

    private final String database;
    private final Runner reader;
    private final Runner writer;
    private final SentLog.Lines lines;
    /** Registers who is told of changes by other daemons; empty for one who only looks. */
    private final Optional<Consumer<Runnable>> listeners;
    /** Tells, in a transaction that writes, whether this daemon does the background work. */
    private final BooleanSupplier mayKeep;

    private KeyRows(
            String database,
            Runner reader,
            Runner writer,
            SentLog.Lines lines,
            Optional<Consumer<Runnable>> listeners,
            BooleanSupplier mayKeep) {
        this.database = database;
        this.reader = reader;
        this.writer = writer;
        this.lines = lines;
        this.listeners = listeners;
        this.mayKeep = mayKeep;
    }

    /** Returns the rows of an open store. */
    static KeyRows of(SqlStore store, String database, SentLog.Lines lines) {
        return new KeyRows(
                database,
                new Runner() {
                    @Override
                    public <T> T run(GroupCommitWriter.Work<T> work) {
                        return result(store.read(work), failure -> unanswered(database, failure));
                    }
                },
                new Runner() {
                    @Override
                    public <T> T run(GroupCommitWriter.Work<T> work) {
                        return result(store.write(work), failure -> GroupCommitWriter.unknown(database, failure));
                    }
                },
                lines,
                Optional.of(told -> store.whenOthersChange(Store.SharedRows.KEYS, told)),
                () -> mayKeep(store));
    }

    private static boolean mayKeep(SqlStore store) {
        try {
            store.requireKeeper();
            return true;
        } catch (StoreException e) {
            return false;
        }
    }

    /** Returns the rows for one who only looks at them, beside a daemon or before one has made them. */
    public static KeyRows looking(PostgresDatabase database) {
        String name = database.name();
        Runner reader = new Runner() {
            @Override
            public <T> T run(GroupCommitWriter.Work<T> work) {
                try (SqlSession session = new SqlSession(database.connect(), Postgres.DIALECT)) {
                    return work.apply(session);
                } catch (SQLException e) {
                    throw GroupCommitWriter.unavailable(name, "cannot be read: " + e.getMessage(), e);
                }
            }
        };
        Runner writer = new Runner() {
            @Override
            public <T> T run(GroupCommitWriter.Work<T> work) {
                throw GroupCommitWriter.unavailable(name, "is only looked at", null);
            }
        };
        return new KeyRows(name, reader, writer, new SentLog.Lines(), Optional.empty(), () -> false);
    }

    private static <T> T result(CompletableFuture<T> asked, Function<Throwable, StoreException> otherFailure) {
        return Causes.join(
                asked.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS),
                failure -> failure instanceof StoreException known ? known : otherFailure.apply(failure));
    }

    /** A read that has not ended has changed nothing. */
    private static StoreException unanswered(String database, Throwable failure) {
        return failure instanceof TimeoutException
                ? new StoreException(
                        StoreException.Reason.BUSY,
                        "store " + database + " has not answered for " + PATIENCE_SECONDS + " s, try again",
                        failure)
                : GroupCommitWriter.unavailable(database, "cannot be read: " + failure.getMessage(), failure);
    }

    /** Name of the database for messages, without a password. */
    public String database() {
        return database;
    }

    /** Makes the tables where an earlier release has not; called with the migration's lock. */
    static void migrate(SqlSession session) throws SQLException {
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
        return session.queryOne("SELECT to_regclass('deleted_keys') IS NOT NULL AS made", row -> row.truth("made"))
                .orElseThrow();
    }

    private static boolean isMade(SqlSession session) throws SQLException {
        return session.queryOne("SELECT to_regclass('keys') IS NOT NULL AS made", row -> row.truth("made"))
                .orElseThrow();
    }

    /** Tells whether other daemons may change the rows, and this one follows them. */
    public boolean areShared() {
        return listeners.isPresent();
    }

    /** Registers who is told, on a thread that must not be blocked, that another daemon has changed the rows. */
    public void whenOthersChange(Runnable told) {
        listeners.ifPresent(register -> register.accept(told));
    }

    /** Returns the number of the newest commit; rows that are read later include it. */
    public long newest() {
        return reader.run(session -> isMade(session) ? newest(session) : 0L);
    }

    private static long newest(SqlSession session) throws SQLException {
        return session.queryOne("SELECT coalesce(max(number), 0) FROM commits", row -> row.getLong(1))
                .orElseThrow();
    }

    /**
     * Changes of the rows since a commit.
     *
     * @param commit that these rows include; they may include changes by later ones
     * @param changed new keys, and new values of others
     */
    public record News(long commit, List<Key> changed, Set<Address> deleted, Head head) {}

    /**
     * Reads what has changed after a commit.
     *
     * @throws StoreException {@code UNAVAILABLE} also when there is no keyring any more
     */
    public News since(long commit) {
        return reader.run(session -> {
            // First the number: each later statement sees all commits up to it.
            long newest = newest(session);
            List<Key> changed = session.query(
                    "SELECT " + COLUMNS + " FROM keys WHERE commit > ? ORDER BY commit, number", KeyRows::key, commit);
            Set<Address> deleted = new HashSet<>(session.query(
                    "SELECT address FROM deleted_keys WHERE commit > ?", row -> row.address("address"), commit));
            // A key may have come back between the two statements, or have been deleted.
            changed.removeIf(key -> deleted.contains(key.address()));
            return new News(
                    newest,
                    changed,
                    deleted,
                    head(session)
                            .orElseThrow(() ->
                                    GroupCommitWriter.unavailable(database, "has lost the row of its keyring", null)));
        });
    }

    /** Reads the keyring's own facts; empty when no keyring was made. */
    public Optional<Head> head() {
        return reader.run(session -> isMade(session) ? head(session) : Optional.empty());
    }

    static Optional<Head> head(SqlSession session) throws SQLException {
        Optional<Long> next = session.queryOne("SELECT next_index FROM keyring", row -> row.getLong(1));
        if (next.isEmpty()) {
            return Optional.empty();
        }
        Map<String, Bytes> members = new TreeMap<>();
        session.visit(
                "SELECT name, json FROM keyring_members",
                row -> members.put(row.text("name"), Bytes.wrap(row.raw("json"))));
        return Optional.of(new Head(next.get(), members));
    }

    /** Tells whether the database has a payment, which a key that is gone may have signed. */
    public boolean hasPayments() {
        return reader.run(session -> session.queryOne(
                        "SELECT 1 FROM spends UNION ALL SELECT 1 FROM kept_spends LIMIT 1", row -> true)
                .isPresent());
    }

    /** Tells whether there is a key for an address. */
    public boolean isListed(Address address) {
        return reader.run(session -> session.queryOne(
                        "SELECT 1 FROM keys WHERE address = ?", row -> true, (Object) address.toArray())
                .isPresent());
    }

    /** Reads all keys, in the order in which they came. */
    public List<Key> keys() {
        return reader.run(session -> {
            List<Key> keys = new ArrayList<>();
            visitKeys(session, keys::add);
            return keys;
        });
    }

    /** Receives each row; may pass it to a log. */
    interface Visitor<T> {
        void visit(T row) throws SQLException;
    }

    private static void visitKeys(SqlSession session, Visitor<Key> visitor) throws SQLException {
        record Numbered(long number, Key key) {}
        List<Numbered> page;
        for (long last = 0; ; last = page.get(page.size() - 1).number()) {
            page = session.query(
                    "SELECT " + COLUMNS + " FROM keys WHERE number > ? ORDER BY number LIMIT ?",
                    row -> new Numbered(row.number("number"), key(row)),
                    last,
                    PAGE);
            if (page.isEmpty()) {
                return;
            }
            for (Numbered each : page) {
                visitor.visit(each.key());
            }
        }
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

    /** Reads a sealed blob; empty when there is none in this place. */
    public Optional<Bytes> sealed(Place place) {
        return reader.run(session -> isMade(session)
                ? session.queryOne(
                        "SELECT blob FROM sealed WHERE kind = ? AND owner = ?",
                        row -> Bytes.wrap(row.getBytes(1)),
                        place.kind(),
                        place.owner().toArray())
                : Optional.empty());
    }

    /** Finds some place of this kind, of a listed key if there is one. */
    public Optional<Place> anySealed(String kind) {
        return reader.run(session -> {
            if (!isMade(session)) {
                return Optional.empty();
            }
            Optional<Place> listed = session.queryOne(
                    "SELECT owner FROM sealed JOIN keys ON address = owner WHERE kind = ? LIMIT 1",
                    row -> new Place(kind, Bytes.wrap(row.getBytes(1))),
                    kind);
            return listed.isPresent()
                    ? listed
                    : session.queryOne(
                            "SELECT owner FROM sealed WHERE kind = ? LIMIT 1",
                            row -> new Place(kind, Bytes.wrap(row.getBytes(1))),
                            kind);
        });
    }

    /** Finds the listed 1:1 keys that have no blob of this kind. */
    public List<Address> without(String kind) {
        return reader.run(session -> session.query(
                "SELECT address FROM keys WHERE imported = 1"
                        + " AND NOT EXISTS (SELECT 1 FROM sealed WHERE kind = ? AND owner = address) ORDER BY number",
                row -> Address.of(row.getBytes(1)),
                kind));
    }

    /** Reads the owners of all blobs of this kind. */
    public Set<Bytes> owners(String kind) {
        return reader.run(session -> isMade(session)
                ? new HashSet<>(session.query(
                        "SELECT owner FROM sealed WHERE kind = ?", row -> Bytes.wrap(row.getBytes(1)), kind))
                : Set.of());
    }

    /**
     * Changes the rows in one commit, unless they are not as the change presumes; that is judged in the same transaction, under the store lock. A
     * keyring that was never made is made by its head.
     */
    public Optional<Refusal> write(Change change) {
        return writer.run(session -> {
            Optional<Refusal> refusal = change.premise().refusal(session, change, mayKeep.getAsBoolean());
            if (refusal.isEmpty()) {
                apply(session, change);
            }
            return refusal;
        });
    }

    /**
     * Reason why a change was not made; nothing was written.
     *
     * @param needed why a key is still needed; empty when another daemon has changed the rows
     */
    public record Refusal(Optional<String> needed) {
        static final Refusal CHANGED = new Refusal(Optional.empty());
    }

    private void apply(SqlSession session, Change change) throws SQLException {
        for (Map.Entry<Place, Bytes> blob : change.sealed().entrySet()) {
            seal(session, blob.getKey(), blob.getValue());
            lines.add(new SentLine.Sealed(blob.getKey(), blob.getValue()));
        }
        for (Place place : change.removed()) {
            session.later(
                    "DELETE FROM sealed WHERE kind = ? AND owner = ?",
                    place.kind(),
                    place.owner().toArray());
        }
        for (Key key : change.replaced()) {
            // Others may have learnt more of the key meanwhile.
            tell(session.query(
                    "UPDATE keys SET public_key = coalesce(?::bytea, public_key),"
                            + " derivation = coalesce(?::bigint, derivation), imported = greatest(imported, ?),"
                            + " origin = coalesce(nullif(?, 0), origin), birth = coalesce(?::bigint, birth)"
                            + " WHERE address = ? RETURNING " + COLUMNS,
                    KeyRows::key,
                    bytes(key.publicKey()),
                    number(key.index()),
                    key.imported() ? 1 : 0,
                    key.origin(),
                    number(key.birth()),
                    key.address().toArray()));
        }
        for (Map.Entry<Address, Optional<String>> label : change.labels().entrySet()) {
            tell(session.query(
                    "UPDATE keys SET label = ? WHERE address = ? RETURNING " + COLUMNS,
                    KeyRows::key,
                    label.getValue().orElse(null),
                    label.getKey().toArray()));
        }
        for (Address address : change.unlisted()) {
            session.later("DELETE FROM keys WHERE address = ?", (Object) address.toArray());
        }
        for (Key key : change.listed()) {
            list(session, key);
            lines.add(new SentLine.KeyListed(key));
        }
        if (change.nextIndex().isPresent() || change.members().isPresent()) {
            Optional<Head> before = head(session);
            Head after = new Head(
                    Math.max(
                            before.map(Head::nextIndex).orElse(0L),
                            change.nextIndex().orElse(0)),
                    change.members().or(() -> before.map(Head::members)).orElse(Map.of()));
            set(session, after);
            lines.add(new SentLine.KeyringHead(after));
        }
    }

    private void tell(List<Key> changed) {
        changed.forEach(key -> lines.add(new SentLine.KeyListed(key)));
    }

    /**
     * Change of a keyring.
     *
     * @param sealed new blobs, in place of those that are there
     * @param removed places whose blobs go, if there are any
     * @param replaced new values of keys that are listed, which keep their labels, and what is known of them and is not given
     * @param labels new labels of keys that are listed
     * @param unlisted keys that go, if they are there
     * @param listed new keys
     * @param nextIndex of the legacy seed, u32; it never goes back
     * @param members further facts in the place of all that are there; empty leaves them
     */
    public record Change(
            Map<Place, Bytes> sealed,
            Collection<Place> removed,
            Collection<Key> replaced,
            Map<Address, Optional<String>> labels,
            Collection<Address> unlisted,
            Collection<Key> listed,
            OptionalLong nextIndex,
            Optional<Map<String, Bytes>> members,
            Premise premise) {
        public static Change sealing(Map<Place, Bytes> blobs, Premise premise) {
            return new Change(
                    blobs,
                    List.of(),
                    List.of(),
                    Map.of(),
                    List.of(),
                    List.of(),
                    OptionalLong.empty(),
                    Optional.empty(),
                    premise);
        }

        public static Change removing(Collection<Place> places) {
            return new Change(
                    Map.of(),
                    places,
                    List.of(),
                    Map.of(),
                    List.of(),
                    List.of(),
                    OptionalLong.empty(),
                    Optional.empty(),
                    Premise.NONE);
        }

        public static Change making(Map<Place, Bytes> blobs, Head head, Premise premise) {
            return new Change(
                    blobs,
                    List.of(),
                    List.of(),
                    Map.of(),
                    List.of(),
                    List.of(),
                    OptionalLong.of(head.nextIndex()),
                    Optional.of(head.members()),
                    premise);
        }

        /** Enters keys of a keyring that is not made yet. */
        public static Change entering(Map<Place, Bytes> blobs, Collection<Key> keys, Premise premise) {
            return new Change(
                    blobs,
                    List.of(),
                    List.of(),
                    Map.of(),
                    List.of(),
                    keys,
                    OptionalLong.empty(),
                    Optional.empty(),
                    premise);
        }
    }

    /**
     * State of the rows that a change presumes.
     *
     * @param listing whether keys that it lists are not there, and keys that it changes or removes are
     * @param unmade whether the keyring has no head yet
     * @param keys number of listed keys; empty for any
     * @param nextIndex of the legacy seed; empty for any
     * @param members further facts; empty for any
     * @param vacant places without a blob
     * @param unneeded keys that no open spend, waiting payout, unfinished sweep, swap or open HTLC needs
     */
    public record Premise(
            boolean listing,
            boolean unmade,
            OptionalLong keys,
            OptionalLong nextIndex,
            Optional<Map<String, Bytes>> members,
            Collection<Place> vacant,
            Collection<Address> unneeded) {
        public static final Premise NONE = new Premise(
                false, false, OptionalLong.empty(), OptionalLong.empty(), Optional.empty(), List.of(), List.of());

        /** Presumes that the keyring was never made, and has this number of keys that were entered before it is. */
        public static Premise unmade(long keys) {
            return new Premise(
                    false, true, OptionalLong.of(keys), OptionalLong.empty(), Optional.empty(), List.of(), List.of());
        }

        public static Premise vacant(Place place) {
            return new Premise(
                    false,
                    false,
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    Optional.empty(),
                    List.of(place),
                    List.of());
        }

        private Optional<Refusal> refusal(SqlSession session, Change change, boolean mayKeep) throws SQLException {
            if (listing && !isListed(session, change) || !isHead(session) || !areVacant(session)) {
                return Optional.of(Refusal.CHANGED);
            }
            for (Address address : unneeded) {
                Optional<String> needed = KeyUses.of(session, address, mayKeep);
                if (needed.isPresent()) {
                    return Optional.of(new Refusal(needed));
                }
            }
            return Optional.empty();
        }

        private static boolean isListed(SqlSession session, Change change) throws SQLException {
            Set<Address> added = new HashSet<>();
            change.listed().forEach(key -> added.add(key.address()));
            Set<Address> there = new HashSet<>(change.labels().keySet());
            there.addAll(change.unlisted());
            return listed(session, added).isEmpty() && listed(session, there).containsAll(there);
        }

        /** Returns those of these addresses that are listed. */
        private static Set<Address> listed(SqlSession session, Set<Address> addresses) throws SQLException {
            List<SqlSession.Lookup<Address>> lookups = addresses.stream()
                    .map(address -> new SqlSession.Lookup<>(
                            List.of("keys", address),
                            "SELECT address FROM keys WHERE address = ?",
                            row -> row.address("address"),
                            (Object) address.toArray()))
                    .toList();
            session.fetch(lookups);
            Set<Address> listed = new HashSet<>();
            for (SqlSession.Lookup<Address> lookup : lookups) {
                session.find(lookup).ifPresent(listed::add);
            }
            return listed;
        }

        private boolean isHead(SqlSession session) throws SQLException {
            if (keys.isPresent()
                    && keys.getAsLong()
                            != session.queryOne("SELECT count(*) FROM keys", row -> row.getLong(1))
                                    .orElseThrow()) {
                return false;
            }
            if (!unmade && nextIndex.isEmpty() && members.isEmpty()) {
                return true;
            }
            Optional<Head> head = head(session);
            if (unmade) {
                return head.isEmpty();
            }
            return head.isPresent()
                    && (nextIndex.isEmpty()
                            || nextIndex.getAsLong() == head.get().nextIndex())
                    && (members.isEmpty() || members.get().equals(head.get().members()));
        }

        private boolean areVacant(SqlSession session) throws SQLException {
            for (Place place : vacant) {
                if (session.queryOne(
                                "SELECT 1 FROM sealed WHERE kind = ? AND owner = ?",
                                row -> true,
                                place.kind(),
                                place.owner().toArray())
                        .isPresent()) {
                    return false;
                }
            }
            return true;
        }
    }

    private static void seal(SqlSession session, Place place, Bytes blob) throws SQLException {
        session.later(
                "INSERT INTO sealed (kind, owner, blob) VALUES (?, ?, ?)"
                        + " ON CONFLICT (kind, owner) DO UPDATE SET blob = excluded.blob",
                place.kind(),
                place.owner().toArray(),
                blob.toArray());
    }

    private static void list(SqlSession session, Key key) throws SQLException {
        session.later(
                "INSERT INTO keys (address, public_key, derivation, label, imported, origin, birth)"
                        + " VALUES (?, ?::bytea, ?::bigint, ?, ?, ?, ?::bigint)"
                        + " ON CONFLICT (address) DO UPDATE SET public_key = excluded.public_key,"
                        + " derivation = excluded.derivation, label = excluded.label, imported = excluded.imported,"
                        + " origin = excluded.origin, birth = excluded.birth",
                key.address().toArray(),
                bytes(key.publicKey()),
                number(key.index()),
                key.label().orElse(null),
                key.imported() ? 1 : 0,
                key.origin(),
                number(key.birth()));
    }

    private static byte[] bytes(Optional<PublicKey> key) {
        return key.map(PublicKey::toArray).orElse(null);
    }

    private static Object number(OptionalLong number) {
        return number.isPresent() ? number.getAsLong() : null;
    }

    /** The next index never goes back: an address of the seed is given out once. */
    private static void set(SqlSession session, Head head) throws SQLException {
        session.later(
                "INSERT INTO keyring (one, next_index) VALUES (1, ?) ON CONFLICT (one) DO UPDATE"
                        + " SET next_index = excluded.next_index WHERE keyring.next_index < excluded.next_index",
                head.nextIndex());
        session.later("DELETE FROM keyring_members");
        for (Map.Entry<String, Bytes> member : head.members().entrySet()) {
            session.later(
                    "INSERT INTO keyring_members (name, json) VALUES (?, ?)",
                    member.getKey(),
                    member.getValue().toArray());
        }
    }

    /** Looks up whether a key was deleted and has not come back. */
    static SqlSession.Lookup<Boolean> deletion(Address address) {
        return new SqlSession.Lookup<>(
                List.of("deleted_keys", address), "SELECT 1 FROM deleted_keys WHERE address = ?", row -> true, (Object)
                        address.toArray());
    }

    /** Passes everything to a log's base. */
    static void tell(SqlSession session, Visitor<SentLine> visitor) throws SQLException {
        List<Place> page;
        for (Place last = new Place("", Bytes.EMPTY); ; last = page.get(page.size() - 1)) {
            page = new ArrayList<>();
            List<Place> places = page;
            List<SentLine> told = session.query(
                    "SELECT kind, owner, blob FROM sealed WHERE (kind, owner) > (?, ?) ORDER BY kind, owner LIMIT ?",
                    row -> {
                        Place place = new Place(row.text("kind"), Bytes.wrap(row.raw("owner")));
                        places.add(place);
                        return new SentLine.Sealed(place, Bytes.wrap(row.raw("blob")));
                    },
                    last.kind(),
                    last.owner().toArray(),
                    PAGE);
            if (told.isEmpty()) {
                break;
            }
            for (SentLine line : told) {
                visitor.visit(line);
            }
        }
        visitKeys(session, key -> visitor.visit(new SentLine.KeyListed(key)));
        Optional<Head> head = head(session);
        if (head.isPresent()) {
            visitor.visit(new SentLine.KeyringHead(head.get()));
        }
    }

    /** Enters a line of a log. */
    static void enter(SqlSession session, SentLine.Sealed sealed) throws SQLException {
        seal(session, sealed.place(), sealed.blob());
    }

    /** Enters a line of a log. Returns whether it lists a key that was not listed. */
    static boolean enter(SqlSession session, SentLine.KeyListed listed) throws SQLException {
        boolean isNew = session.queryOne("SELECT 1 FROM keys WHERE address = ?", row -> true, (Object)
                        listed.key().address().toArray())
                .isEmpty();
        list(session, listed.key());
        return isNew;
    }

    /** Enters a line of a log. */
    static void enter(SqlSession session, SentLine.KeyringHead head) throws SQLException {
        set(session, head.head());
    }
}
