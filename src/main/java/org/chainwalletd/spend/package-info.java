/**
 * Spending: selection, building, intents, reservations, receipts, rebroadcast, allowance. Every outgoing payment goes through this package.
 * Callers use {@link org.chainwalletd.spend.SpendService}; a {@link org.chainwalletd.spend.plan.SpendPlan} defines what to spend and how to
 * unlock it, so that every kind of spend has the same guarantees.
 */
package org.chainwalletd.spend;
