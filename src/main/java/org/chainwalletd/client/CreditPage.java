package org.chainwalletd.client;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.api.Waiting.Credit;
import org.chainwalletd.api.Waiting.ListCredits;

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
     * What to ask for the page after {@code cursor}. Before the first answer the query's own cursor or {@code from} counts.
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
