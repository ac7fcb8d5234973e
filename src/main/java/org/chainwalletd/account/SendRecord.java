package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;

/**
 * A transaction of ours with all its versions.
 *
 * @param maxFee wei per gas of the newest version
 * @param hashes of all versions that may have left, oldest first: replacements pay more, the last may be one to ourselves
 * @param createdAt milliseconds since 1970
 * @param updatedAt milliseconds since 1970
 */
public record SendRecord(
        Order order,
        Call call,
        BigInteger maxFee,
        List<Hash256> hashes,
        SendState state,
        long createdAt,
        long updatedAt) {
    public SendRecord {
        hashes = List.copyOf(hashes);
    }

    /**
     * What was asked for.
     *
     * @param owner whom it was made for
     * @param copy whether it repeats the call of another one, at a nonce that an endpoint named
     */
    public record Order(String reference, SendKind kind, Optional<String> owner, boolean copy) {}

    /**
     * What each version does, but for one to ourselves.
     *
     * @param value in wei, as it was decided when the nonce was given
     */
    public record Call(EvmAddress from, EvmAddress to, BigInteger value, long nonce, long gasLimit) {}

    public String reference() {
        return order.reference();
    }

    public SendKind kind() {
        return order.kind();
    }

    public boolean isCopy() {
        return order.copy();
    }

    public EvmAddress from() {
        return call.from();
    }

    public EvmAddress to() {
        return call.to();
    }

    /** In wei. */
    public BigInteger value() {
        return call.value();
    }

    public long nonce() {
        return call.nonce();
    }

    /** The version that was mined, otherwise the newest. */
    public Hash256 hash() {
        if (state instanceof SendState.Mined mined) {
            return mined.hash();
        }
        if (state instanceof SendState.Final done) {
            return done.hash();
        }
        if (state instanceof SendState.Reverted reverted) {
            return reverted.hash();
        }
        if (state instanceof SendState.Cancelled cancelled) {
            return cancelled.hash();
        }
        return hashes.get(hashes.size() - 1);
    }
}
