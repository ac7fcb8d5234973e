/**
 * Indexes kept from followed blocks ("books"), in {@code books.db}: a separate file with its own writer, so that the intent of a payment never waits
 * for a block. Each book defines its tables as a {@link org.chainwalletd.store.books.BookTable}; all of them change in the single commit of a block
 * or batch. {@code follow} writes them, the owners of the books read them.
 */
package org.chainwalletd.store.books;
