package org.chainwalletd.devnet.ledger;

import java.util.List;
import org.chainwalletd.chain.Hash256;
import org.chainwalletd.chain.Transaction;

/** Read-only queries of the {@link Ledger}'s state. */
public final class LedgerView {
    private LedgerView() {}

    /**
     * Outputs of one script in outpoint order, immature coinbases left out.
     *
     * @param more whether more outputs follow
     */
    public record Listing(Tip tip, List<Coin> coins, boolean more) {}

    /** An unconfirmed transaction with the outputs it consumes, in the order of its inputs. */
    public record Pending(Hash256 txId, Transaction tx, List<Coin> spent) {}

    public record PendingListing(Tip tip, List<Pending> transactions) {}

    /**
     * A known transaction.
     *
     * @param blockId null while it is in the mempool
     */
    public record Located(Transaction tx, Hash256 blockId, long height) {}

    /** The confirmed spend of an output. */
    public record SpentBy(Hash256 txId, int inputIndex, long height) {}

    public record Statistics(
            Tip tip,
            int mempoolTransactions,
            long mempoolBytes,
            long blocksAccepted,
            long reorgsApplied,
            long blocksUndone) {}

    /**
     * The last block of the best chain.
     *
     * @param timestamp Unix seconds
     */
    public record Tip(long height, Hash256 id, long timestamp) {}
}
