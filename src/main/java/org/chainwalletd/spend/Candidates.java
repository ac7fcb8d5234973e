package org.chainwalletd.spend;

import java.util.List;
import org.chainwalletd.node.NodeClient;

/**
 * What the node offers to be spent. Untrusted: the values are believed because a wrong one only makes the transaction invalid or, when
 * understated, is bounded by {@code max_fee} as the daemon counts it.
 *
 * @param utxos in the order in which the plan wants to take them
 * @param tipHeight when they were listed
 */
public record Candidates(List<NodeClient.Utxo> utxos, boolean truncated, long tipHeight) {
    public Candidates {
        utxos = List.copyOf(utxos);
    }
}
