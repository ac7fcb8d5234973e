/**
 * Requests to spend and the plans that build their transactions: which coins, which outputs, which fee. A plan chooses from the coins
 * passed to it and has no side effects; {@code spend} reserves, signs and sends.
 */
package org.chainwalletd.spend.plan;
