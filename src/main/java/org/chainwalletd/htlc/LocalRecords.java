package org.chainwalletd.htlc;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.chainwalletd.api.Htlcs;
import org.chainwalletd.api.Htlcs.Htlc;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.ChainProfile;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.htlc.HtlcRecords.HtlcRecord;
import org.chainwalletd.store.books.BlockRow;
import org.chainwalletd.store.books.BlockRows;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.Page;
import org.chainwalletd.store.books.htlc.HtlcRow;
import org.chainwalletd.store.books.htlc.HtlcRows;
import org.chainwalletd.store.books.htlc.HtlcRows.Position;
import org.chainwalletd.store.books.htlc.HtlcTable;

/**
 * Local index as seen by callers: the content of the book as of the followed tip. The book already has blocks above it whose proof of work is not
 * checked yet; their changes are not shown.
 */
public record LocalRecords(ChainProfile profile, Books books, Supplier<Optional<FollowedTip>> tip, Executor executor)
        implements HtlcRecords {
    private enum Removal {
        REMOVED,
        NOT_FOUND,
        OPEN
    }

    private static final Map<Htlcs.Role, Integer> ROLES = new EnumMap<>(Map.of(
            Htlcs.Role.SENDER, HtlcTable.SENDER,
            Htlcs.Role.RECEIVER, HtlcTable.RECEIVER,
            Htlcs.Role.BOTH, HtlcTable.SENDER | HtlcTable.RECEIVER));
    private static final Map<Htlcs.State, Integer> STATES = new EnumMap<>(Map.of(
            Htlcs.State.LOCKED, HtlcTable.LOCKED,
            Htlcs.State.LOCKED_EXPIRED, HtlcTable.EXPIRED,
            Htlcs.State.CLAIMED, HtlcTable.CLAIMED,
            Htlcs.State.RECLAIMED, HtlcTable.RECLAIMED,
            Htlcs.State.UNKNOWN, HtlcTable.UNKNOWN));

    @Override
    public CompletionStage<Optional<HtlcRecord>> status(Outpoint lock) {
        long height = height();
        return books.read(session -> HtlcRows.find(session.head(), lock).flatMap(row -> shown(row, height)));
    }

    @Override
    public CompletionStage<List<HtlcRecord>> ofHashLock(Hash256 hashLock) {
        long height = height();
        return books.read(session -> HtlcRows.ofHashLock(session.head(), hashLock).stream()
                .flatMap(row -> row.asOf(height).stream())
                .map(row -> record(row, height))
                .toList());
    }

    @Override
    public CompletionStage<Listing> list(Query query) {
        Position after;
        try {
            after = start(query);
        } catch (RefusedException e) {
            return CompletableFuture.failedFuture(e);
        }
        long height = height();
        return books.read(session -> new Search(profile, session.head(), query, after, height).run());
    }

    /** Counts the records of all roles and states, which is the total length of a complete listing. */
    public CompletionStage<Long> count() {
        long height = height();
        return books.read(session -> {
            long stored = HtlcRows.counts(session.head()).stream()
                    .mapToLong(HtlcRows.Count::rows)
                    .sum();
            return stored
                    - changedAbove(session.head(), height).stream()
                            .filter(row -> !row.forgotten() && row.asOf(height).isEmpty())
                            .map(HtlcRow::outpoint)
                            .distinct()
                            .count();
        });
    }

    /**
     * Hides a settled record from now on, at the operator's request; it reappears when a reorganisation removes the block that settled it.
     *
     * @return false when there is no such record; fails with {@link RefusedException} when it is not settled
     */
    public CompletionStage<Boolean> forget(Outpoint lock) {
        long height = height();
        return books.write(session -> forget(session.head(), lock, height))
                .thenApplyAsync(
                        removal -> {
                            if (removal == Removal.OPEN) {
                                throw RefusedException.invalidParams(
                                        "the HTLC " + lock
                                                + " is still locked: only claimed, reclaimed and unknown ones can be forgotten");
                            }
                            return removal == Removal.REMOVED;
                        },
                        executor);
    }

    private static Removal forget(Page page, Outpoint lock, long height) {
        Optional<HtlcRow> row =
                HtlcRows.find(page, lock).filter(found -> !found.forgotten()).flatMap(found -> found.asOf(height));
        if (row.isEmpty()) {
            return Removal.NOT_FOUND;
        }
        if (record(row.get(), height).isOpen()) {
            return Removal.OPEN;
        }
        HtlcRows.forget(page, lock);
        return Removal.REMOVED;
    }

    /** Returns the rows created or changed by blocks above the followed tip; nearly always there are none. */
    private static List<HtlcRow> changedAbove(Page page, long tip) {
        long top = BlockRows.top(page).map(BlockRow::height).orElse(tip);
        return top > tip ? HtlcRows.changedAbove(page, tip, top) : List.of();
    }

    /** Returns the records of those outputs for which the book has one; empty for a record that is not listed, such as a forgotten one. */
    public CompletionStage<Map<Outpoint, Optional<HtlcRecord>>> known(Collection<Outpoint> locks) {
        long height = height();
        return books.read(session -> locks.stream()
                .distinct()
                .flatMap(lock -> HtlcRows.find(session.head(), lock).stream())
                .collect(Collectors.toMap(HtlcRow::outpoint, row -> shown(row, height))));
    }

    private static Optional<HtlcRecord> shown(HtlcRow stored, long height) {
        return Optional.of(stored)
                .filter(row -> !row.forgotten())
                .flatMap(row -> row.asOf(height))
                .map(row -> record(row, height));
    }

    /** Returns the position at which a listing begins. */
    static Position start(Query query) {
        Position first = Position.before(0);
        if (query.sinceHeight().isPresent()) {
            long since = query.sinceHeight().getAsLong();
            first = Position.before(since < 0 ? HtlcTable.NOWHERE : since);
        }
        Optional<Position> cursor = query.cursor().map(ListCursor::parse);
        return cursor.isPresent() && cursor.get().compareTo(first) > 0 ? cursor.get() : first;
    }

    /** Returns the height of the followed tip; -1 before the first block. */
    private long height() {
        return tip.get().map(FollowedTip::height).orElse(-1L);
    }

    static HtlcRecord record(HtlcRow row, long tip) {
        return new HtlcRecord(
                row.outpoint(),
                row.params(),
                row.amount(),
                row.lockHeight(),
                state(row, tip),
                row.claim()
                        .map(spend -> new Htlc.Claim(
                                spend.txId(), spend.preimage().orElseThrow(), spend.height(), spend.input())),
                row.reclaim().map(spend -> new Htlc.Reclaim(spend.txId(), spend.height(), spend.input())),
                role(row),
                Math.max(0, tip));
    }

    private static Htlcs.State state(HtlcRow row, long tip) {
        return keyOf(STATES, row.state(tip));
    }

    private static Htlcs.Role role(HtlcRow row) {
        return keyOf(ROLES, row.role());
    }

    private static <K> K keyOf(Map<K, Integer> numbers, int number) {
        return numbers.entrySet().stream()
                .filter(entry -> entry.getValue() == number)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow();
    }

    /** Search for one page: merges a short ordered run for each requested state and role. */
    private record Search(ChainProfile profile, Page page, Query query, Position after, long tip) {
        Listing run() {
            List<HtlcRow> changed = changedAbove(page, tip);
            int enough = query.limit() + 1 + changed.size();
            Set<Outpoint> elsewhere = new HashSet<>();
            changed.forEach(row -> elsewhere.add(row.outpoint()));
            TreeMap<Position, HtlcRow> found = new TreeMap<>();
            for (HtlcRow row : stored(enough)) {
                if (!elsewhere.contains(row.outpoint())) {
                    put(found, row);
                }
            }
            changed.forEach(row -> put(found, row));
            List<HtlcRecord> records = new ArrayList<>();
            Position last = after;
            for (Map.Entry<Position, HtlcRow> entry : found.entrySet()) {
                if (records.size() == query.limit()) {
                    return new Listing(records, Optional.of(ListCursor.of(last)));
                }
                records.add(LocalRecords.record(entry.getValue(), tip));
                last = entry.getKey();
            }
            return new Listing(records, Optional.empty());
        }

        private List<HtlcRow> stored(int enough) {
            List<HtlcRow> rows = new ArrayList<>();
            for (Htlcs.State state : query.states()) {
                for (Htlcs.Role role : query.roles()) {
                    // The book has no records in which the daemon is only an observer.
                    if (role != Htlcs.Role.OBSERVER) {
                        rows.addAll(stored(STATES.get(state), ROLES.get(role), enough));
                    }
                }
            }
            return rows;
        }

        private List<HtlcRow> stored(int state, int role, int enough) {
            return query.address().isPresent()
                    ? HtlcRows.ofParty(page, query.address().get(), state, role, after, enough)
                    : HtlcRows.ofState(page, state, role, after, enough);
        }

        private void put(TreeMap<Position, HtlcRow> found, HtlcRow stored) {
            stored.asOf(tip).filter(this::isWanted).ifPresent(row -> found.put(Position.of(row), row));
        }

        private boolean isWanted(HtlcRow row) {
            boolean since = query.sinceHeight().isEmpty() || isSince(row.lockHeight());
            return since
                    && !row.forgotten()
                    && Position.of(row).compareTo(after) > 0
                    && query.states().contains(state(row, tip))
                    && query.roles().contains(role(row))
                    && query.address().map(party -> isParty(row, party)).orElse(true);
        }

        private boolean isParty(HtlcRow row, Address party) {
            return profile.addressOf(row.params().sender()).equals(party)
                    || profile.addressOf(row.params().receiver()).equals(party);
        }

        private boolean isSince(OptionalLong lockHeight) {
            return lockHeight.isPresent()
                    && Long.compareUnsigned(
                                    lockHeight.getAsLong(), query.sinceHeight().getAsLong())
                            >= 0;
        }
    }

    /** Position in a listing as opaque text: a version byte, the lock's height, its transaction id and output index, in hex. */
    static final class ListCursor {
        private static final byte VERSION = 1;
        private static final int LENGTH = 1 + Long.BYTES + Hash256.LENGTH + Integer.BYTES;

        private ListCursor() {}

        static String of(Position position) {
            ByteBuffer bytes = ByteBuffer.allocate(LENGTH)
                    .put(VERSION)
                    .putLong(position.lockHeight())
                    .put(position.outpoint().txId().toArray())
                    .putInt((int) position.outpoint().index());
            return HexFormat.of().formatHex(bytes.array());
        }

        /** @throws RefusedException -32602 when it is not a cursor of this daemon */
        static Position parse(String cursor) {
            if (cursor.length() != 2 * LENGTH) {
                throw invalid();
            }
            ByteBuffer bytes;
            try {
                bytes = ByteBuffer.wrap(HexFormat.of().parseHex(cursor));
            } catch (IllegalArgumentException e) {
                throw invalid();
            }
            byte version = bytes.get();
            long height = bytes.getLong();
            if (version != VERSION || height < 0) {
                throw invalid();
            }
            byte[] txId = new byte[Hash256.LENGTH];
            bytes.get(txId);
            return new Position(height, new Outpoint(Hash256.of(txId), Integer.toUnsignedLong(bytes.getInt())));
        }

        private static RefusedException invalid() {
            return RefusedException.invalidParams("`cursor` is not one that htlc_list gave: begin without it");
        }
    }
}
