package org.chainwalletd.keyring.evm;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.crypto.Secp256k1;
import org.chainwalletd.evm.EvmAddress;
import org.chainwalletd.keyring.store.KeyringException;

/**
 * Account-chain key as its users see it (swap.md, section 5): the nonce owner, the swap engine and the read methods. There is at most one
 * current key. A replaced key is kept, sealed, and can still sign for users that started with it.
 *
 * <p>Stages fail with {@link RefusedException} for mistakes of the caller, or with {@link KeyringException} for failures of the keyring: a
 * damaged file, the disk, shutdown. Nothing runs on the caller's thread.
 */
public interface EvmKeys {
    /**
     * Returns the address that pays from now on; empty when there is no key. On a seeded keyring without its own account-chain key, this is
     * the seed's address at {@code m/44'/60'/0'/0/0}, and the first call unseals the seed (one Argon2id).
     */
    CompletionStage<Optional<EvmAddress>> current();

    /** Returns the current address first, if there is one, then those of replaced keys in no particular order. */
    CompletionStage<List<EvmAddress>> kept();

    /**
     * Signs a 32-byte hash as it is, for instance {@code DynamicFeeTransaction.signingHash}; deterministic (RFC 6979), low {@code s}.
     * Unseals the key of {@code from} on first use (one Argon2id).
     *
     * @param from any kept address; fails with {@link EvmKeyRefusal#noKey} when the keyring has no key at all, with {@link
     *     EvmKeyRefusal#notKept} for an unknown address
     * @param hash must not be modified before the stage has ended
     * @throws IllegalArgumentException unless the hash has 32 bytes
     */
    CompletionStage<Secp256k1.Signature> sign(EvmAddress from, byte[] hash);
}
