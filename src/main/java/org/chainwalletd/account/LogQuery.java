package org.chainwalletd.account;

import java.util.List;
import java.util.Optional;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.evm.EvmAddress;

/**
 * Which events are wanted.
 *
 * @param topics by position, empty for any
 * @param from first block
 * @param to last block, included
 */
public record LogQuery(EvmAddress address, List<Optional<Hash256>> topics, long from, long to) {
    /** What public endpoints serve at a time. */
    public static final long MOST_BLOCKS = 1_000;

    public LogQuery {
        topics = List.copyOf(topics);
        if (from < 0 || to < from || to - from >= MOST_BLOCKS) {
            throw new IllegalArgumentException(
                    "a range of 1 to " + MOST_BLOCKS + " blocks, not from " + from + " to " + to);
        }
    }
}
