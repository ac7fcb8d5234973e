package org.chainwalletd.store.books;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Amount;
import org.chainwalletd.chain.Hash256;

/**
 * Reads the feed of credits. At depth 0 it is the log itself. At depth n it is made from the log and the heights: entries of the log are
 * gone through in order, so that what was told and is no more is told as removed, then the credits of the next heights are told as far as
 * they are n deep. Folding what is told gives exactly the credits of the chain at that depth. Nothing is told of blocks above the followed
 * tip. Safe for threads.
 */
public final class CreditFeed {
    private final Books books;
    private final Supplier<OptionalLong> tip;

    /**
     * @param tip height of the followed tip
     */
    public CreditFeed(Books books, Supplier<OptionalLong> tip) {
        this.books = books;
        this.tip = tip;
    }

    /**
     * @param tipHeight to which confirmations are counted; -1 when nothing is followed
     * @param more whether there is more to be read at once
     */
    public record Batch(List<CreditEvent> events, CreditCursor cursor, boolean more, long tipHeight) {}

    /** What a cursor must carry to be of this store. */
    public CompletionStage<String> store() {
        return books.read(session -> store(session.head()));
    }

    private static String store(Page page) {
        return page.queryOne("SELECT value FROM credit_facts WHERE name = 'store'", row -> row.getString(1))
                .orElseThrow();
    }

    /** The cursor of a reader who wants to hear only what comes. */
    public CompletionStage<CreditCursor> now(long depth, Optional<Address> address) {
        long top = tip.get().orElse(-1);
        return books.read(session -> CreditCursor.beginning(store(session.head()), depth, address)
                .at(lastNumber(session.head(), top))
                .at(top < 0 ? -1 : Math.max(-1, top - Math.max(1, depth) + 1), 0));
    }

    /** At depth 0 what is not told yet is after the cursor. */
    private static long lastNumber(Page page, long top) {
        long last = page.queryOne("SELECT seq FROM sqlite_sequence WHERE name = 'credit_log'", row -> row.getLong(1))
                .orElse(0L);
        long hidden = page.queryOne(
                        "SELECT COALESCE(MIN(l.number), 0) FROM credits c JOIN credit_log l ON l.credit = c.id "
                                + "WHERE c.scan = 0 AND c.active = 1 AND c.height > ?",
                        row -> row.getLong(1),
                        top)
                .orElse(0L);
        return hidden == 0 ? last : hidden - 1;
    }

    /**
     * The next events after a cursor. The stage fails with {@link CreditPruning.PrunedException} when they are not kept any more.
     *
     * @param change whether change is told as well
     */
    public CompletionStage<Batch> read(CreditCursor cursor, boolean change, int limit) {
        long top = tip.get().orElse(-1);
        return kept(
                cursor, page -> new CreditReading(page, cursor, change, limit, Math.min(top, standing(page))).batch());
    }

    /**
     * The first transaction after a cursor that pays the cursor's address at least {@code least} and is in the chain or in a mempool now. What
     * was seen before the cursor and is confirmed after it does not count, nor does change. Fails as {@link #read} does.
     *
     * @param cursor of one address, at depth 0
     */
    public CompletionStage<NextPayment> payment(CreditCursor cursor, Amount least) {
        long top = tip.get().orElse(-1);
        return kept(cursor, page -> new PaymentReading(page, cursor, least, Math.min(top, standing(page))).next());
    }

    /**
     * @param pruned the first valid cursor, when there was nothing to be read
     */
    private record Kept<T>(Optional<CreditCursor> pruned, T read) {}

    private <T> CompletionStage<T> kept(CreditCursor cursor, Function<Page, T> reading) {
        return books.read(session -> {
                    Optional<CreditCursor> pruned = CreditPruning.isKept(session.head(), cursor)
                            ? Optional.empty()
                            : Optional.of(CreditPruning.first(session.head(), cursor));
                    return new Kept<>(pruned, pruned.isPresent() ? null : reading.apply(session.head()));
                })
                .thenApplyAsync(
                        kept -> {
                            kept.pruned().ifPresent(first -> {
                                throw new CreditPruning.PrunedException(first);
                            });
                            return kept.read();
                        },
                        Runnable::run);
    }

    /**
     * @param amount what the transaction pays to the address in all
     * @param height of its block; empty while it is in a mempool
     */
    public record Payment(Hash256 txId, Amount amount, Optional<Long> height) {}

    /**
     * @param cursor behind the payment, or behind all that is none
     */
    public record NextPayment(Optional<Payment> payment, CreditCursor cursor, long tipHeight) {}

    /** The cursor of a reader who has heard nothing. */
    public CompletionStage<CreditCursor> beginning(long depth, Optional<Address> address) {
        return books.read(session ->
                CreditPruning.first(session.head(), CreditCursor.beginning(store(session.head()), depth, address)));
    }

    /** While the chain is being changed the books may stand below the tip that was told last. */
    private static long standing(Page page) {
        return BlockRows.top(page).map(BlockRow::height).orElse(-1L);
    }
}
