package org.chainwalletd.store;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.chain.Outpoint;

/**
 * Which coin is held by which spend: what the rows of the spends say, kept in memory by the writer, which alone changes it, so that holding
 * and freeing coins costs no write of its own. Goes back with the transaction that it belongs to. Used on the writer's thread only.
 */
final class Holdings implements GroupCommitWriter.InMemory {
    /** How a coin was held before a change; the owner is null when it was free. */
    private record Before(Outpoint outpoint, Long owner) {}

    private final Map<Outpoint, Long> owners = new HashMap<>();
    private final List<Before> journal = new ArrayList<>();

    /** The row of the spend that holds {@code outpoint}. */
    Optional<Long> owner(Outpoint outpoint) {
        return Optional.ofNullable(owners.get(outpoint));
    }

    boolean isFreeFor(long spend, Outpoint outpoint) {
        Long owner = owners.get(outpoint);
        return owner == null || owner == spend;
    }

    void take(long spend, Outpoint outpoint) {
        journal.add(new Before(outpoint, owners.put(outpoint, spend)));
    }

    /** Frees it when {@code spend} is who holds it. */
    void free(long spend, Outpoint outpoint) {
        if (owners.remove(outpoint, spend)) {
            journal.add(new Before(outpoint, spend));
        }
    }

    @Override
    public int mark() {
        return journal.size();
    }

    @Override
    public void undoTo(int mark) {
        while (journal.size() > mark) {
            Before before = journal.remove(journal.size() - 1);
            if (before.owner() == null) {
                owners.remove(before.outpoint());
            } else {
                owners.put(before.outpoint(), before.owner());
            }
        }
    }

    @Override
    public void settle() {
        journal.clear();
    }
}
