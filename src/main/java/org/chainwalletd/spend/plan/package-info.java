/**
 * Requests to spend and the plans that build their transactions: which coins, which outputs, which fee. A plan chooses from the coins that it is
 * given and has no effect; {@code spend} reserves, signs and sends.
 */
package org.chainwalletd.spend.plan;
