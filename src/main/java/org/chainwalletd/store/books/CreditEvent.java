package org.chainwalletd.store.books;

/**
 * An event of the feed of credits.
 *
 * @param number of the log entry that caused it
 */
public record CreditEvent(long number, Kind kind, Credit credit) {
    /** State of the credit that the event reports. */
    public enum Kind {
        /** The credit is in a mempool. */
        SEEN,
        /** The credit is in the chain. */
        CONFIRMED,
        /** The credit was in the chain or a mempool and no longer is. */
        REMOVED
    }

    public boolean confirmed() {
        return kind == Kind.CONFIRMED;
    }
}
