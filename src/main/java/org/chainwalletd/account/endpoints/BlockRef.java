package org.chainwalletd.account.endpoints;

import org.chainwalletd.chain.Hash256;

/** Block at which the state of the account chain is queried. */
public sealed interface BlockRef {
    /** A block by its hash, on the canonical chain only (EIP-1898, {@code requireCanonical}): an answer about any other block is an error. */
    record ByHash(Hash256 hash) implements BlockRef {}

    record ByNumber(long number) implements BlockRef {
        public ByNumber {
            if (number < 0) {
                throw new IllegalArgumentException("no block has the number " + number);
            }
        }
    }

    /** Names of the JSON-RPC interface. */
    enum Tag implements BlockRef {
        LATEST("latest"),
        SAFE("safe"),
        FINALIZED("finalized"),
        PENDING("pending");

        private final String word;

        Tag(String word) {
            this.word = word;
        }

        public String word() {
            return word;
        }
    }

    static BlockRef hash(Hash256 hash) {
        return new ByHash(hash);
    }

    static BlockRef number(long number) {
        return new ByNumber(number);
    }
}
