package org.chainwalletd.htlc;

import java.util.Optional;
import org.chainwalletd.chain.Hash256;

/**
 * Who else in the daemon looks after an HTLC. Only its owner redeems it: a mempool keeps the first spend that it sees and refuses every
 * dearer one, so a spend of minimum fee that comes between would keep out what the owner pays to be in time.
 */
@FunctionalInterface
public interface HtlcOwners {
    HtlcOwners NONE = hashLock -> Optional.empty();

    /** Who it is and what to do instead, for people; empty when nobody is. Does not block. */
    Optional<String> of(Hash256 hashLock);
}
