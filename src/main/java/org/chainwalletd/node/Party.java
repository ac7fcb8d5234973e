package org.chainwalletd.node;

import java.util.Optional;

/**
 * Whom an upstream asks.
 *
 * @param noun what the texts of failures call it
 * @param prefix of the names of its metrics
 * @param hasQuotas whether they count calls as nodes do
 * @param bearer token that goes with each request
 */
record Party(String noun, String prefix, boolean hasQuotas, Optional<String> bearer) {
    static final Party NODE = new Party("node", "walletd.upstream", true, Optional.empty());

    static Party indexer(Optional<String> bearer) {
        return new Party("indexer", "walletd.indexer", false, bearer);
    }

    /** Without the token. */
    @Override
    public String toString() {
        return noun;
    }
}
