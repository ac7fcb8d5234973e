/**
 * The two chains as one swap uses them: {@link org.chainwalletd.swap.legs.ChainOwnLeg} and {@link org.chainwalletd.swap.legs.ChainPoolLeg} work on
 * the chain, {@link org.chainwalletd.swap.legs.EvmOwnLeg} and {@link org.chainwalletd.swap.legs.EvmPoolLeg} in the contract. They observe, send our
 * locks and claims, and refund our locks; {@link org.chainwalletd.swap.legs.Legs} joins them.
 */
package org.chainwalletd.swap.legs;
