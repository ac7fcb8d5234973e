package org.chainwalletd.devnet.ledger;

import org.chainwalletd.chain.Outpoint;

/** Pieces of a node's error texts that carry its internal type names. */
final class Texts {
    private Texts() {}

    static String of(Outpoint outpoint) {
        return "OutPoint { tx_id: Hash256(" + outpoint.txId() + "), output_index: " + outpoint.index() + " }";
    }
}
