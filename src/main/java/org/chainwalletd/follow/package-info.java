/**
 * The only follower of the chain: which blocks exist, whether they are trusted, and when a reorganisation removes them. Lies below everything that
 * keeps books and knows nothing of their contents: owners of books provide a {@link org.chainwalletd.follow.Book}; other users take events and tips
 * from the {@link org.chainwalletd.follow.Follower}.
 */
package org.chainwalletd.follow;
