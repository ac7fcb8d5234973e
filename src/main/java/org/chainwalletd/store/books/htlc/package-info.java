/**
 * The book of HTLCs: their outputs, how each was spent, and the numbered log of their changes, from which clients are notified. All code that reads
 * or changes the rows of {@link org.chainwalletd.store.books.htlc.HtlcTable} belongs here.
 */
package org.chainwalletd.store.books.htlc;
