/**
 * Indexes kept from followed blocks ("books"), in {@code books.db}: a file of its own with a writer of its own, so that the intent of a payment
 * never waits for a block. Each book defines its tables as a {@link org.chainwalletd.store.books.BookTable}; all of them change in the one commit
 * of a block or batch. {@code follow} writes here, the owners of the books read.
 */
package org.chainwalletd.store.books;
