package org.chainwalletd.account;

import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;

/**
 * A transaction of ours with all its versions.
 *
 * @param value in wei, as it was decided when the nonce was given
 * @param hashes of all versions that may have left, oldest first: replacements pay more, the last may be one to ourselves
 * @param maxFee wei per gas of the newest version
 * @param createdAt milliseconds since 1970
 * @param updatedAt milliseconds since 1970
 */
public record SendRecord(
        String reference,
        SendKind kind,
        EvmAddress from,
        EvmAddress to,
        BigInteger value,
        long nonce,
        long gasLimit,
        BigInteger maxFee,
        List<Hash256> hashes,
        SendState state,
        Optional<String> owner,
        long createdAt,
        long updatedAt) {
    public SendRecord {
        hashes = List.copyOf(hashes);
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
