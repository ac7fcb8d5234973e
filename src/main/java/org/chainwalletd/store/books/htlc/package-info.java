/**
 * The book of HTLCs: their outputs with how each was spent, and the numbered log of their changes, from which clients are told. Belongs here what
 * reads or changes the rows of {@link org.chainwalletd.store.books.htlc.HtlcTable}.
 */
package org.chainwalletd.store.books.htlc;
