/**
 * The two chains as one swap uses them: {@link org.chainwalletd.swap.legs.ChainOwnLeg} and {@link org.chainwalletd.swap.legs.ChainPoolLeg}
 * stand on the chain, {@link org.chainwalletd.swap.legs.EvmOwnLeg} and {@link org.chainwalletd.swap.legs.EvmPoolLeg} in the contract. They
 * look, send our locks and claims, and take locks back; {@link org.chainwalletd.swap.legs.Legs} joins them.
 */
package org.chainwalletd.swap.legs;
