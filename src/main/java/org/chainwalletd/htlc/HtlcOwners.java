package org.chainwalletd.htlc;

import java.util.Optional;
import org.chainwalletd.chain.Hash256;

/**
 * Registry of the parts of the daemon that look after an HTLC. Only its owner redeems it: a mempool keeps the first spend that it sees and refuses every
 * dearer one, so a spend of minimum fee that comes between would keep out what the owner pays to be in time.
 */
@FunctionalInterface
public interface HtlcOwners {
    HtlcOwners NONE = hashLock -> Optional.empty();

    /** Owner and what to do instead, for people; empty when there is none. Does not block. */
    Optional<String> of(Hash256 hashLock);
}
