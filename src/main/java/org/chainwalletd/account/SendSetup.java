package org.chainwalletd.account;

import java.time.InstantSource;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.evm.DynamicFeeTransaction;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.EvmKeys;

/**
 * What sending needs.
 *
 * @param knownNonce the operator's word that every transaction below this nonce is accounted for, whoever made it
 */
public record SendSetup(
        AccountChain chain,
        EvmKeys keys,
        SealedSends store,
        OptionalLong knownNonce,
        SendPace pace,
        InstantSource clock,
        Executor executor) {

    CompletionStage<DynamicFeeTransaction.Signed> sign(EvmAddress from, DynamicFeeTransaction transaction) {
        return keys.sign(from, transaction.signingHash().toArray()).thenApplyAsync(transaction::signedWith, executor);
    }

    static Bytes bytes(EvmAddress address) {
        return Bytes.wrap(address.toArray());
    }

    static EvmAddress address(Bytes bytes) {
        return EvmAddress.of(bytes.toArray());
    }
}
