package org.chainwalletd.keyring;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done after the start, because it takes longer the larger the keyring is: looking at every key file of a large keyring, and
 * learning the public keys of a keystore that another implementation wrote, one Argon2id after the other.
 */
final class Housekeeping {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
    private static final int REPORTED = 100;
    private static final int PORTION = 1_000;

    private final Instant start = Instant.now();
    private final KeyFolder folder;
    private final KeyWork work;
    private final Supplier<KeyringView> view;
    private final Executor disk;

    /** @param view the keyring at the moment */
    Housekeeping(KeyFolder folder, KeyWork work, Supplier<KeyringView> view, Executor disk) {
        this.folder = folder;
        this.work = work;
        this.view = view;
        this.disk = disk;
    }

    /**
     * @param passphrase ends the learning when it is closed
     * @param learnt told, on any thread, of each entry whose public key became known
     */
    void begin(SecretBytes passphrase, Consumer<KeyEntry> learnt) {
        List<KeyEntry> entries = view.get().entries();
        if (entries.size() > KeyringLoader.CHECKED_AT_START) {
            disk.execute(this::checkFiles);
        }
        if (entries.isEmpty() && !folder.isSeeded() && !Files.exists(folder.check())) {
            work.writeCheck(passphrase).whenCompleteAsync((done, failure) -> logFailure(failure), disk);
        }
        List<KeyEntry> unknown = entries.stream()
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

    /** In portions, so that nobody's write waits long behind it. */
    private void checkFiles() {
        try {
            folder.clearHalfWritten(start);
            KeyFolder.Inventory found = folder.unlistedBeside(listed());
            found.unlisted().removeIf(address -> !KeyFolder.isOlder(folder.key(address), start));
            found.reportUnlisted(folder);
            checkPortion(List.copyOf(listed()), 0, new LinkedHashSet<>(found.damaged()));
        } catch (IOException e) {
            LOG.warn("the key files could not be checked: {}", e.getMessage());
        }
    }

    private void checkPortion(List<Address> addresses, int from, Set<Address> damaged) {
        int to = Math.min(addresses.size(), from + PORTION);
        addresses.subList(from, to).stream()
                .filter(address -> !folder.isWhole(address))
                .forEach(damaged::add);
        if (to < addresses.size()) {
            disk.execute(() -> checkPortion(addresses, to, damaged));
            return;
        }
        damaged.retainAll(new HashSet<>(listed()));
        damaged.removeIf(folder::isWhole);
        if (!damaged.isEmpty()) {
            LOG.error(
                    "key files of {} listed addresses are missing or damaged; restore them from a backup: {}",
                    damaged.size(),
                    folder.paths(damaged));
        }
    }

    private Collection<Address> listed() {
        return view.get().entries().stream()
                .filter(KeyEntry::imported)
                .map(KeyEntry::address)
                .toList();
    }

    private static void logFailure(Throwable failure) {
        if (failure != null) {
            LOG.warn(
                    "no passphrase check was written: {}",
                    KeyringFailures.of(failure).getMessage());
        }
    }
}
