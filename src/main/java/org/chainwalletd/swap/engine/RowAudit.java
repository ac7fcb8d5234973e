package org.chainwalletd.swap.engine;

import static org.chainwalletd.stage.Blocking.await;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.legs.Legs;
import org.chainwalletd.swap.legs.SwapAlarm;

/**
 * Compares rows that nobody watches with both chains. A row of an older backup may say that it is over, or only a quote that has expired,
 * while the chains show money that is at stake. For one caller at a time.
 */
public final class RowAudit {
    private static final int AT_ONCE = 50;
    /** Locks of older rows have ended long ago: no bound allows one of more than some hours. */
    private static final long OLDEST_SECONDS = 30L * 24 * 3_600;

    private final SwapJournal journal;
    private final Legs legs;
    private final Consumer<String> rewatch;
    private final Consumer<SwapAlarm> alarms;
    private final LongSupplier now;
    /** Rows that were read and not compared yet. */
    private final Deque<SwapRow> waiting = new ArrayDeque<>();
    /** Where the journal is read on; empty at its end. */
    private Optional<Long> below = Optional.of(Long.MAX_VALUE);

    /**
     * @param rewatch told the ids of those that somebody has to look after
     * @param now Unix seconds
     */
    public RowAudit(
            SwapJournal journal, Legs legs, Consumer<String> rewatch, Consumer<SwapAlarm> alarms, LongSupplier now) {
        this.journal = journal;
        this.legs = legs;
        this.rewatch = rewatch;
        this.alarms = alarms;
        this.now = now;
    }

    /** Whether all were compared. */
    boolean isDone() {
        return waiting.isEmpty() && below.isEmpty();
    }

    /**
     * Compares the next rows, newest first, up to the first that cannot be compared, which comes after all others then: chains that do not answer
     * are waited for once in a round, and one row keeps no other from being compared.
     */
    void goOn() {
        if (below.isPresent() && waiting.size() < AT_ONCE) {
            read(below.get());
        }
        for (int rows = waiting.size(); rows > 0; rows--) {
            SwapRow row = waiting.removeFirst();
            try {
                compare(row);
            } catch (RuntimeException e) {
                waiting.addLast(row);
                throw e;
            }
        }
    }

    private void read(long from) {
        SwapJournal.Page page = await(journal.page(Optional.empty(), Optional.of(from), AT_ONCE));
        waiting.addAll(page.rows());
        below = page.rows().stream().anyMatch(this::isOld) ? Optional.empty() : page.next();
    }

    private boolean isOld(SwapRow row) {
        return now.getAsLong() - row.updatedAt() > OLDEST_SECONDS;
    }

    private void compare(SwapRow row) {
        if (row.status().isTerminal() && !isOld(row) && legs.reach(row)) {
            compared(row, await(legs.look(row)));
        }
    }

    private void compared(SwapRow row, Legs.View view) {
        if (!view.isComplete()) {
            throw new IllegalStateException("not both chains could be looked at for swap " + row.id());
        }
        SwapRow seen = row.seeing(view.observation(), row.updatedAt());
        if (seen.status() != row.status() || !seen.isSettled()) {
            alarms.accept(SwapAlarm.of(
                    SwapAlarm.Kind.ROW_OUTDATED,
                    row,
                    "its row says that it is " + row.status().word() + ", and the chains that it is "
                            + seen.status().word() + ": it is looked after again"));
            rewatch.accept(row.id());
        }
    }
}
