package org.chainwalletd.rpc.method.swap;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectWriter;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.swap.PoolLock;
import org.chainwalletd.swap.SwapRow;
import org.chainwalletd.swap.SwapTerms;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.Json;
import org.chainwalletd.wire.RawJson;

/** One swap as callers are told of it (swap.md, section 4). Never with its secret: what this is made of does not have it. Times are Unix seconds. */
public record SwapRecord(
        String swapId,
        String poolSwapId,

        @Doc("chain_to_native or native_to_chain, in the brand's words")
        String direction,

        @Doc(
                "quoted, locking, user_locked, pool_locked, claiming, completed; refunding, refunded; expired, failed, lost")
        String status,

        @Doc("SHA-256 of the secret, without 0x") Hash256 hashlock,

        @Doc("decimal in whole coins") String amountIn,
        @Doc("decimal in whole coins") String amountOut,
        @Doc("in smallest units") String amountInUnits,
        @Doc("in smallest units") String amountOutUnits,
        String htlcContract,
        Address ourChainAddress,
        String ourEvmAddress,
        @Doc("in a sell: who may claim our lock") Optional<PublicKey> poolChainPubkey,
        @Doc("in a buy: who may claim our lock") Optional<String> poolEvmAddress,

        @Doc("in a sell: above it our lock can be taken back")
        OptionalLong chainTimeoutHeight,

        @Doc("in a buy: from then on our lock can be taken back")
        OptionalLong evmTimeoutSec,

        @Doc("the transaction of our lock") Optional<String> userLockTx,

        @Doc("where the pool's lock stands: an outpoint of the chain, or the contract's slot")
        Optional<String> poolLockRef,

        Optional<String> claimTx,
        Optional<String> refundTx,
        long expiresAt,
        @Doc("by the pool's own word") long feeBps,
        @Doc("by the pool's own word") Optional<String> networkFeeNative,
        @Doc("why it does not go on as hoped") Optional<String> error,
        long createdAt,
        long updatedAt) {

    static SwapRecord of(SwapRow row, SwapWords words) {
        SwapTerms terms = row.terms();
        boolean sell = terms.direction().isSell();
        return new SwapRecord(
                row.id(),
                row.poolSwapId(),
                words.direction(terms.direction()),
                row.status().word(),
                terms.hashLock(),
                terms.given().decimal(),
                terms.received().decimal(),
                terms.given().units().toString(),
                terms.received().units().toString(),
                terms.account().contract().toString(),
                terms.ours().address(),
                terms.ours().evm().toString(),
                terms.theirs().key(),
                terms.theirs().evm().map(EvmAddress::toString),
                sell ? OptionalLong.of(terms.timeout()) : OptionalLong.empty(),
                sell ? OptionalLong.empty() : OptionalLong.of(terms.timeout()),
                row.acts().lockTx(),
                reference(row.poolLock()),
                row.acts().claimTx(),
                row.acts().refundTx(),
                terms.offer().expiresAt(),
                terms.offer().feeBps(),
                terms.offer().networkFeeNative(),
                row.error(),
                row.createdAt(),
                row.updatedAt());
    }

    private static Optional<String> reference(PoolLock lock) {
        if (lock instanceof PoolLock.Locked locked) {
            return Optional.of(locked.reference());
        }
        if (lock instanceof PoolLock.Claimed claimed) {
            return Optional.of(claimed.reference());
        }
        return lock instanceof PoolLock.TakenBack back ? Optional.of(back.reference()) : Optional.empty();
    }

    /** Writes what {@code swap_status} would tell, for those who tell it unasked. */
    public static Function<SwapRow, RawJson> telling(SwapWords words) {
        ObjectWriter writer = Json.writerFor(SwapRecord.class, words.spelling());
        return row -> {
            try {
                return new RawJson(writer.writeValueAsString(of(row, words)));
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("a record is always JSON", e);
            }
        };
    }
}
