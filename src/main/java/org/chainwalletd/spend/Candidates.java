package org.chainwalletd.spend;

import java.util.List;
import org.chainwalletd.node.NodeClient;

/**
 * What the node offers to be spent. Untrusted, and believed all the same (interface.md, section 1.7): an overstated value makes the
 * transaction invalid. An understated one turns the difference into fee, past {@code max_fee}, because signatures do not commit to values
 * (chain protocol, section 15); only the funding transactions could show it, and those are not fetched.
 *
 * @param utxos in the order in which the plan wants to take them
 * @param tipHeight when they were listed
 */
public record Candidates(List<NodeClient.Utxo> utxos, boolean truncated, long tipHeight) {
    public Candidates {
        utxos = List.copyOf(utxos);
    }
}
