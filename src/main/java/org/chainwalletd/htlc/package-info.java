/**
 * Hash time-locked contracts: locking, claiming and reclaiming as {@link org.chainwalletd.spend.plan.SpendPlan}s, so that they share every
 * promise of a transfer. Methods of {@code rpc.method} and the swap engine call {@link org.chainwalletd.htlc.HtlcSpends}.
 */
package org.chainwalletd.htlc;
