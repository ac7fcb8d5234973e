package org.chainwalletd.devnet.ledger;

import org.chainwalletd.chain.Block;

/** Where the blocks of a chain are kept, so that it survives a restart. */
public interface BlockArchive {
    /** For chains that live in memory only. */
    BlockArchive NONE = new BlockArchive() {
        @Override
        public void append(Block block) {
            // Nothing is kept.
        }

        @Override
        public void disconnect(int depth) {
            // Nothing is kept.
        }
    };

    /** Keeps a block that is about to become the tip. */
    void append(Block block);

    /** Keeps that the last {@code depth} blocks are about to go. */
    void disconnect(int depth);
}
