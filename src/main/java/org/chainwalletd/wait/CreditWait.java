package org.chainwalletd.wait;

import java.util.List;
import org.chainwalletd.store.books.CreditCursor;
import org.chainwalletd.store.books.CreditFeed;

/** One who reads the feed of credits, and waits while there is nothing new. Touched by {@link CreditWaits} alone. */
final class CreditWait extends Wait<CreditFeed.Batch> {
    final boolean change;
    final int limit;
    CreditCursor cursor;
    /** What is answered when the time is over. */
    CreditFeed.Batch last;

    CreditWait(CreditCursor cursor, boolean change, int limit, long began, long due) {
        super(began, due);
        this.cursor = cursor;
        this.change = change;
        this.limit = limit;
        this.last = new CreditFeed.Batch(List.of(), cursor, false, -1);
    }
}
