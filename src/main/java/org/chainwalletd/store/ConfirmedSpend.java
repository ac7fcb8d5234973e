package org.chainwalletd.store;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;

/**
 * A spend that is in a block, which a reorganisation may still take away.
 *
 * @param spend with what it has spent
 * @param place its block; empty when an older release confirmed it, which kept no blocks
 */
public record ConfirmedSpend(PackedSpend spend, Optional<BlockPlace> place) {
    public ConfirmedSpend(Hash256 txId, List<Coin> inputs, Optional<BlockPlace> place) {
        this(PackedSpend.of(txId, inputs), place);
    }

    public static ConfirmedSpend of(Intent intent, BlockPlace place) {
        return new ConfirmedSpend(intent.txId(), intent.inputs(), Optional.of(place));
    }

    public Hash256 txId() {
        return spend.txId();
    }

    public ConfirmedSpend at(BlockPlace other) {
        return new ConfirmedSpend(spend, Optional.of(other));
    }
}
