package org.chainwalletd.store.books;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Outpoint;

/**
 * What the writer of the ledger has in mind, so that the payments of strangers, which are nearly all of a chain, cost it no look into a table:
 * which addresses may be watched, and which outpoints may be unspent coins of any scan. It knows all that is in the tables, and perhaps more:
 * what was spent or is watched no longer stays in it.
 */
final class LedgerSieve {
    /** As many spent coins may stay in it before it is read anew, and as many again as there were unspent ones. */
    private static final int SPENT = 100_000;

    /** Addresses that were found in the table, so that the books that ask for one after another have one look. */
    private static final int FOUND = 8_192;

    private final Sieve watched = new Sieve();
    private final Set<Address> found = new HashSet<>();
    private final Sieve unspent = new Sieve();
    private final int most;

    private LedgerSieve(BooksSession session) {
        for (byte[] joined : WatchedAddresses.joined(session)) {
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

    /** The writer's, read now if it has none, some hundredths of a second for each 100,000 addresses and more for as many coins; empty for a reader, who asks the tables. */
    static Optional<LedgerSieve> of(BooksSession session) {
        if (inMindOf(session).filter(LedgerSieve::isWorn).isPresent()) {
            session.forget(LedgerSieve.class);
        }
        return session.isWriter()
                ? Optional.of(session.keptInMind(LedgerSieve.class, LedgerSieve::new))
                : Optional.empty();
    }

    /** For those who add to it what they write. Without one there is nothing to add to: it will be read with their rows. */
    static Optional<LedgerSieve> inMindOf(BooksSession session) {
        return session.keptInMind(LedgerSieve.class);
    }

    /** Whether so much has gone through it that it had better be read anew. */
    private boolean isWorn() {
        return unspent.size() > most;
    }

    void watch(Address address) {
        watched.add(number(address));
    }

    /** It is watched no more. */
    void leave(Address address) {
        found.remove(address);
    }

    /** False: it is certainly not watched. */
    boolean mayBeWatched(Address address) {
        return watched.mayHave(number(address));
    }

    /** @param isInTable looks whether it is, and is not asked for what is known */
    boolean isWatched(Address address, BooleanSupplier isInTable) {
        if (!mayBeWatched(address)) {
            return false;
        }
        if (found.contains(address)) {
            return true;
        }
        boolean watchedNow = isInTable.getAsBoolean();
        if (watchedNow) {
            if (found.size() >= FOUND) {
                found.clear();
            }
            found.add(address);
        }
        return watchedNow;
    }

    void unspent(Outpoint outpoint) {
        unspent.add(number(outpoint));
    }

    /** False: it is certainly no unspent coin of the ledger. */
    boolean mayBeUnspent(Outpoint outpoint) {
        return unspent.mayHave(number(outpoint));
    }

    private static long number(Address address) {
        return address.leading();
    }

    private static long number(Outpoint outpoint) {
        return outpoint.txId().leading() + outpoint.index();
    }

    /** The same of a row. */
    private static long number(byte[] id, long index) {
        return ByteBuffer.wrap(id).getLong() + index;
    }
}
