package org.chainwalletd.spend;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.OwnCoins;
import org.chainwalletd.store.books.LedgerBooks;

/**
 * Books of own coins over a development chain.
 *
 * @param listed coins that they list for an address; empty while they do not cover it
 * @param known coins that they find when they are asked about individual ones
 */
record BookCoins(
        SpendHarness spends,
        Function<Address, CompletionStage<Optional<List<NodeClient.Utxo>>>> listed,
        Function<Address, Optional<List<NodeClient.Utxo>>> known)
        implements OwnCoins {
    @Override
    public CompletionStage<Optional<NodeClient.UtxoListing>> spendable(Address address, int most) {
        return listed.apply(address)
                .thenApply(found ->
                        found.map(coins -> listing(coins.stream().limit(most).toList())));
    }

    @Override
    public CompletionStage<Optional<NodeClient.UtxoListing>> spendable(Address address, Set<Outpoint> wanted) {
        return CompletableFuture.completedFuture(
                Optional.of(listing(among(address, wanted).orElseThrow())));
    }

    @Override
    public CompletionStage<Optional<Set<Outpoint>>> unspent(Address address, Set<Outpoint> wanted) {
        return CompletableFuture.completedFuture(among(address, wanted)
                .map(coins -> coins.stream().map(NodeClient.Utxo::outpoint).collect(Collectors.toSet())));
    }

    @Override
    public CompletionStage<List<OptionalLong>> heights(List<LedgerBooks.Sought> transactions) {
        return CompletableFuture.completedFuture(transactions.stream()
                .map(sought -> spends.devnet
                        .ledger()
                        .transaction(sought.txId())
                        .filter(found -> found.blockId() != null)
                        .map(found -> OptionalLong.of(found.height()))
                        .orElse(OptionalLong.empty()))
                .toList());
    }

    private Optional<List<NodeClient.Utxo>> among(Address address, Set<Outpoint> wanted) {
        return known.apply(address)
                .map(coins -> coins.stream()
                        .filter(coin -> wanted.contains(coin.outpoint()))
                        .toList());
    }

    private NodeClient.UtxoListing listing(List<NodeClient.Utxo> coins) {
        return new NodeClient.UtxoListing(
                coins, false, spends.devnet.ledger().tip().height());
    }
}
