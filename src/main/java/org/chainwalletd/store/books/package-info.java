/**
 * What is known from following the chain, in {@code books.db}: a file of its own with a writer of its own, so that an intent of a payment
 * never waits for a block. Each book brings its tables as a {@link org.chainwalletd.store.books.BookTable}; all of them change in the one
 * commit of a block or batch. {@code follow} writes here, the owners of the books read.
 */
package org.chainwalletd.store.books;
