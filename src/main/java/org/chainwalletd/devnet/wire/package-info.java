/**
 * The development node's transport: HTTP as a node speaks it, with its quirks, and the push stream (chain protocol, sections 10.1 and 12).
 * It has a selector thread and a small pool for heavy calls, and knows nothing of blocks. Called by {@code devnet} only.
 */
package org.chainwalletd.devnet.wire;
