/**
 * Event streams of {@code GET /events} (following.md, section 3): server-sent events from the followed chain, the feed of credits, and what other
 * packages publish through {@link org.chainwalletd.event.EventHub}. The number of streams and the memory of each are bounded; events that must
 * arrive exactly are read from the feed at the reader's pace. Independent of connections: {@code http} serves the streams that are opened here.
 */
package org.chainwalletd.event;
