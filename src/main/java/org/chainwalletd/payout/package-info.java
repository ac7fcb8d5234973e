/** Payouts: the queue, its batches, and their outcomes. */
package org.chainwalletd.payout;
