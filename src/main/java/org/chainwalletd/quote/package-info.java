/**
 * Price quotes as signed credentials (chain protocol, appendix D; interface.md, sections 2.9 and 4.10): what is signed, the checks of a verifier, and the
 * service that issues and verifies them for the chain that the daemon signs for. The methods of {@code rpc} call it.
 */
package org.chainwalletd.quote;
