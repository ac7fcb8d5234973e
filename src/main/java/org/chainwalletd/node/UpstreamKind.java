package org.chainwalletd.node;

import java.util.Optional;

/**
 * Kind of the services that an upstream asks.
 *
 * @param noun what the texts of failures call it
 * @param prefix of the names of its metrics
 * @param hasQuotas whether they count calls as nodes do
 * @param bearer token that goes with each request
 */
record UpstreamKind(String noun, String prefix, boolean hasQuotas, Optional<String> bearer) {
    static final UpstreamKind NODE = new UpstreamKind("node", "walletd.upstream", true, Optional.empty());

    static UpstreamKind indexer(Optional<String> bearer) {
        return new UpstreamKind("indexer", "walletd.indexer", false, bearer);
    }

    /** Leaves out the token. */
    @Override
    public String toString() {
        return noun;
    }
}
