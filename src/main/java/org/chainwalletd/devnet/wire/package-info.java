/**
 * The development node's transport: HTTP as a node speaks it, with its quirks, and the push stream (chain protocol, sections 10.1 and 12).
 * Each connection is served by a thread of its own; nothing here knows of blocks. Called by {@code devnet} only.
 */
package org.chainwalletd.devnet.wire;
