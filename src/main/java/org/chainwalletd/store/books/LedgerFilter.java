package org.chainwalletd.store.books;

import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.sql.Row;

/**
 * In-memory filter of the ledger's writer: which addresses may be watched, and which outpoints may be unspent coins of any scan. It saves a table
 * look-up for foreign payments, nearly all of a chain's. It contains everything in the tables and possibly more: spent coins and addresses no longer
 * watched stay in it.
 */
final class LedgerFilter {
    /** Number of spent coins allowed in the filter before it is rebuilt, in addition to the number of unspent coins when it was built. */
    private static final int MAX_SPENT = 100_000;

    /** Maximum number of cached addresses (with whether we have their keys), so that several books asking for the same address share a look-up. */
    private static final int MAX_FOUND = 8_192;

    private final HashFilter watched = new HashFilter();
    private final Map<Address, Boolean> found = new HashMap<>();
    private final HashFilter unspent = new HashFilter();
    private final int maxSize;

    private LedgerFilter(BooksSession session) {
        for (byte[] joined : WatchedAddresses.ALL.joined(session)) {
            ByteBuffer all = ByteBuffer.wrap(joined);
            for (int at = 0; at < joined.length; at += Address.LENGTH) {
                watched.add(all.getLong(at));
            }
        }
        session.head()
                .visit(
                        "SELECT tx_id, output_index FROM coins INDEXED BY coins_unspent WHERE spent_height IS NULL",
                        row -> unspent.add(number(row.getBytes(1), row.getLong(2))));
        this.maxSize = 2 * unspent.size() + MAX_SPENT;
    }

    /**
     * Returns the writer's filter; builds it if necessary, which takes some hundredths of a second per 100,000 addresses, and longer for as many
     * coins. Empty for a reader, which uses the tables.
     */
    static Optional<LedgerFilter> of(BooksSession session) {
        if (ifCached(session).filter(LedgerFilter::needsRebuild).isPresent()) {
            session.dropCache(LedgerFilter.class);
        }
        return session.isWriter()
                ? Optional.of(session.cached(LedgerFilter.class, LedgerFilter::new))
                : Optional.empty();
    }

    /**
     * Returns the filter for callers that add to it what they write; empty when it does not exist: it will be built from the tables, with their
     * rows.
     */
    static Optional<LedgerFilter> ifCached(BooksSession session) {
        return session.ifCached(LedgerFilter.class);
    }

    /** Returns whether so many coins were added and spent that the filter should be rebuilt. */
    private boolean needsRebuild() {
        return unspent.size() > maxSize;
    }

    void watch(Address address) {
        watched.add(number(address));
        found.remove(address);
    }

    void unwatch(Address address) {
        found.remove(address);
    }

    /** Returns whether the address may be watched; false when it certainly is not. */
    boolean mayBeWatched(Address address) {
        return watched.mayContain(number(address));
    }

    /**
     * Returns whether we have the key of a watched address; empty for an address that is not watched.
     *
     * @param inTable looks it up in the table; not called when the answer is known
     */
    Optional<Boolean> owned(Address address, Supplier<Optional<Boolean>> inTable) {
        if (!mayBeWatched(address)) {
            return Optional.empty();
        }
        Boolean known = found.get(address);
        if (known != null) {
            return Optional.of(known);
        }
        Optional<Boolean> owned = inTable.get();
        if (owned.isPresent()) {
            if (found.size() >= MAX_FOUND) {
                found.clear();
            }
            found.put(address, owned.get());
        }
        return owned;
    }

    void unspent(Outpoint outpoint) {
        unspent.add(number(outpoint));
    }

    /** Returns whether the outpoint may be an unspent coin of the ledger; false when it certainly is not. */
    boolean mayBeUnspent(Outpoint outpoint) {
        return unspent.mayContain(number(outpoint));
    }

    private static long number(Address address) {
        return address.leading();
    }

    private static long number(Outpoint outpoint) {
        return outpoint.txId().leading() + outpoint.index();
    }

