package org.chainwalletd.swap.pool;

/** Direction of a swap: sell the chain's coin for the account chain's native asset, or buy it. */
public enum Direction {
    /** A sell: our lock is on the chain, the pool's in the contract. */
    CHAIN_TO_NATIVE,
    /** A buy: our lock is in the contract, the pool's on the chain. */
    NATIVE_TO_CHAIN;

    public boolean isSell() {
        return this == CHAIN_TO_NATIVE;
    }
}
