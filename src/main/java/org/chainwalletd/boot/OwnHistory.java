package org.chainwalletd.boot;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.chainwalletd.chain.Address;
import org.chainwalletd.coins.CoinLedger;
import org.chainwalletd.indexer.Activity;
import org.chainwalletd.indexer.AddressHistory;
import org.chainwalletd.indexer.Page;
import org.chainwalletd.indexer.PageQuery;
import org.chainwalletd.store.books.HistoryEntry;

/** The history of own addresses from the daemon's books, from the height on from which they are complete. */
final class OwnHistory implements AddressHistory {
    private final CoinLedger ledger;
    private final Predicate<Address> owned;
    private final Executor executor;

    OwnHistory(CoinLedger ledger, Predicate<Address> owned, Executor executor) {
        this.ledger = ledger;
        this.owned = owned;
        this.executor = executor;
    }

    @Override
    public Optional<CompletionStage<Page<Activity>>> of(PageQuery query) {
        if (!owned.test(query.address())) {
            return Optional.empty();
        }
        Optional<HistoryEntry.Position> after = query.cursor().map(HistoryEntry.Position::parse);
        return Optional.of(ledger.history(query.address(), query.since().orElse(0), after, query.limit() + 1)
                .thenApplyAsync(entries -> page(entries, query.limit()), executor));
    }

    private static Page<Activity> page(List<HistoryEntry> entries, int limit) {
        List<HistoryEntry> shown = entries.size() > limit ? entries.subList(0, limit) : entries;
        String next = entries.size() > limit ? shown.get(limit - 1).position().text() : null;
        return new Page<>(shown.stream().map(OwnHistory::activity).toList(), next);
    }

    private static Activity activity(HistoryEntry entry) {
        return new Activity(
                entry.height(),
                entry.txId(),
                entry.amount(),
                entry.input() ? Activity.Direction.INPUT : Activity.Direction.OUTPUT,
                entry.coinbase());
    }
}
