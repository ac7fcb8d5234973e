/**
 * Everything between a socket and a request that does not depend on the protocol: accepting, fair shares per address, deadlines, the
 * memory that is reserved for clients, tokens and who calls, and the refusals and answers that all have in common.
 */
package org.chainwalletd.http.door;
