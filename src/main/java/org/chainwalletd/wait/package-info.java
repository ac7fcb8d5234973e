/**
 * Waits for a transaction to be confirmed or for a payment to arrive (interface.md, section 4.6). Waits cost no thread, no timer and no
 * upstream call each: they are grouped by transaction and by address, and what the chain and the nodes tell answers a whole group. Nothing
 * here is durable: waits end with the process, with their normal answer.
 */
package org.chainwalletd.wait;
