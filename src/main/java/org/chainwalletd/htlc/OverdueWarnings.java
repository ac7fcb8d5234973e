package org.chainwalletd.htlc;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Outpoint;
import org.chainwalletd.store.books.htlc.HtlcRow;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warnings about locks past their timeout, in rounds. Each lock is reported once. Anybody can create such locks, so above a maximum number the
 * further locks are reported in one summary, which is repeated when the largest of them changes.
 */
final class OverdueWarnings {
    private static final Logger LOG = LoggerFactory.getLogger(OverdueWarnings.class);

    private final int most;
    private final Set<Outpoint> warned = new HashSet<>();
    /** Locks in {@link #warned} that this round has found so far. */
    private final Set<Outpoint> found = new HashSet<>();
    /** Number of further locks that this round has found so far. */
    private int more;

    private Optional<HtlcRow> largest = Optional.empty();
    /** Largest of the further locks at the last summary. */
    private Optional<Outpoint> reported = Optional.empty();

    /** @param most maximum number of locks that are reported individually */
    OverdueWarnings(int most) {
        this.most = most;
    }

    void add(HtlcRow lock) {
        if (warned.contains(lock.outpoint())) {
            found.add(lock.outpoint());
        } else if (warned.size() < most) {
            warned.add(lock.outpoint());
            found.add(lock.outpoint());
            LOG.warn(
                    "the lock {} of {} base units is past its timeout {} and nobody has claimed it: htlc_reclaim takes it back",
                    lock.outpoint(),
                    lock.amount(),
                    Long.toUnsignedString(lock.params().timeoutHeight()));
        } else {
            more++;
            if (largest.filter(other -> !other.amount().isLessThan(lock.amount()))
                    .isEmpty()) {
                largest = Optional.of(lock);
            }
        }
    }

    void endRound() {
        Optional<Outpoint> now = largest.map(HtlcRow::outpoint);
        if (now.isPresent() && !now.equals(reported)) {
            LOG.warn(
                    "{} more locks are past their timeout and nobody has claimed them; the largest is {} of {} base units:"
                            + " htlc_list shows them",
                    more,
                    now.get(),
                    largest.get().amount());
        }
        reported = now;
        warned.retainAll(found);
        found.clear();
        more = 0;
        largest = Optional.empty();
    }
}
