package org.chainwalletd.indexer;

import org.chainwalletd.chain.Hash256;
import org.chainwalletd.wire.MaybeAbsent;

/**
 * How the contracts of one kind went for an address.
 *
 * @param avgSettleBlocks null when the indexer does not tell
 * @param lastSettledAtHeight null when none has been settled
 */
public record ContractStats(
        Hash256 contractHash,
        long total,
        long succeeded,
        long refunded,
        @MaybeAbsent Long avgSettleBlocks,
        @MaybeAbsent Long lastSettledAtHeight) {}
