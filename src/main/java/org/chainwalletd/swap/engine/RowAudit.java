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
 * Compares unwatched rows with both chains. A row from an older backup may say that the swap is over, or only an expired quote, while money is at
 * stake on the chains. For one caller at a time.
 */
public final class RowAudit {
    private static final int AT_ONCE = 50;
    /** Age beyond which a row is not compared: its locks have ended, because no bound allows a lock of more than some hours. */
    private static final long OLDEST_SECONDS = 30L * 24 * 3_600;

    private final SwapJournal journal;
    private final Legs legs;
    private final Rewatches rewatches;
    private final Consumer<SwapAlarm> alarms;
    private final LongSupplier now;
    /** Rows that were read, and not compared yet or to be watched again. */
    private final Deque<SwapRow> pending = new ArrayDeque<>();
    /** Row number below which the journal is read next; empty at its end. */
    private Optional<Long> below = Optional.of(Long.MAX_VALUE);

    /**
     * @param rewatch receives the ids of rows that have to be watched again
     * @param now Unix seconds
     */
    public RowAudit(
            SwapJournal journal, Legs legs, Consumer<String> rewatch, Consumer<SwapAlarm> alarms, LongSupplier now) {
        this.journal = journal;
        this.legs = legs;
        this.rewatches = new Rewatches(rewatch);
        this.alarms = alarms;
        this.now = now;
    }

    /** Tests whether all rows were compared, and those that are outdated watched again. */
    boolean isDone() {
        return pending.isEmpty() && below.isEmpty();
    }

    /**
     * Compares the next rows, newest first, and stops at the first failure; that row moves behind all others. Thus one round waits only once for
     * chains that do not answer, and one row does not block the comparison of others.
     */
    void compareNext() {
        if (below.isPresent() && pending.size() < AT_ONCE) {
            read(below.get());
        }
        for (int rows = pending.size(); rows > 0; rows--) {
            SwapRow row = pending.removeFirst();
            boolean isDone = false;
            try {
                isDone = compare(row);
            } finally {
                if (!isDone) {
                    pending.addLast(row);
                }
            }
        }
    }

    private void read(long from) {
        SwapJournal.Page page = await(journal.page(Optional.empty(), Optional.of(from), AT_ONCE));
        pending.addAll(page.rows());
        below = page.rows().stream().anyMatch(this::isOld) ? Optional.empty() : page.next();
    }

    private boolean isOld(SwapRow row) {
        return now.getAsLong() - row.updatedAt() > OLDEST_SECONDS;
    }

    /** Returns whether the row needs no further look. */
    private boolean compare(SwapRow row) {
        if (!row.status().isTerminal() || isOld(row) || !legs.reach(row)) {
            return true;
        }
        if (!rewatches.isRequested(row.id()) && !isOutdated(row, await(legs.look(row)))) {
            return true;
        }
        return await(journal.take(row.id())).map(rewatches::isDone).orElse(true);
    }

    private boolean isOutdated(SwapRow row, Legs.View view) {
        if (!view.isComplete()) {
            throw new IllegalStateException("not both chains could be looked at for swap " + row.id());
        }
        SwapRow seen = row.seeing(view.observation(), row.updatedAt());
        boolean isOutdated = seen.status() != row.status() || !seen.isSettled();
        if (isOutdated) {
            alarms.accept(SwapAlarm.of(
                    SwapAlarm.Kind.ROW_OUTDATED,
                    row,
                    "its row says that it is " + row.status().word() + ", and the chains that it is "
                            + seen.status().word() + ": it is looked after again"));
        }
        return isOutdated;
    }
}
