package org.chainwalletd.client;

import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.api.Waiting.Credit;
import org.chainwalletd.api.Waiting.ListCredits;

/**
 * Endless feed of the credits of the daemon's addresses, page by page: calls {@code list_credits} and keeps the cursor. Blocking; for one
 * thread. {@link AsyncCreditFeed} is the non-blocking variant.
 *
 * <p>A restarted program passes the cursor that it stored last, with the same {@code min_confirmations} and {@code address}:
 *
 * <pre>{@code
 * CreditFeed feed = new CreditFeed(daemon, ListCredits.of().withMinConfirmations(6), stored);
 * while (true) {
 *     CreditPage page = feed.next();
 *     database.inOneTransaction(() -> { book(page.credits()); store(page.cursor()); });
 * }
 * }</pre>
 *
 * <p>With {@code withLimit(1)} each page has one event, so that each event has its own cursor.
 */
public final class CreditFeed implements Iterator<CreditFeed.CreditPage> {
    /** Time for which one call waits for the first event; shorter than the usual timeouts of proxies. */
    private static final Duration ONE_WAIT = Duration.ofSeconds(50);

    private final WalletdCalls daemon;
    private final ListCredits query;
    private final Retries.Pause pause;
    private Optional<String> cursor;

    /**
     * @param query which credits; its {@code wait_secs} is not used
     * @param cursor stored by an earlier run; empty starts where the query says
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

    /** Always true: the feed has no end. */
    @Override
    public boolean hasNext() {
        return true;
    }

    /**
     * Returns the next page that has events. Waits indefinitely, and retries while the daemon or its nodes are unavailable.
     *
     * @throws WalletdException for a permanent failure, such as a cursor of other books (-32602) or a wrong token, and for any failure when the
     *     thread is interrupted. The position of the feed is unchanged.
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
     * Makes one call for the next page, which is empty when no event has arrived within {@code wait}. With {@code from: now} and no cursor yet, it
     * returns at once with the cursor only.
     *
     * @param wait at most 600 s
     * @throws WalletdException for any failure; the position of the feed is unchanged, and calling again is safe
     */
    public CreditPage poll(Duration wait) {
        CreditPage page = CreditPage.of(daemon.call(CreditPage.call(query, cursor, wait)));
        cursor = Optional.of(page.cursor());
        return page;
    }

    /**
     * Consecutive events of the feed of credits and the cursor after them. Book all of them and store the cursor in one transaction of your
     * database: then no crash makes you miss an event or book it twice.
     *
     * @param credits {@code confirmed} books the credit, {@code removed} reverses it; empty when no event has arrived
     * @param cursor position after these events; it may have advanced even when there are none
     * @param more whether more events are available immediately
     */
    public record CreditPage(List<Credit> credits, String cursor, boolean more) {
        static CreditPage of(ListCredits.Result result) {
            return new CreditPage(result.credits(), result.cursor(), result.more());
        }

        /**
         * Returns the request for the page after {@code cursor}; without a cursor, the query's own cursor or {@code from} applies.
         *
         * @param wait reduced to the daemon's maximum of 600 s
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
