package org.chainwalletd.keyring;

import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.chainwalletd.crypto.SecretBytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done after the start, because it takes longer the larger the keyring is: looking at every key file, and learning the public keys
 * of a keystore that another implementation wrote, one Argon2id after the other.
 */
final class Housekeeping {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
    private static final int REPORTED = 100;

    private final KeyFolder folder;
    private final KeyWork work;
    private final Executor disk;

    Housekeeping(KeyFolder folder, KeyWork work, Executor disk) {
        this.folder = folder;
        this.work = work;
        this.disk = disk;
    }

    /**
     * @param passphrase ends the learning when it is closed
     * @param learnt told, on any thread, of each entry whose public key became known
     */
    void begin(KeyringView view, SecretBytes passphrase, Consumer<KeyEntry> learnt) {
        disk.execute(() -> checkLengths(view));
        if (view.size() == 0 && !folder.isSeeded() && !Files.exists(folder.check())) {
            work.writeCheck(passphrase).whenCompleteAsync((done, failure) -> logFailure(failure), disk);
        }
        List<KeyEntry> unknown = view.entries().stream()
                .filter(entry -> entry.publicKey() == null && entry.imported())
                .toList();
        if (!unknown.isEmpty()) {
            LOG.info("learning {} public keys of a keystore that another implementation wrote", unknown.size());
            work.oneByOne(unknown.size(), i -> learn(unknown, i, passphrase, learnt));
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
                        disk);
    }

    private void checkLengths(KeyringView view) {
        for (KeyEntry entry : view.entries()) {
            if (entry.imported() && !folder.isWhole(entry.address())) {
                LOG.error(
                        "the key file {} is missing or damaged; restore it from a backup", folder.key(entry.address()));
            }
        }
    }

    private static void logFailure(Throwable failure) {
        if (failure != null) {
            LOG.warn(
                    "no passphrase check was written: {}",
                    KeyringFailures.of(failure).getMessage());
        }
    }
}
