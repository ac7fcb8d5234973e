package org.chainwalletd.store;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.chainwalletd.chain.Hash256;

/**
 * Which of the spends that are {@code PREPARED} on disk a node has taken, and when that was heard. It is not worth a write: after a restart
 * the nodes are asked. Holds no more than what is in flight; read by the reader's thread too.
 */
final class AcceptedSpends {
    private final Map<Hash256, Long> heardAt = new ConcurrentHashMap<>();

    void heard(Hash256 txId, long now) {
        heardAt.put(txId, now);
    }

    void forget(Hash256 txId) {
        heardAt.remove(txId);
    }

    /** What is known of a spend beyond what its row says. */
    Intent known(Intent stored) {
        Long at = stored.state() == IntentState.PREPARED ? heardAt.get(stored.txId()) : null;
        return at == null ? stored : stored.in(IntentState.ACCEPTED, "", at);
    }

    IntentState known(Hash256 txId, IntentState stored) {
        return stored == IntentState.PREPARED && heardAt.containsKey(txId) ? IntentState.ACCEPTED : stored;
    }
}
