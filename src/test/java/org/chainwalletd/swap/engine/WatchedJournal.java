package org.chainwalletd.swap.engine;

import java.util.ArrayList;
import java.util.List;
import org.chainwalletd.store.SwapStore;
import org.chainwalletd.store.SwapStore.SwapEntry;
import org.chainwalletd.swap.gates.Acts;
import org.chainwalletd.swap.gates.SwapRow;
import org.chainwalletd.swap.gates.SwapRow.OwnLock;
import org.chainwalletd.swap.gates.SwapRow.PoolLock;
import org.chainwalletd.testkit.Stub;

/** The journal's table of one run: each write is judged before it is made, and named by its content. */
final class WatchedJournal {
    private WatchedJournal() {}

    static SwapStore of(SwapStore table, Life life, DurableJournal durable, SwapTruth truth) {
        return Stub.of(SwapStore.class, call -> switch (call.name()) {
            case "add" -> life.write(List.of("QUOTE"), () -> table.add((SwapEntry) call.arguments()[0]));
            case "replace" -> {
                SwapEntry entry = (SwapEntry) call.arguments()[0];
                SwapRow next = durable.opened(entry.content());
                SwapRow before = durable.row(entry.id()).orElseThrow();
                yield life.write(JournalStep.between(before, next), () -> {
                    truth.writes(before, next);
                    return table.replace(entry);
                });
            }
            default -> call.on(table);
        });
    }

    /** Fact that a write of the journal makes durable, by name. */
    public enum JournalStep {
        EXPIRE,
        LOCK,
        LOCK_NAMED,
        ABANDON,
        PERMIT,
        WITHDRAW,
        CLAIM_JOURNALLED,
        CLAIM_NAMED,
        REFUND,
        REFUND_NAMED,
        OWN_LOCK_SEEN,
        OWN_LOCK_SETTLED,
        OWN_LOCK_CLAIMED,
        OWN_LOCK_BACK,
        OWN_LOCK_LOST,
        OWN_LOCK_GONE,
        POOL_LOCK_SEEN,
        POOL_LOCK_CLAIMED,
        POOL_LOCK_BACK,
        POOL_LOCK_GONE,
        ENDED,
        REOPENED;

        /** Returns the names; a write may record several facts at once. */
        static List<String> between(SwapRow before, SwapRow after) {
            List<JournalStep> steps = new ArrayList<>();
            acts(before.acts(), after.acts(), steps);
            if (!before.ownLock().equals(after.ownLock())) {
                steps.add(own(before.ownLock(), after.ownLock()));
            }
            if (!before.poolLock().equals(after.poolLock())) {
                steps.add(pool(after.poolLock()));
            }
            if (before.endedAt().isPresent() != after.endedAt().isPresent()) {
                steps.add(after.endedAt().isPresent() ? ENDED : REOPENED);
            }
            return steps.stream().map(JournalStep::name).toList();
        }

        private static void acts(Acts before, Acts after, List<JournalStep> steps) {
            note(after.expired() && !before.expired(), EXPIRE, steps);
            note(after.locking() && !before.locking(), LOCK, steps);
            note(!after.lockTx().equals(before.lockTx()), LOCK_NAMED, steps);
            note(after.abandoning() && !before.abandoning(), ABANDON, steps);
            note(after.claimPermitted() && !before.claimPermitted(), PERMIT, steps);
            note(!after.claimPermitted() && before.claimPermitted(), WITHDRAW, steps);
            note(after.claimJournalled() && !before.claimJournalled(), CLAIM_JOURNALLED, steps);
            note(!after.claimTx().equals(before.claimTx()), CLAIM_NAMED, steps);
            note(after.refunding() && !before.refunding(), REFUND, steps);
            note(!after.refundTx().equals(before.refundTx()), REFUND_NAMED, steps);
        }

        private static void note(boolean said, JournalStep step, List<JournalStep> steps) {
            if (said) {
                steps.add(step);
            }
        }

        private static JournalStep own(OwnLock before, OwnLock after) {
            if (after instanceof OwnLock.Locked) {
                return before instanceof OwnLock.Locked ? OWN_LOCK_SETTLED : OWN_LOCK_SEEN;
            }
            if (after instanceof OwnLock.Claimed) {
                return OWN_LOCK_CLAIMED;
            }
            if (after instanceof OwnLock.TakenBack) {
                return OWN_LOCK_BACK;
            }
            return after instanceof OwnLock.Lost ? OWN_LOCK_LOST : OWN_LOCK_GONE;
        }

        private static JournalStep pool(PoolLock after) {
            if (after instanceof PoolLock.Locked) {
                return POOL_LOCK_SEEN;
            }
            if (after instanceof PoolLock.Claimed) {
                return POOL_LOCK_CLAIMED;
            }
            return after instanceof PoolLock.TakenBack ? POOL_LOCK_BACK : POOL_LOCK_GONE;
        }
    }
}
