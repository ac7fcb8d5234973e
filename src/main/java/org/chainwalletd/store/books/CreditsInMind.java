package org.chainwalletd.store.books;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Outpoint;

/**
 * What the writer of the feed has in mind, so that a credit that nobody has told of before, as nearly all are, is entered without a look at the
 * ones that were: the highest place of each scan, which may be higher than any that there is, and which outputs wait in a mempool.
 */
final class CreditsInMind {
    private static final String HIGHEST =
            "SELECT MAX(COALESCE((SELECT MAX(height) FROM credits WHERE scan = ?1 AND active = 0), -1),"
                    + " COALESCE((SELECT MAX(height) FROM credits WHERE scan = ?1 AND active = 1), -1))";

    private static final String WAITING =
            "SELECT tx, output FROM credits INDEXED BY credits_by_height WHERE scan = ? AND active = 1";

    /** Of a credit in its block, as the feed orders them. */
    private record Place(long height, long position) {
        boolean isAbove(Place other) {
            return height != other.height ? height > other.height : position > other.position;
        }
    }

    private final Map<Long, Place> highest = new HashMap<>();
    private final Set<Outpoint> waiting;

    private CreditsInMind(BooksSession session) {
        waiting = new HashSet<>(session.query(WAITING, LedgerTable::outpoint, CreditTable.PENDING));
    }

    static CreditsInMind of(Page page) {
        return page.session().keptInMind(CreditsInMind.class, CreditsInMind::new);
    }

    /**
     * A credit of a block is about to be entered.
     *
     * @return false: no row of the page's scan, in the chain or not, is of its place
     */
    boolean mayBeKnown(Page page, Credit credit) {
        Place place = new Place(credit.block().height(), credit.position());
        Place top = highest.computeIfAbsent(page.scan(), scan -> read(page));
        boolean higher = place.isAbove(top);
        if (higher) {
            highest.put(page.scan(), place);
        }
        return !higher;
    }

    private static Place read(Page page) {
        long height = page.queryOne(HIGHEST, row -> row.getLong(1), page.scan()).orElseThrow();
        return new Place(height, Long.MAX_VALUE);
    }

    boolean isWaitedFor(Outpoint outpoint) {
        return waiting.contains(outpoint);
    }

    /** An output is seen in a mempool. */
    void waits(Outpoint outpoint) {
        waiting.add(outpoint);
    }

    /**
     * It waits no more.
     *
     * @return whether it did
     */
    boolean waitedFor(Outpoint outpoint) {
        return waiting.remove(outpoint);
    }

    /** Nothing of the transaction waits any more. */
    void lose(Hash256 txId) {
        waiting.removeIf(outpoint -> outpoint.txId().equals(txId));
    }
}