    private static long number(byte[] id, long index) {
        return ByteBuffer.wrap(id).getLong() + index;
    }

    /** Watched addresses, read in bulk. */
    enum WatchedAddresses {
        ALL(""),
        /** Watched addresses whose keys we have. */
        OWNED(" AND watch_only = 0");

        /**
         * Query for one part of the addresses, concatenated: a row per address would cost the driver three times as much. SQLite concatenates
         * arbitrary bytes unchanged; the count verifies that none is missing.
         */
        private static final String SELECT_PART =
                "SELECT COUNT(*), CAST(group_concat(address, '') AS BLOB) FROM watched WHERE address >= ? AND address < ?";

        private static final int PARTS = 4;

        private final String condition;

        WatchedAddresses(String condition) {
            this.condition = condition;
        }

        /** Returns each address once, concatenated, split over several arrays. */
        List<byte[]> joined(BooksSession session) {
            List<byte[]> parts = new ArrayList<>(PARTS);
            for (int part = 0; part < PARTS; part++) {
                session.head()
                        .visit(SELECT_PART + condition, row -> parts.add(joined(row)), border(part), border(part + 1));
            }
            return parts;
        }

        /** Returns the lower bound of a part; the bound after the last part is one byte longer than an address, and so above every address. */
        private static byte[] border(int part) {
            if (part < PARTS) {
                return new byte[] {(byte) (part * (1 << Byte.SIZE) / PARTS)};
            }
            byte[] end = new byte[Address.LENGTH + 1];
            Arrays.fill(end, (byte) -1);
            return end;
        }

        private static byte[] joined(Row row) throws SQLException {
            byte[] bytes = row.getBytes(2);
            byte[] joined = bytes == null ? new byte[0] : bytes;
            if (joined.length != row.getLong(1) * Address.LENGTH) {
                throw new SQLException("not all watched addresses could be read");
            }
            return joined;
        }
    }

    /**
     * A set of hashes with no false negatives: it can tell that a number is certainly absent, which saves a table look-up. Different objects may
     * share a number, so a caller must check hits in the table. Nothing is ever removed. Takes eight to sixteen bytes per number.
     */
    static final class HashFilter {
        private static final int MIN_SLOTS = 1 << 10;
        private static final long FREE = 0;

        /** Random salt: others choose the numbers, and must not be able to choose their slots as well. */
        private final long salt = new SplittableRandom().nextLong();

        private long[] slots = new long[MIN_SLOTS];
        private int size;

        int size() {
            return size;
        }

        void add(long number) {
            if (enter(slots, spread(number))) {
                size++;
                if (2 * size > slots.length) {
                    grow();
                }
            }
        }

        /** Returns whether the number may have been added; false when it certainly was not. */
        boolean mayContain(long number) {
            long wanted = spread(number);
            int slot = first(slots, wanted);
            while (slots[slot] != FREE && slots[slot] != wanted) {
                slot = slot + 1 & slots.length - 1;
            }
            return slots[slot] == wanted;
        }

        private void grow() {
            long[] larger = new long[2 * slots.length];
            for (long held : slots) {
                if (held != FREE) {
                    enter(larger, held);
                }
            }
            slots = larger;
        }

        private static boolean enter(long[] slots, long spread) {
            int slot = first(slots, spread);
            while (slots[slot] != FREE) {
                if (slots[slot] == spread) {
                    return false;
                }
                slot = slot + 1 & slots.length - 1;
            }
            slots[slot] = spread;
            return true;
        }

        private static int first(long[] slots, long spread) {
            return (int) (spread >>> Integer.SIZE) & slots.length - 1;
        }

        /** Mixes the bits with the final steps of MurmurHash3, which are a bijection, except that {@link #FREE} is replaced. */
        private long spread(long number) {
            long mixed = number ^ salt;
            mixed = (mixed ^ mixed >>> 33) * 0xff51afd7ed558ccdL;
            mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
            mixed ^= mixed >>> 33;
            return mixed == FREE ? 1 : mixed;
        }
    }
}
