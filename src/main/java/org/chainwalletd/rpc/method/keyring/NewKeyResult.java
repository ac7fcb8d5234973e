package org.chainwalletd.rpc.method.keyring;

import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.keyring.KeyEntry;

/**
 * A 1:1 key that was stored.
 *
 * @param imported always true
 */
public record NewKeyResult(Address address, PublicKey pubkey, boolean imported) {
    static NewKeyResult of(KeyEntry entry) {
        return new NewKeyResult(entry.address(), entry.knownPublicKey(), true);
    }
}
