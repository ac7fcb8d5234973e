package org.chainwalletd.devnet.pool;

import java.math.BigInteger;
import java.util.Optional;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.HtlcParams;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.chain.Transaction;
import org.chainwalletd.evm.DynamicFeeTransaction;
import org.chainwalletd.evm.EvmAddress;

/** Swap from the pool's side. Owned by the {@link Pool} and accessed under its lock only. */
public final class PoolSwap {
    /** Progress of the swap. */
    public enum Stage {
        /** Waits for the user's lock. */
        QUOTED,
        /** The user's lock is deep enough; the pool's is on its way or mined. */
        LOCKED,
        /** The secret is known; the user's lock is being claimed. */
        CLAIMING,
        /** The user's lock is claimed. */
        COMPLETED,
        /** The pool refunded its own lock. */
        REFUNDED,
        /** The quote ended before anything was locked. */
        EXPIRED
    }

    final String id;
    final boolean sell;
    final Hash256 hashLock;
    final BigInteger amountIn;
    final BigInteger amountOut;
    final long expiresAt;
    /** Address of a seller. */
    final Optional<EvmAddress> userAddress;
    /** Key of a buyer. */
    final Optional<PublicKey> userKey;
    /** Timeout of the user's lock: a height in a sell, Unix seconds in a buy. */
    final long userTimeout;

    Stage stage = Stage.QUOTED;
    /** Lock transaction that the seller reported. */
    Optional<Hash256> notified = Optional.empty();

    /** A seller's, on the chain. */
    Optional<ChainLeg.Lock> userLock = Optional.empty();

    Optional<ChainLock> poolChainLock = Optional.empty();
    Optional<DynamicFeeTransaction.Signed> poolEvmLock = Optional.empty();
    /** The height of the account chain when the pool's lock was made there. */
    long evmHeight;

    Optional<Bytes> preimage = Optional.empty();
    Optional<String> userClaim = Optional.empty();
    /** The pool's claim of the user's lock in the contract, or its refund of its own. */
    Optional<DynamicFeeTransaction.Signed> evmSpend = Optional.empty();

    String notes = "";

    /** The pool's lock on the chain. */
    record ChainLock(Transaction transaction, Outpoint outpoint, HtlcParams params, BigInteger value) {}

    PoolSwap(
            String id,
            boolean sell,
            Hash256 hashLock,
            BigInteger amountIn,
            BigInteger amountOut,
            long expiresAt,
            Optional<EvmAddress> userAddress,
            Optional<PublicKey> userKey,
            long userTimeout) {
        this.id = id;
        this.sell = sell;
        this.hashLock = hashLock;
        this.amountIn = amountIn;
        this.amountOut = amountOut;
        this.expiresAt = expiresAt;
        this.userAddress = userAddress;
        this.userKey = userKey;
        this.userTimeout = userTimeout;
    }

    /** Whether the user sells the chain's coin. */
    public boolean isSell() {
        return sell;
    }

    public Hash256 hashLock() {
        return hashLock;
    }

    boolean isOver() {
        return stage == Stage.COMPLETED || stage == Stage.REFUNDED || stage == Stage.EXPIRED;
    }
}
