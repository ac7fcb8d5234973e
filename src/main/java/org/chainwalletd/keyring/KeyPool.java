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
 * Standard keys that were drawn and sealed ahead of time, so that giving one out costs no Argon2id. They are in memory alone, sealed, and die
 * with the process: who was given one has it because it went the way of every new key then, to the disk first. One is made at a time, and given
 * out once. Belongs to the Keyring actor.
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
     * From now on there shall be {@code size} keys.
     *
     * @param executor draws and seals them, when nobody else wants the processor
     */
    void keep(int size, Executor executor) {
        target = size;
        background = executor;
        refill();
    }

    /** Key that is given out now and never again; empty while none is ready. */
    Optional<KeyringStore.SealedKey> take() {
        Optional<KeyringStore.SealedKey> taken = Optional.ofNullable(keys.poll());
        if (target > 0 && taken.isEmpty()) {
            metrics.missed().increment();
        }
        metrics.ready().set(keys.size());
        refill();
        return taken;
    }

    /** Begins another key when one is wanted. After a failure this is for the upkeep to call again. */
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
