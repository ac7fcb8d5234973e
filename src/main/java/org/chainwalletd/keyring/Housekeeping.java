package org.chainwalletd.keyring;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.stage.Outcome;
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
    private final Executor crypto;
    private boolean looked;

    /**
     * @param view the keyring at the moment
     * @param seeded whether a seed proves the passphrase
     */
    Housekeeping(KeyWork work, Supplier<KeyringView> view, boolean seeded, Executor crypto) {
        this.work = work;
        this.view = view;
        this.seeded = seeded;
        this.crypto = crypto;
    }

    /** A keyring without keys gets its proof of the passphrase at once. */
    void begin(SecretBytes passphrase) {
        if (view.get().size() == 0 && !seeded) {
            work.ensureCheck(passphrase)
                    .whenCompleteAsync(
                            (done, failure) -> Outcome.of(done, failure)
                                    .failure()
                                    .ifPresent(cause -> KeyringFailures.log("no passphrase check was written", cause)),
                            crypto);
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
            OneByOne.run(unknown.size(), crypto, i -> learn(unknown, i, passphrase, learnt));
        }
    }

    private CompletableFuture<?> learn(
            List<KeyEntry> unknown, int i, SecretBytes passphrase, Consumer<KeyEntry> learnt) {
        if (i > 0 && i % REPORTED == 0) {
            LOG.info("{} of {} public keys learnt", i, unknown.size());
        }
        return work.learn(unknown.get(i), passphrase)
                .handleAsync(
                        (entry, failure) -> {
                            if (failure == null) {
                                learnt.accept(entry);
                            } else if (passphrase.isClosed()) {
                                throw new IllegalStateException("the keyring is closed");
                            } else {
                                LOG.error(
                                        "no public key: {}",
                                        KeyringFailures.of(failure).getMessage());
                            }
                            return null;
                        },
                        crypto);
    }
}
