package org.chainwalletd.store;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;

/**
 * A spend that is in a block, which a reorganisation may still take away.
 *
 * @param inputs what it has spent
 * @param place its block; empty when an older release confirmed it, which kept no blocks
 */
public record ConfirmedSpend(Hash256 txId, List<Coin> inputs, Optional<BlockPlace> place) {
    public ConfirmedSpend {
        inputs = List.copyOf(inputs);
    }

    public static ConfirmedSpend of(Intent intent, BlockPlace place) {
        return new ConfirmedSpend(intent.txId(), intent.inputs(), Optional.of(place));
    }

    public ConfirmedSpend at(BlockPlace other) {
        return new ConfirmedSpend(txId, inputs, Optional.of(other));
    }
}
