package org.chainwalletd.rpc.method.read;

import java.util.List;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.wire.Doc;
import org.chainwalletd.wire.OrNull;
import org.chainwalletd.wire.U32;

/**
 * A UTXO listing (interface.md, section 2.3).
 *
 * @param address null in a listing by script
 * @param scriptHex null in a listing by address
 */
record UtxoView(
        @OrNull Address address,
        @OrNull Bytes scriptHex,
        long tipHeight,
        @Doc("The node clipped its list at 1000 entries") boolean truncated,
        List<Item> utxos) {
    /**
     * @param scriptLen null when the node does not say
     */
    record Item(
            Hash256 txId, @U32 long outputIndex, Amount value, long height, boolean isCoinbase, Integer scriptLen) {}

    static UtxoView of(Address address, Bytes script, NodeClient.UtxoListing listing) {
        return new UtxoView(
                address,
                script,
                listing.tipHeight(),
                listing.truncated(),
                listing.utxos().stream().map(UtxoView::item).toList());
    }

    private static Item item(NodeClient.Utxo utxo) {
        return new Item(
                utxo.outpoint().txId(),
                utxo.outpoint().index(),
                utxo.value(),
                utxo.height(),
                utxo.coinbase(),
                utxo.scriptLength());
    }
}
