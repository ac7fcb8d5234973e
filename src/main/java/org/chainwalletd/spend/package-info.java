/**
 * Spending: selection, building, intents, reservations, receipts, rebroadcast, allowance. All money leaves through here. Callers use {@link
 * org.chainwalletd.spend.SpendService}; what is to be spent and how it is unlocked is a {@link org.chainwalletd.spend.plan.SpendPlan}, so that every kind
 * of spend has the same guarantees.
 */
package org.chainwalletd.spend;
