package org.chainwalletd.htlc;

import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.chainwalletd.api.RefusedException;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.follow.FollowedTip;
import org.chainwalletd.store.books.Books;
import org.chainwalletd.store.books.Page;
import org.chainwalletd.store.books.htlc.HtlcRow;
import org.chainwalletd.store.books.htlc.HtlcRows;

/** Removal of settled records from the index at the operator's request. */
public record Forgetting(Books books, Supplier<Optional<FollowedTip>> tip, Executor executor) {
    private enum Outcome {
        REMOVED,
        NOT_FOUND,
        OPEN
    }

    /**
     * Hides a settled record from now on; it reappears when a reorganisation removes the block that settled it.
     *
     * @return false when there is no such record; fails with {@link RefusedException} when it is not settled
     */
    public CompletionStage<Boolean> forget(Outpoint lock) {
        long height = tip.get().map(FollowedTip::height).orElse(-1L);
        return books.write(session -> forget(session.head(), lock, height))
                .thenApplyAsync(
                        outcome -> {
                            if (outcome == Outcome.OPEN) {
                                throw RefusedException.invalidParams(
                                        "the HTLC " + lock
                                                + " is still locked: only claimed, reclaimed and unknown ones can be forgotten");
                            }
                            return outcome == Outcome.REMOVED;
                        },
                        executor);
    }

    private static Outcome forget(Page page, Outpoint lock, long height) {
        Optional<HtlcRow> row =
                HtlcRows.find(page, lock).filter(found -> !found.forgotten()).flatMap(found -> found.asOf(height));
        if (row.isEmpty()) {
            return Outcome.NOT_FOUND;
        }
        if (LocalRecords.record(row.get(), height).isOpen()) {
            return Outcome.OPEN;
        }
        HtlcRows.forget(page, lock);
        return Outcome.REMOVED;
    }
}
