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
 * A filter in the memory of the ledger's writer: which addresses may be watched, and which outpoints may be unspent coins of any scan. With it
 * the payments of strangers, which are nearly all of a chain, cost no look-up in a table. It contains everything in the tables, and possibly
 * more: spent coins and addresses that are watched no longer stay in it.
 */
final class LedgerSieve {
    /** Number of spent coins that may stay in the filter before it is rebuilt, beside as many again as there were unspent ones. */
    private static final int SPENT = 100_000;

    /**
     * Upper limit of the addresses remembered from the table, and whether their keys are here, so that several books that ask for the same one
     * share a look-up.
     */
    private static final int FOUND = 8_192;

    private final Sieve watched = new Sieve();
    private final Map<Address, Boolean> found = new HashMap<>();
    private final Sieve unspent = new Sieve();
    private final int most;

    private LedgerSieve(BooksSession session) {
        for (byte[] joined : WatchedAddresses.ALL.joined(session)) {
            ByteBuffer all = ByteBuffer.wrap(joined);
            for (int at = 0; at < joined.length; at += Address.LENGTH) {
                watched.add(all.getLong(at));
            }
        }
        session.visit(
                "SELECT tx_id, output_index FROM coins INDEXED BY coins_unspent WHERE spent_height IS NULL",
                row -> unspent.add(number(row.getBytes(1), row.getLong(2))));
        this.most = 2 * unspent.size() + SPENT;
    }

    /**
     * Returns the writer's filter, building it if there is none: that takes some hundredths of a second for each 100,000 addresses and more for
     * as many coins. Empty for a reader, who uses the tables.
     */
    static Optional<LedgerSieve> of(BooksSession session) {
        if (inMindOf(session).filter(LedgerSieve::isWorn).isPresent()) {
            session.forget(LedgerSieve.class);
        }
        return session.isWriter()
                ? Optional.of(session.keptInMind(LedgerSieve.class, LedgerSieve::new))
                : Optional.empty();
    }

    /** Returns the filter for callers that add to it what they write; empty when there is none yet: it will be built with their rows. */
    static Optional<LedgerSieve> inMindOf(BooksSession session) {
        return session.keptInMind(LedgerSieve.class);
    }

    /** Tells whether so many coins have been added and spent that the filter should be rebuilt. */
    private boolean isWorn() {
        return unspent.size() > most;
    }

    void watch(Address address) {
        watched.add(number(address));
        found.remove(address);
    }

    /** Notes that the address is watched no longer. */
    void leave(Address address) {
        found.remove(address);
    }

    /** Tells whether the address may be watched; false when it certainly is not. */
    boolean mayBeWatched(Address address) {
        return watched.mayHave(number(address));
    }

    /**
     * Tells whether the key of a watched address is here; empty for one that is not watched.
     *
     * @param inTable looks it up in the table; not called when the answer is known already
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
            if (found.size() >= FOUND) {
                found.clear();
            }
            found.put(address, owned.get());
        }
        return owned;
    }

    void unspent(Outpoint outpoint) {
        unspent.add(number(outpoint));
    }

    /** Tells whether the outpoint may be an unspent coin of the ledger; false when it certainly is not. */
    boolean mayBeUnspent(Outpoint outpoint) {
        return unspent.mayHave(number(outpoint));
    }

    private static long number(Address address) {
        return address.leading();
    }

    private static long number(Outpoint outpoint) {
        return outpoint.txId().leading() + outpoint.index();
    }

    /** Returns the number that stands for an outpoint read from a row. */
    private static long number(byte[] id, long index) {
        return ByteBuffer.wrap(id).getLong() + index;
    }

    /** Addresses that the ledger watches. */
    enum WatchedAddresses {
        ALL(""),
        /** The watched addresses whose keys are here. */
        OWNED(" AND watch_only = 0");

        /**
         * Query for a part of the addresses, concatenated: a row for each would cost the driver three times as much. SQLite joins the bytes
         * unchanged, whatever they are; the count shows that none is missing.
         */
        private static final String SOME_WATCHED =
                "SELECT COUNT(*), CAST(group_concat(address, '') AS BLOB) FROM watched WHERE address >= ? AND address < ?";

        private static final int PARTS = 4;

        private final String which;

        WatchedAddresses(String which) {
            this.which = which;
        }

        /** Returns each address once, concatenated, in several arrays. */
        List<byte[]> joined(BooksSession session) {
            List<byte[]> parts = new ArrayList<>(PARTS);
            for (int part = 0; part < PARTS; part++) {
                session.visit(SOME_WATCHED + which, row -> parts.add(joined(row)), border(part), border(part + 1));
            }
            return parts;
        }

        /** Returns the lower bound of a part; the last part ends above the highest possible address, which is shorter. */
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
     * A set of numbers that can tell that one is certainly not in it, so that a table need not be asked for rows it does not have. Different
     * things may have the same number: a caller that finds one still asks the table. Nothing is ever removed. Takes eight to sixteen bytes for
     * each number.
     */
    static final class Sieve {
        private static final int FEWEST_SLOTS = 1 << 10;
        private static final long FREE = 0;

        /** Random salt: strangers choose the numbers, and must not be able to choose their slots as well. */
        private final long salt = new SplittableRandom().nextLong();

        private long[] slots = new long[FEWEST_SLOTS];
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

        /** Tells whether the number may have been added; false when it certainly was not. */
        boolean mayHave(long number) {
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

        /**
         * Mixes the bits of a number with the final steps of MurmurHash3, which map different numbers to different ones, except for the one that
         * would be {@link #FREE}.
         */
        private long spread(long number) {
            long mixed = number ^ salt;
            mixed = (mixed ^ mixed >>> 33) * 0xff51afd7ed558ccdL;
            mixed = (mixed ^ mixed >>> 33) * 0xc4ceb9fe1a85ec53L;
            mixed ^= mixed >>> 33;
            return mixed == FREE ? 1 : mixed;
        }
    }
}
