package org.chainwalletd.node;

import java.util.Optional;

/**
 * Kind of the services of an upstream.
 *
 * @param noun name for them in messages
 * @param prefix of the names of their metrics
 * @param hasQuotas whether they enforce quotas like nodes
 * @param bearer token sent with each request
 */
record UpstreamKind(String noun, String prefix, boolean hasQuotas, Optional<String> bearer) {
    static final UpstreamKind NODE = new UpstreamKind("node", "walletd.upstream", true, Optional.empty());

    static UpstreamKind indexer(Optional<String> bearer) {
        return new UpstreamKind("indexer", "walletd.indexer", false, bearer);
    }

    /** Omits the token. */
    @Override
    public String toString() {
        return noun;
    }
}
