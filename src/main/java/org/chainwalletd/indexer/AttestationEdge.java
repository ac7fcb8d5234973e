package org.chainwalletd.indexer;

import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.wire.MaybeAbsent;

/**
 * How the contracts of one kind between an address and a counterparty went.
 *
 * @param contractName null unless it is a known template
 * @param lastSeenHeight null when the indexer does not tell
 */
public record AttestationEdge(
        Address counterparty,
        Hash256 contractHash,
        @MaybeAbsent String contractName,
        long total,
        long succeeded,
        long refunded,
        @MaybeAbsent Long lastSeenHeight) {}
