package org.chainwalletd.node;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.node.NodeClient.UtxoListing;
import org.chainwalletd.store.books.LedgerBooks;

/**
 * Confirmed coins at the followed tip, whose values were read from bytes. What concerns an address is empty while the address is not
 * covered, before the first block, and while the books lag too far behind the nodes.
 */
public interface OwnCoins {
    /**
     * Lists the most valuable coins of an address. The order by value ensures that coins of little value, which anyone can send, hide no
     * others.
     *
     * @param most maximum number of listed coins
     */
    CompletionStage<Optional<UtxoListing>> spendable(Address address, int most);

    /** Lists those of {@code wanted} that {@link #spendable(Address, int)} would list without a limit. */
    CompletionStage<Optional<UtxoListing>> spendable(Address address, Set<Outpoint> wanted);

    /** Finds those of {@code wanted} that are coins of the address, mature or not. */
    CompletionStage<Optional<Set<Outpoint>>> unspent(Address address, Set<Outpoint> wanted);

    /** Finds the heights of the blocks that contain transactions; see {@link LedgerBooks#heights}. */
    CompletionStage<List<OptionalLong>> heights(List<LedgerBooks.Sought> transactions);
}
