package org.chainwalletd.keyring;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.chainwalletd.keyring.KeyringProtocol.Pooled;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringMetrics;
import org.chainwalletd.keyring.store.KeyringStore;
import org.chainwalletd.stage.Outcome;

/**
 * Standard keys generated and sealed in advance, so that returning one costs no Argon2id. They exist only in memory, sealed, and are lost
 * with the process; this is safe because a key is written to disk like any new key before its address is returned. One key is generated at
 * a time, and each is used once. Belongs to the Keyring actor.
 */
final class KeyPool {
    private final KeyringParts keyring;
    private final KeyringMetrics.Pool metrics;
    private final Deque<KeyringStore.SealedKey> keys = new ArrayDeque<>();
    private int target;
    private Executor background;
    private boolean making;

    KeyPool(KeyringParts keyring, KeyringMetrics.Pool metrics) {
        this.keyring = keyring;
        this.metrics = metrics;
    }

    /**
     * Sets the number of keys to keep.
     *
     * @param executor generates and seals them, at low priority
     */
    void keep(int size, Executor executor) {
        target = size;
        background = executor;
        refill();
    }

    /** Removes and returns a key of the pool; empty when none is ready. */
    Optional<KeyringStore.SealedKey> take() {
        Optional<KeyringStore.SealedKey> taken = Optional.ofNullable(keys.poll());
        if (target > 0 && taken.isEmpty()) {
            metrics.missed().increment();
        }
        metrics.ready().set(keys.size());
        refill();
        return taken;
    }

    /** Starts generating a key if the pool is not full. After a failure the next periodic upkeep calls this again. */
    void refill() {
        if (!making && keys.size() < target && !keyring.passphrase().isClosed()) {
            making = true;
            Outcome.pipe(keyring.context(), keyring.work().sealAhead(keyring.passphrase(), background), Pooled::new);
        }
    }

    void made(Pooled outcome) {
        making = false;
        outcome.key().match(this::add, failure -> KeyringFailures.log("the pool of keys is not filled", failure));
    }

    private void add(KeyringStore.SealedKey key) {
        keys.add(key);
        metrics.ready().set(keys.size());
        refill();
    }
}
