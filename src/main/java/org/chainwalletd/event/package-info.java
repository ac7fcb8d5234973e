/**
 * Events of {@code GET /events} (following.md, section 3): streams of server-sent events from the followed chain, the feed of credits, and
 * what others publish through the {@link org.chainwalletd.event.EventHub}. Bounded in number and in what each holds; what has to be told exactly is read from the feed at the reader's pace. Knows nothing of
 * connections: {@code http} serves what is opened here.
 */
package org.chainwalletd.event;
