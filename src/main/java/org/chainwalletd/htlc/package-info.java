/**
 * Hash time-locked contracts: locking, claiming and reclaiming as {@link org.chainwalletd.spend.plan.SpendPlan}s, so that every guarantee of a
 * transfer also holds for them. Methods of {@code rpc.method} and the swap engine call {@link org.chainwalletd.htlc.HtlcSpends}.
 */
package org.chainwalletd.htlc;
