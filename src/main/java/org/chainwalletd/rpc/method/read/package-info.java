/**
 * Reads of the chain and of the daemon's own state (interface.md, section 4.5): each call becomes questions to the nodes, and their answers
 * the shapes of section 2. Called by the RPC core only.
 */
package org.chainwalletd.rpc.method.read;
