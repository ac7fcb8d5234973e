/**
 * The only walker of the chain: what blocks there are, whether they are believed, and when they go again. Lies below everything that keeps
 * books and knows nothing of what others make of a block: owners of books bring a {@link org.chainwalletd.follow.Book}, others take events
 * and tips from the {@link org.chainwalletd.follow.Follower}.
 */
package org.chainwalletd.follow;
