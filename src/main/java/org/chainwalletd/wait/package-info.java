/**
 * Waits for a transaction to be confirmed or for a payment to arrive (interface.md, section 4.6). A wait needs no thread, timer or upstream call of
 * its own: waits are grouped by transaction and by address, and each event of the chain or the nodes answers a whole group. Nothing here is
 * durable: when the process stops, waits end with their normal time-out answer.
 */
package org.chainwalletd.wait;
