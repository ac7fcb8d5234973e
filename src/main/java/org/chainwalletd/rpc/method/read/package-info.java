/**
 * Reads of the chain and of the daemon's own state (interface.md, section 4.5): each method turns its parameters into questions to the
 * nodes and the answers into the shapes of section 2. Called by the RPC core only.
 */
package org.chainwalletd.rpc.method.read;
