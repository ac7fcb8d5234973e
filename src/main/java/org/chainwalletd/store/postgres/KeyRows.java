package org.chainwalletd.store.postgres;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.KeyringRow.Head;
import org.chainwalletd.store.KeyringRow.Key;
import org.chainwalletd.store.KeyringRow.Place;
import org.chainwalletd.store.Store;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.sql.GroupCommitWriter;
import org.chainwalletd.store.sql.KeyringTable;
import org.chainwalletd.store.sql.SentLine;
import org.chainwalletd.store.sql.SentLog;
import org.chainwalletd.store.sql.SqlSession;
import org.chainwalletd.store.sql.SqlStore;

/**
 * Rows of a keyring in a PostgreSQL store: sealed blobs, and the data that must be readable without unsealing. When a method returns, everything that
 * it added is also in {@code sent.log}, so that a database that went back in time loses no key. Deletions are not logged, so a restore brings deleted
 * keys back. Methods block, and fail with {@link StoreException}.
 */
public abstract class KeyRows {
    private static final long PATIENCE_SECONDS = 60;

    private final String database;

    private KeyRows(String database) {
        this.database = database;
    }

    static KeyRows of(SqlStore store, String database, SentLog.Lines lines) {
        return new OfStore(store, database, lines);
    }

    /** Returns read-only access to the rows, for use beside a running daemon or before the tables exist. */
    public static KeyRows looking(PostgresDatabase database) {
        return new KeyRows(database.name()) {
            @Override
            <T> T read(GroupCommitWriter.Work<T> work) {
                try (SqlSession session = database.session()) {
                    return work.apply(session);
                } catch (SQLException e) {
                    throw GroupCommitWriter.unavailable(database(), "cannot be read: " + e.getMessage(), e);
                }
            }
        };
    }

    /** Runs queries and waits for their result. */
    abstract <T> T read(GroupCommitWriter.Work<T> work);

