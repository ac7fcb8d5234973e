package org.chainwalletd.store.books;

/**
 * One event of the feed.
 *
 * @param number of the log's entry that led to it
 */
public record CreditEvent(long number, Kind kind, Credit credit) {
    /** What has become of the credit. */
    public enum Kind {
        /** It is in a mempool. */
        SEEN,
        /** It is in the chain. */
        CONFIRMED,
        /** It was in the chain or seen, and is no more. */
        REMOVED
    }

    public boolean confirmed() {
        return kind == Kind.CONFIRMED;
    }
}
