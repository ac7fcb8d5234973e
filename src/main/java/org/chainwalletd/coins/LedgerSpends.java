package org.chainwalletd.coins;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.chainwalletd.chain.Address;
import org.chainwalletd.node.ForwardingNodeClient;
import org.chainwalletd.node.NodeClient;
import org.chainwalletd.node.NodeException;
import org.chainwalletd.stage.Causes;

/**
 * Node client for payments. Listings come from the node; when it refuses because of its quota, from the ledger, if the ledger covers the
 * address and lags by at most two blocks. If configured, the ledger is asked first.
 */
public final class LedgerSpends extends ForwardingNodeClient {
    private static final String QUOTA = "Rate limit exceeded";

    private final CoinLedger ledger;
    private final boolean ledgerFirst;
    private final Executor executor;

    public LedgerSpends(NodeClient node, CoinLedger ledger, boolean ledgerFirst, Executor executor) {
        super(node);
        this.ledger = ledger;
        this.ledgerFirst = ledgerFirst;
        this.executor = executor;
    }

    @Override
    public CompletionStage<UtxoListing> addressUtxos(Address address) {
        return ledgerFirst
                ? ofLedger(address)
                        .thenComposeAsync(
                                found -> found.isPresent()
                                        ? CompletableFuture.completedFuture(found.get())
                                        : node().addressUtxos(address),
                                executor)
                : ofNode(address).exceptionallyComposeAsync(refused -> fallback(address, refused), executor);
    }

    /** Lists the coins from the node and reads the books concurrently. */
    private CompletionStage<UtxoListing> ofNode(Address address) {
        return node().addressUtxos(address)
                .thenCombineAsync(
                        snapshot(address),
                        (nodeListing, known) -> known.map(snapshot -> snapshot.corrected(address, nodeListing))
                                .orElse(nodeListing),
                        executor);
    }

    /** Reads the coins of the address from the ledger; empty also when the books cannot be read, or do not cover it. */
    private CompletionStage<Optional<LedgerSnapshot>> snapshot(Address address) {
        return ledger.snapshot(List.of(address))
                .handleAsync(
                        (found, failure) -> failure != null
                                ? Optional.<LedgerSnapshot>empty()
                                : found.filter(snapshot -> snapshot.covers(address)),
                        executor);
    }

    private CompletionStage<UtxoListing> fallback(Address address, Throwable failure) {
        Throwable cause = Causes.of(failure);
        if (!(cause instanceof NodeException.Rejected rejected)
                || !rejected.text().startsWith(QUOTA)) {
            return CompletableFuture.failedFuture(cause);
        }
        return ofLedger(address)
                .thenComposeAsync(
                        found -> found.map(CompletableFuture::completedFuture)
                                .orElseGet(() -> CompletableFuture.failedFuture(cause)),
                        executor);
    }

    private CompletionStage<Optional<UtxoListing>> ofLedger(Address address) {
        if (ledger.lag() > CoinLedger.MAX_LAG) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        return snapshot(address).thenApplyAsync(found -> found.map(snapshot -> snapshot.listing(address)), executor);
    }
}
