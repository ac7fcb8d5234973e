/**
 * The push streams of the nodes (chain protocol, section 12): which addresses are watched, over which connections, and what the nodes say
 * about them. A nudge is a hint to look, never a fact; whoever needs to know asks by {@code NodeClient} or waits for the block.
 */
package org.chainwalletd.node.push;
