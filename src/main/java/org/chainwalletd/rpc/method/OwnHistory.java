package org.chainwalletd.rpc.method;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.chainwalletd.api.ErrorCode;
import org.chainwalletd.api.Indexing.GetAddressHistory;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.U64;
import org.chainwalletd.coins.CoinLedger;
import org.chainwalletd.indexer.IndexerClient;
import org.chainwalletd.store.books.HistoryCursor;
import org.chainwalletd.store.books.HistoryEntry;
import org.chainwalletd.store.books.LedgerBooks;

/**
 * History of own and watched addresses from the daemon's books. A list goes on at the source that began it: our cursors are answered here or
 * refused, and others are left to the other source.
 */
public final class OwnHistory implements IndexerClient.AddressHistory {
    private final CoinLedger ledger;
    private final Predicate<Address> watched;
    private final Executor executor;

    /** @param watched whether the books are to know an address */
    public OwnHistory(CoinLedger ledger, Predicate<Address> watched, Executor executor) {
        this.ledger = ledger;
        this.watched = watched;
        this.executor = executor;
    }

    /**
     * A list of an address whose whole history is not known is left to another source if there is one, from whatever height it is asked for, since
     * coins received before may be spent later: rows may be missing while a rescan is under way, for ever when earlier blocks are not read, and at
     * its end while the books lag.
     */
    @Override
    public CompletionStage<Optional<GetAddressHistory.Result>> of(GetAddressHistory asked, boolean onlySource) {
        boolean begun = asked.cursor().isPresent();
        boolean ours = asked.cursor().filter(HistoryCursor::isOurs).isPresent();
        boolean known = watched.test(asked.address());
        if (!ours && (!known || begun && !onlySource)) {
            return CompletableFuture.completedStage(Optional.empty());
        }
        Optional<HistoryCursor> after = asked.cursor().flatMap(HistoryCursor::parse);
        if (begun && (after.isEmpty() || !known)) {
            throw notOurs();
        }
        int limit = (int) asked.limit().orElseThrow();
        return ledger.history(asked.address(), U64.clamp(asked.sinceHeight().orElse(0)), after, limit)
                .thenApplyAsync(
                        found -> {
                            if (begun && found.isEmpty()) {
                                throw notOurs();
                            }
                            return found.filter(page -> begun || onlySource || isComplete(page))
                                    .map(OwnHistory::result);
                        },
                        executor);
    }

    private static RefusedException notOurs() {
        return RefusedException.invalidParams(
                "`cursor` does not go on with a history of this address: begin without it");
    }

    private boolean isComplete(LedgerBooks.History page) {
        return page.completeFrom() == 0 && page.to() >= 0 && !ledger.isBehind();
    }

    private static GetAddressHistory.Result result(LedgerBooks.History page) {
        if (page.to() < 0) {
            throw new RefusedException(ErrorCode.UPSTREAM, "no block is followed yet");
        }
        return new GetAddressHistory.Result(
                page.entries().stream().map(OwnHistory::row).toList(),
                page.next().map(HistoryCursor::text),
                page.completeFrom() == 0 ? OptionalLong.empty() : OptionalLong.of(page.completeFrom()),
                OptionalLong.of(page.to()));
    }

    private static GetAddressHistory.Row row(HistoryEntry entry) {
        return new GetAddressHistory.Row(
                entry.height(),
                entry.txId(),
                entry.amount(),
                entry.input() ? GetAddressHistory.Direction.INPUT : GetAddressHistory.Direction.OUTPUT,
                entry.coinbase());
    }
}
