/**
 * The one way money leaves: selection, building, intents, reservations, receipts, rebroadcast, allowance. Callers use {@link
 * org.chainwalletd.spend.SpendService}; what is to be spent and how it is unlocked is a {@link org.chainwalletd.spend.SpendPlan}, so that
 * every kind of spend shares the same promises.
 */
package org.chainwalletd.spend;
