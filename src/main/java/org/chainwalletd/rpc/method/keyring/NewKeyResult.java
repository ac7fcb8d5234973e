package org.chainwalletd.rpc.method.keyring;

import java.util.Optional;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.keyring.KeyEntry;
import org.chainwalletd.wire.Doc;

/**
 * A 1:1 key that was stored.
 *
 * @param imported always true
 */
public record NewKeyResult(
        Address address,
        PublicKey pubkey,
        boolean imported,
        @Doc(REST) Optional<Long> rescanBlocksLeft) {
    static final String REST =
            "Blocks that are read in the background until the history of the address is known; get_follower_status tells how far that is. Absent for a key that was drawn here, and when nothing is being read";

    /** A key that was drawn here: there is no history to be read. */
    static NewKeyResult of(KeyEntry entry) {
        return new NewKeyResult(entry.address(), entry.knownPublicKey(), true, Optional.empty());
    }

    static NewKeyResult of(NewKeys.Brought<KeyEntry> brought) {
        return new NewKeyResult(
                brought.key().address(), brought.key().knownPublicKey(), true, brought.rescanBlocksLeft());
    }
}