    private static <T> T result(CompletableFuture<T> asked, Function<Throwable, StoreException> otherFailure) {
        return Causes.join(
                asked.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS),
                failure -> failure instanceof StoreException known ? known : otherFailure.apply(failure));
    }

    /** Returns the failure of a read that has changed nothing, whether it timed out or failed. */
    private static StoreException unanswered(String database, Throwable failure) {
        return failure instanceof TimeoutException
                ? new StoreException(
                        StoreException.Reason.BUSY,
                        "store " + database + " has not answered for " + PATIENCE_SECONDS + " s, try again",
                        failure)
                : GroupCommitWriter.unavailable(database, "cannot be read: " + failure.getMessage(), failure);
    }

    /** Returns the name of the database for messages, without a password. */
    public String database() {
        return database;
    }

    /** Returns whether other daemons may change the rows and this daemon follows them. */
    public boolean areShared() {
        return false;
    }

    /** Registers a listener that is called, on a thread that must not be blocked, when another daemon has changed the rows. */
    public void whenOthersChange(Runnable listener) {}

    /** Returns the number of the newest commit; rows read later include it. */
    public long newest() {
        return read(session -> KeyringTable.isMade(session) ? newest(session) : 0L);
    }

    private static long newest(SqlSession session) throws SQLException {
        return session.number("SELECT coalesce(max(number), 0) FROM commits");
    }

    /**
     * Changes of the rows since a commit.
     *
     * @param commit newest commit that these rows are sure to include; they may include changes by later ones
     * @param changed new keys, and new values of existing keys
     */
    public record News(long commit, List<Key> changed, Set<Address> deleted, Head head) {}

    /**
     * Reads the changes made after a commit.
     *
     * @throws StoreException {@code UNAVAILABLE} also when the keyring no longer exists
     */
    public News since(long commit) {
        return read(session -> {
            // Read the number first: each later statement sees all commits up to it.
            long newest = newest(session);
            List<Key> changed = KeyringTable.changedAfter(session, commit);
            Set<Address> deleted = new HashSet<>(session.query(
                    "SELECT address FROM deleted_keys WHERE commit > ?", row -> row.address("address"), commit));
            // A key may have been deleted between the two statements, or have been added again.
            changed.removeIf(key -> deleted.contains(key.address()));
            return new News(
                    newest,
                    changed,
                    deleted,
                    KeyringTable.head(session)
                            .orElseThrow(() ->
                                    GroupCommitWriter.unavailable(database, "has lost the row of its keyring", null)));
        });
    }

    /** Reads the addresses whose keys were deleted and not added again. */
    public Set<Address> deleted() {
        return read(session ->
                Set.copyOf(session.query("SELECT address FROM deleted_keys", row -> row.address("address"))));
    }

    /** Reads the keyring's head; empty when no keyring was created. */
    public Optional<Head> head() {
        return read(session -> KeyringTable.isMade(session) ? KeyringTable.head(session) : Optional.empty());
    }

    /** Returns whether the database has a payment, which a now missing key may have signed. */
    public boolean hasPayments() {
        return read(session -> session.has("SELECT 1 FROM spends UNION ALL SELECT 1 FROM kept_spends LIMIT 1"));
    }

    /** Returns whether a key for an address is listed. */
    public boolean isListed(Address address) {
        return read(session -> session.has("SELECT 1 FROM keys WHERE address = ?", (Object) address.toArray()));
    }

    /** Reads all keys in the order in which they were added. */
    public List<Key> keys() {
        return read(session -> {
            List<Key> keys = new ArrayList<>();
            KeyringTable.visitKeys(session, keys::add);
            return keys;
        });
    }

    /** Reads a sealed blob; empty when this place has none. */
    public Optional<Bytes> sealed(Place place) {
        return read(session -> KeyringTable.isMade(session)
                ? session.queryOne(
                        "SELECT blob FROM sealed WHERE kind = ? AND owner = ?",
                        row -> Bytes.wrap(row.getBytes(1)),
                        place.kind(),
                        place.owner().toArray())
                : Optional.empty());
    }

    /** Reads all sealed blobs of this kind, by owner. */
    public Map<Bytes, Bytes> allSealed(String kind) {
        return read(session -> {
            Map<Bytes, Bytes> blobs = new HashMap<>();
            session.visit(
                    "SELECT owner, blob FROM sealed WHERE kind = ?",
                    row -> blobs.put(Bytes.wrap(row.raw("owner")), Bytes.wrap(row.raw("blob"))),
                    kind);
            return blobs;
        });
    }

    /** Finds any place with a blob of this kind, preferably that of a listed key. */
    public Optional<Place> anySealed(String kind) {
        return read(session -> {
            if (!KeyringTable.isMade(session)) {
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
        return read(session -> session.query(
                "SELECT address FROM keys WHERE imported = 1"
                        + " AND NOT EXISTS (SELECT 1 FROM sealed WHERE kind = ? AND owner = address) ORDER BY number",
                row -> Address.of(row.getBytes(1)),
                kind));
    }

    /** Reads the owners of all blobs of this kind. */
    public Set<Bytes> owners(String kind) {
        return read(session -> KeyringTable.isMade(session)
                ? new HashSet<>(session.query(
                        "SELECT owner FROM sealed WHERE kind = ?", row -> Bytes.wrap(row.getBytes(1)), kind))
                : Set.of());
    }

    /**
     * Applies a change in one commit, unless its premise does not hold; that is checked in the same transaction, under the store lock. A keyring is
     * created by writing its head.
     */
    public Optional<Refusal> write(Change change) {
        throw GroupCommitWriter.unavailable(database, "is only looked at", null);
    }

    /**
     * Reason why a change was not made; nothing was written.
     *
     * @param needed why a key is still needed; empty when another daemon has changed the rows
     */
    public record Refusal(Optional<String> needed) {
        static final Refusal CHANGED = new Refusal(Optional.empty());
    }

    private static final class OfStore extends KeyRows {
        private final SqlStore store;
        private final SentLog.Lines lines;

        OfStore(SqlStore store, String database, SentLog.Lines lines) {
            super(database);
            this.store = store;
            this.lines = lines;
        }

        @Override
        <T> T read(GroupCommitWriter.Work<T> work) {
            return result(store.read(work), failure -> unanswered(database(), failure));
        }

        @Override
        public boolean areShared() {
            return true;
        }

        @Override
        public void whenOthersChange(Runnable listener) {
            store.whenOthersChange(Store.SharedRows.KEYS, listener);
        }

        @Override
        public Optional<Refusal> write(Change change) {
            return result(
                    store.write(session -> {
                        Optional<Refusal> refusal = change.premise().refusal(session, change, isKeeper());
                        if (refusal.isEmpty()) {
                            apply(session, change);
                        }
                        return refusal;
                    }),
                    failure -> GroupCommitWriter.unknown(database(), failure));
        }

        /** Returns, within a writing transaction, whether this daemon does the background work. */
        private boolean isKeeper() {
            try {
                store.requireKeeper();
                return true;
            } catch (StoreException e) {
                return false;
            }
        }

        private void apply(SqlSession session, Change change) throws SQLException {
            for (Map.Entry<Place, Bytes> blob : change.sealed().entrySet()) {
                KeyringTable.seal(session, blob.getKey(), blob.getValue());
                lines.add(new SentLine.Sealed(blob.getKey(), blob.getValue()));
            }
            for (Place place : change.removed()) {
                session.defer(
                        "DELETE FROM sealed WHERE kind = ? AND owner = ?",
                        place.kind(),
                        place.owner().toArray());
            }
            for (Key key : change.replaced()) {
                tell(KeyringTable.replace(session, key));
            }
            for (Map.Entry<Address, Optional<String>> label : change.labels().entrySet()) {
                tell(KeyringTable.label(session, label.getKey(), label.getValue()));
            }
            for (Address address : change.unlisted()) {
                KeyringTable.delete(session, address);
            }
            for (Key key : change.listed()) {
                KeyringTable.list(session, key);
                lines.add(new SentLine.KeyListed(key));
            }
            if (change.nextIndex().isPresent() || change.members().isPresent()) {
                Optional<Head> before = KeyringTable.head(session);
                Head after = new Head(
                        Math.max(
                                before.map(Head::nextIndex).orElse(0L),
                                change.nextIndex().orElse(0)),
                        change.members().or(() -> before.map(Head::members)).orElse(Map.of()));
                KeyringTable.set(session, after);
                lines.add(new SentLine.KeyringHead(after));
            }
        }

        private void tell(List<Key> changed) {
            changed.forEach(key -> lines.add(new SentLine.KeyListed(key)));
        }
    }

    /**
     * Change of a keyring.
     *
     * @param sealed new blobs, replacing existing ones
     * @param removed places whose blobs are removed, if there are any
     * @param replaced new values of listed keys; the keys keep their labels, and stored data for which no value is given
     * @param labels new labels of listed keys
     * @param unlisted keys that are removed, if they exist
     * @param listed new keys
     * @param nextIndex of the legacy seed, u32; it is never decreased
     * @param members further values of the head, replacing all existing ones; empty leaves them unchanged
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
        private static Change of(
                Map<Place, Bytes> sealed,
                Collection<Place> removed,
                Collection<Key> listed,
                Optional<Head> head,
                Premise premise) {
            return new Change(
                    sealed,
                    removed,
                    List.of(),
                    Map.of(),
                    List.of(),
                    listed,
                    head.map(made -> OptionalLong.of(made.nextIndex())).orElse(OptionalLong.empty()),
                    head.map(Head::members),
                    premise);
        }

        public static Change sealing(Map<Place, Bytes> blobs, Premise premise) {
            return entering(blobs, List.of(), premise);
        }

        public static Change removing(Collection<Place> places) {
            return of(Map.of(), places, List.of(), Optional.empty(), Premise.NONE);
        }

        public static Change making(Map<Place, Bytes> blobs, Head head, Premise premise) {
            return of(blobs, List.of(), List.of(), Optional.of(head), premise);
        }

        /** Adds keys to a keyring that was not created yet. */
        public static Change entering(Map<Place, Bytes> blobs, Collection<Key> keys, Premise premise) {
            return of(blobs, List.of(), keys, Optional.empty(), premise);
        }
    }

    /**
     * State of the rows that a change presumes.
     *
     * @param listing whether the keys that the change lists must be missing, and those that it changes or removes must exist
     * @param unmade whether the keyring must have no head yet
     * @param keys number of listed keys; empty for any
     * @param nextIndex of the legacy seed; empty for any
     * @param members further values of the head; empty for any
     * @param vacant places that must have no blob
     * @param unneeded keys that no open spend, waiting payout, unfinished sweep, swap or open HTLC may need
     */
    public record Premise(
            boolean listing,
            boolean unmade,
            OptionalLong keys,
            OptionalLong nextIndex,
            Optional<Map<String, Bytes>> members,
            Collection<Place> vacant,
            Collection<Address> unneeded) {
        public static final Premise NONE = of(false, OptionalLong.empty(), List.of());

        private static Premise of(boolean unmade, OptionalLong keys, Collection<Place> vacant) {
            return new Premise(false, unmade, keys, OptionalLong.empty(), Optional.empty(), vacant, List.of());
        }

        /** Presumes that the keyring was not created yet, and already has this number of keys. */
        public static Premise unmade(long keys) {
            return of(true, OptionalLong.of(keys), List.of());
        }

        public static Premise vacant(Place place) {
            return of(false, OptionalLong.empty(), List.of(place));
        }

        private Optional<Refusal> refusal(SqlSession session, Change change, boolean isKeeper) throws SQLException {
            if (listing && !isListed(session, change) || !isHead(session) || !areVacant(session)) {
                return Optional.of(Refusal.CHANGED);
            }
            for (Address address : unneeded) {
                Optional<String> needed = KeyUses.of(session, address, isKeeper);
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
            if (keys.isPresent() && keys.getAsLong() != session.number("SELECT count(*) FROM keys")) {
                return false;
            }
            if (!unmade && nextIndex.isEmpty() && members.isEmpty()) {
                return true;
            }
            Optional<Head> head = KeyringTable.head(session);
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
                if (session.has(
                        "SELECT 1 FROM sealed WHERE kind = ? AND owner = ?",
                        place.kind(),
                        place.owner().toArray())) {
                    return false;
                }
            }
            return true;
        }
    }
}
