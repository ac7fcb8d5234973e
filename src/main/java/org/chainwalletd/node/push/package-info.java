/**
 * Push streams of the nodes (chain protocol, section 12): which addresses are watched over which connections, and the nodes' news about them. A
 * nudge is a hint to look, not a fact; components that need certainty ask through {@code NodeClient} or wait for the block.
 */
package org.chainwalletd.node.push;
