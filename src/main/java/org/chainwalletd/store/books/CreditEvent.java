package org.chainwalletd.store.books;

/**
 * One event of the feed.
 *
 * @param number of the log's entry that led to it
 * @param confirmed true when the credit is in the chain, false when it was and is no more
 */
public record CreditEvent(long number, boolean confirmed, Credit credit) {}
