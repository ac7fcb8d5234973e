package org.chainwalletd.indexer;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.PublicKey;

/**
 * Which HTLCs an indexer shall list.
 *
 * @param party what the indexer calls {@code address} and compares with the parties' public keys: the key of an own address, or 32 bytes of
 *     a stranger's address, which find nothing; that is no proof of absence
 * @param role {@code sender}, {@code receiver} or {@code both}; empty for any, a word that indexers do not know
 * @param states empty for all
 */
public record HtlcQuery(
        Optional<Hash256> party,
        Optional<String> role,
        Set<IndexedHtlc.State> states,
        OptionalLong since,
        int limit,
        Optional<String> cursor) {

    /** A party that is known by its key. */
    public static Hash256 keyOf(PublicKey key) {
        return Hash256.of(key.toArray());
    }
}
