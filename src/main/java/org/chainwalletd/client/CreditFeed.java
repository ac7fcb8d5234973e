package org.chainwalletd.client;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.api.Waiting.Credit;
import org.chainwalletd.api.Waiting.ListCredits;

/**
 * Credits of the daemon's addresses, page after page, without an end: {@code list_credits} with the cursor kept. Blocking; for one thread. See
 * {@link AsyncCreditFeed} for one that does not block.
 *
 * <p>A program that starts again gives the cursor that it stored last, with the same {@code min_confirmations} and {@code address}:
 *
 * <pre>{@code
 * CreditFeed feed = new CreditFeed(daemon, ListCredits.of().withMinConfirmations(6), stored);
 * while (true) {
 *     CreditPage page = feed.next();
 *     database.inOneTransaction(() -> { book(page.credits()); store(page.cursor()); });
 * }
 * }</pre>
 *
 * <p>With {@code withLimit(1)} each page is one event, and so each event has a cursor of its own.
 */
public final class CreditFeed implements Iterator<CreditFeed.CreditPage> {
    /** Time for which one call waits for the first event; shorter than usual time-outs of proxies. */
    private static final Duration ONE_WAIT = Duration.ofSeconds(50);

    private final WalletdCalls daemon;
    private final ListCredits query;
    private final Retries.Pause pause;
    private Optional<String> cursor;

    /**
     * @param query which credits; its {@code wait_secs} is not used
     * @param cursor stored by an earlier run; empty begins where the query says
     */
    public CreditFeed(WalletdCalls daemon, ListCredits query, Optional<String> cursor) {
        this(daemon, query, cursor, Retries.Pause.SLEEP);
    }

    CreditFeed(WalletdCalls daemon, ListCredits query, Optional<String> cursor, Retries.Pause pause) {
        this.daemon = daemon;
        this.query = query;
        this.cursor = cursor;
        this.pause = pause;
    }

    /** Cursor of the next page; empty before the first answer of a feed that was given no cursor. */
    public Optional<String> cursor() {
        return cursor;
    }

    /** True: more may always come. */
    @Override
    public boolean hasNext() {
        return true;
    }

    /**
     * The next page with events in it. Waits for it as long as it takes, and meanwhile asks again when the daemon or its nodes are away.
     *
     * @throws WalletdException what does not pass by itself, such as a cursor of other books (-32602) or a wrong token, and any failure when
     *     the thread is interrupted. The feed stands where it stood.
     */
    @Override
    public CreditPage next() {
        Duration rest = Retries.FIRST_PAUSE;
        while (true) {
            try {
                CreditPage page = poll(ONE_WAIT);
                if (!page.credits().isEmpty()) {
                    return page;
                }
                rest = Retries.FIRST_PAUSE;
            } catch (WalletdException failure) {
                if (!Retries.passes(failure)) {
                    throw failure;
                }
                Retries.rest(pause, Retries.askedFor(failure, rest), failure);
                rest = Retries.longer(rest);
            }
        }
    }

    /**
     * Makes one call for the next page, without events when none has come within {@code wait}. With {@code from: now} and no cursor yet, the cursor
     * alone, at once.
     *
     * @param wait at most 600 s
     * @throws WalletdException as the daemon answers; the feed stands where it stood, and calling again is safe
     */
    public CreditPage poll(Duration wait) {
        CreditPage page = CreditPage.of(daemon.call(CreditPage.call(query, cursor, wait)));
        cursor = Optional.of(page.cursor());
        return page;
    }

    /**
     * Some events of the feed of credits, in their order, and where the feed stands after them. Book all of them and store the cursor in one
     * transaction of your database: whatever dies afterwards, nothing is missed or booked twice.
     *
     * @param credits {@code confirmed} books the credit, {@code removed} takes it back; empty when nothing has come
     * @param cursor position after these events; it may have moved although there are none
     * @param more whether there is more at once
     */
    public record CreditPage(List<Credit> credits, String cursor, boolean more) {
        static CreditPage of(ListCredits.Result result) {
            return new CreditPage(result.credits(), result.cursor(), result.more());
        }

        /**
         * Request for the page after {@code cursor}. Before the first answer the query's own cursor or {@code from} counts.
         *
         * @param wait cut to what the daemon waits at most, 600 s
         */
        static ListCredits call(ListCredits query, Optional<String> cursor, Duration wait) {
            return new ListCredits(
                    cursor.isPresent() ? cursor : query.cursor(),
                    cursor.isPresent() ? Optional.empty() : query.from(),
                    query.limit(),
                    query.address(),
                    query.minConfirmations(),
                    query.includeChange(),
                    OptionalLong.of(Math.max(0, Math.min(600, wait.toSeconds()))));
        }
    }
}
