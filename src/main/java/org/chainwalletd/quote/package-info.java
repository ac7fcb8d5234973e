/**
 * Price quotes as signed credentials (chain protocol, appendix D; interface.md, sections 2.9 and 4.10): the signed bytes, the checks of a
 * verifier, and the service that issues and verifies quotes for the chain that the daemon signs for. Called by the methods of {@code rpc}.
 */
package org.chainwalletd.quote;
