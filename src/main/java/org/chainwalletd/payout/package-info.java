/** The queue of payouts: batches, and what becomes of them. */
package org.chainwalletd.payout;
