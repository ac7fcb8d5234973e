package org.chainwalletd.coins;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Network;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.store.books.OwnCoin;

/**
 * Coins of covered addresses at one block, by a node's rules: coins that the mempool spends are included, and a coinbase is included only
 * once the next block may spend it (chain protocol, section 10.4).
 *
 * @param maturity blocks between a coinbase and the first block that may spend it
 * @param coins coins of each covered address, by outpoint
 */
record LedgerSnapshot(FollowedTip tip, int maturity, Map<Address, List<OwnCoin>> coins) {
    /** Maximum number of coins that a node lists. */
    private static final int MAX_LISTED = 1_000;

    private static final String SOURCE = "the ledger";

    boolean covers(Address address) {
        return coins.containsKey(address);
    }

    NodeClient.UtxoListing listing(Address address) {
        return listing(address, coin -> true, MAX_LISTED);
    }

    /** Lists the coins that fulfil a condition, in their order here. */
    NodeClient.UtxoListing listing(Address address, Predicate<OwnCoin> condition, int most) {
        List<NodeClient.Utxo> listed = coins.get(address).stream()
                .filter(condition)
                .filter(this::isMature)
                .map(LedgerSnapshot::utxo)
                .limit(most + 1L)
                .toList();
        boolean truncated = listed.size() > most;
        return new NodeClient.UtxoListing(
                truncated ? listed.subList(0, most) : listed, truncated, tip.height(), SOURCE);
    }

    private static NodeClient.Utxo utxo(OwnCoin coin) {
        return new NodeClient.Utxo(coin.outpoint(), coin.value(), coin.height(), coin.coinbase(), null);
    }

    private boolean isMature(OwnCoin coin) {
        return !coin.coinbase() || Network.isMature(coin.height(), tip.height(), maturity);
    }

    /**
     * Corrects a node's listing of a covered address with the data of followed blocks. Heights and coinbase flags are taken from blocks. Up
     * to the height of this tip, blocks also determine which coins exist: coins that the node made up, or does not know to be spent, are
     * removed, and missing ones are added. Values stay as listed by the node: they are verified against bytes later.
     */
    NodeClient.UtxoListing corrected(Address address, NodeClient.UtxoListing nodeListing) {
        Map<Outpoint, OwnCoin> left = new LinkedHashMap<>();
        coins.get(address).forEach(coin -> left.put(coin.outpoint(), coin));
        boolean older = Long.compareUnsigned(nodeListing.tipHeight(), tip.height()) <= 0;
        List<NodeClient.Utxo> listed = new ArrayList<>();
        for (NodeClient.Utxo utxo : nodeListing.utxos()) {
            OwnCoin known = left.remove(utxo.outpoint());
            if (known != null) {
                listed.add(new NodeClient.Utxo(
                        utxo.outpoint(), utxo.value(), known.height(), known.coinbase(), utxo.scriptLength()));
            } else if (!older) {
                listed.add(utxo);
            }
        }
        if (older && !nodeListing.truncated()) {
            left.values().stream()
                    .filter(this::isMature)
                    .map(LedgerSnapshot::utxo)
                    .forEach(listed::add);
        }
        return new NodeClient.UtxoListing(listed, nodeListing.truncated(), nodeListing.tipHeight(), nodeListing.node());
    }

    /** Returns those of {@code wanted} that are coins of the address, mature or not. */
    Set<Outpoint> those(Address address, Set<Outpoint> wanted) {
        return coins.get(address).stream()
                .map(OwnCoin::outpoint)
                .filter(wanted::contains)
                .collect(Collectors.toSet());
    }

    /** Returns any coin of the address, mature or not. */
    Optional<OwnCoin> any(Address address) {
        return coins.get(address).stream().findFirst();
    }
}
