package org.chainwalletd.keyring;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.Flows;
import org.chainwalletd.keyring.store.KeyEntry;
import org.chainwalletd.keyring.store.KeyringFailures;
import org.chainwalletd.keyring.store.KeyringSetup;
import org.chainwalletd.keyring.store.KeyringView;
import org.chainwalletd.keyring.store.Stretching.Urgency;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done when nobody waits for it: proving the passphrase of a keyring without keys, and learning the public keys of a keystore that
 * another implementation wrote, one Argon2id after the other. Belongs to the Keyring actor.
 */
final class Housekeeping {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
    private static final int REPORTED = 100;

    private final KeyWork work;
    private final Supplier<KeyringView> view;
    private final boolean seeded;
    private final KeyringSetup.Executors executors;
    private boolean looked;

    /**
     * @param view the keyring at the moment
     * @param seeded whether a seed proves the passphrase
     */
    Housekeeping(KeyWork work, Supplier<KeyringView> view, boolean seeded, KeyringSetup.Executors executors) {
        this.work = work;
        this.view = view;
        this.seeded = seeded;
        this.executors = executors;
    }

    /** A keyring without keys gets its proof of the passphrase at once. */
    void begin(SecretBytes passphrase) {
        if (view.get().size() == 0 && !seeded) {
            executors.argon2().submit(Urgency.SEAL, () -> {
                try {
                    work.ensureCheck(passphrase);
                } catch (RuntimeException e) {
                    KeyringFailures.log("no passphrase check was written", e);
                }
                return null;
            });
        }
    }

    /**
     * Does what is due, the first time.
     *
     * @param passphrase ends the learning when it is closed
     * @param learnt told, on any thread, of each entry whose public key became known
     */
    void tend(SecretBytes passphrase, Consumer<KeyEntry> learnt) {
        if (!looked) {
            looked = true;
            learnPublicKeys(passphrase, learnt);
        }
    }

    private void learnPublicKeys(SecretBytes passphrase, Consumer<KeyEntry> learnt) {
        List<KeyEntry> unknown = view.get().withoutPublicKey().stream()
                .filter(KeyEntry::imported)
                .toList();
        if (!unknown.isEmpty()) {
            LOG.info("learning {} public keys of a keystore that another implementation wrote", unknown.size());
            Flows.submit(executors.flows(), () -> learn(unknown, passphrase, learnt));
        }
    }

    private Void learn(List<KeyEntry> unknown, SecretBytes passphrase, Consumer<KeyEntry> learnt) {
        for (int i = 0; i < unknown.size() && !passphrase.isClosed(); i++) {
            if (i > 0 && i % REPORTED == 0) {
                LOG.info("{} of {} public keys learnt", i, unknown.size());
            }
            KeyEntry entry = unknown.get(i);
            try {
                learnt.accept(executors.argon2().compute(Urgency.SEAL, () -> work.learn(entry, passphrase)));
            } catch (RuntimeException e) {
                if (!passphrase.isClosed()) {
                    LOG.error("no public key: {}", KeyringFailures.of(e).getMessage());
                }
            }
        }
        return null;
    }
}
