package org.chainwalletd.keyring.evm;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.crypto.Secp256k1;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.store.KeyringException;

/**
 * The account-chain key as those see it who send with it (swap.md, section 5): the nonce owner, the swap engine, the methods that read. There
 * is at most one current key. One that was replaced is kept, sealed, and goes on signing for whoever began with it.
 *
 * <p>Stages fail with {@link RefusedException}, whose refusal says what the caller did wrong, or with {@link KeyringException} for what the
 * keyring could not do: a damaged file, a disk, the end of the daemon. Nothing runs on the caller's
 * thread.
 */
public interface EvmKeys {
    /**
     * The address that pays from now on; empty when there is no key. On a seeded keyring without a key of its own it is the seed's at {@code
     * m/44'/60'/0'/0/0}, and the first question unseals the seed (one Argon2id).
     */
    CompletionStage<Optional<EvmAddress>> current();

    /** The current address first, when there is one, then those of replaced keys. No order among these. */
    CompletionStage<List<EvmAddress>> kept();

    /**
     * Signs a 32-byte hash as it is, for instance {@code DynamicFeeTransaction.signingHash}; deterministic (RFC 6979), low {@code s}. Unseals
     * the key of {@code from} on first use (one Argon2id).
     *
     * @param from any kept address; {@link EvmKeyRefusal#noKey} while the keyring has no key at all, {@link EvmKeyRefusal#notKept} for
     *     another one
     * @param hash not changed by anybody until the stage has ended
     * @throws IllegalArgumentException unless the hash has 32 bytes
     */
    CompletionStage<Secp256k1.Signature> sign(EvmAddress from, byte[] hash);
}
