/**
 * What {@code GET /events} tells (following.md, section 3): streams of server-sent events from the followed chain and the feed of credits.
 * Bounded in number and in what each holds; what has to be told exactly is read from the feed at the reader's pace. Knows nothing of
 * connections: {@code http} serves what is opened here.
 */
package org.chainwalletd.event;
