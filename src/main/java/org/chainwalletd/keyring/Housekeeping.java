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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.chainwalletd.chain.Address;
import org.chainwalletd.crypto.SecretBytes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done when nobody waits for it, because it takes longer the larger the keyring is: looking at every key file of a large keyring,
 * learning the public keys of a keystore that another implementation wrote, one Argon2id after the other, and describing {@code
 * state.json} in a snapshot for the next start. Belongs to the Keyring actor.
 */
final class Housekeeping {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
    private static final int REPORTED = 100;
    private static final int PORTION = 1_000;
    private static final int NAMED = 5;

    private final Instant start = Instant.now();
    private final KeyFolder folder;
    private final KeyWork work;
    private final Supplier<KeyringView> view;
    private final Executor disk;
    private final Snapshot snapshot;
    private final AtomicInteger damagedKeys;
    private final AtomicInteger lostPhrases;
    private final boolean seeded;
    /** Null while there is no snapshot. */
    private KeyringView described;

    private boolean looked;

    /**
     * @param view the keyring at the moment
     * @param loaded what it was opened with
     */
    Housekeeping(
            KeyFolder folder,
            KeyWork work,
            Supplier<KeyringView> view,
            KeyringSetup setup,
            KeyringLoader.Loaded loaded) {
        this.folder = folder;
        this.work = work;
        this.view = view;
        this.disk = setup.executors().disk();
        this.damagedKeys = KeyringMetrics.damagedKeys(setup.metrics());
        this.lostPhrases = KeyringMetrics.lostPhrases(setup.metrics());
        this.snapshot = new Snapshot(folder);
        this.seeded = loaded.seeded();
        this.described = loaded.hasSnapshot() ? loaded.view() : null;
    }

    /** A keyring without keys gets its proof of the passphrase at once. */
    void begin(SecretBytes passphrase) {
        if (view.get().size() == 0 && !seeded && !Files.exists(folder.check())) {
            work.writeCheck(passphrase)
                    .whenCompleteAsync(
                            (done, failure) -> KeyringFailures.log("no passphrase check was written", failure), disk);
        }
    }

    /**
     * Does what is due, one thing after the other, so that it takes one thread from those who wait for a file.
     *
     * @param passphrase ends the learning when it is closed
     * @param learnt told, on any thread, of each entry whose public key became known
     */
    void tend(SecretBytes passphrase, Consumer<KeyEntry> learnt) {
        boolean first = !looked;
        looked = true;
        boolean snapshotDue = snapshotIsDue();
        disk.execute(() -> {
            if (snapshotDue) {
                writeSnapshot();
            }
            if (first && view.get().size() > KeyringLoader.CHECKED_AT_START) {
                checkFiles();
            }
            if (first) {
                checkPhrases();
            }
        });
        if (first) {
            learnPublicKeys(passphrase, learnt);
        }
    }

    /** The last thing; {@code done} completes when nothing is written any more. */
    void end(CompletableFuture<Void> done) {
        if (snapshotIsDue()) {
            CompletableFuture.runAsync(this::writeSnapshot, disk)
                    .whenCompleteAsync((written, failure) -> done.complete(null), disk);
        } else {
            done.complete(null);
        }
    }

    /** Never in anybody's way: a change of a large keyring would otherwise cost more the larger it is. */
    private boolean snapshotIsDue() {
        KeyringView now = view.get();
        if (now == described || (now.size() < Snapshot.FROM && described == null)) {
            return false;
        }
        described = now;
        return true;
    }

    private void writeSnapshot() {
        try {
            snapshot.write();
        } catch (IOException e) {
            LOG.warn("the next start will read all of state.json: {}", e.getMessage());
        }
    }

    private void learnPublicKeys(SecretBytes passphrase, Consumer<KeyEntry> learnt) {
        List<KeyEntry> unknown = view.get().withoutPublicKey().stream()
                .filter(KeyEntry::imported)
                .toList();
        if (!unknown.isEmpty()) {
            LOG.info("learning {} public keys of a keystore that another implementation wrote", unknown.size());
            OneByOne.run(unknown.size(), disk, i -> learn(unknown, i, passphrase, learnt));
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
        damagedKeys.set(damaged.size());
        if (!damaged.isEmpty()) {
            LOG.error(
                    "key files of {} listed addresses are missing or damaged; restore them from a backup: {}",
                    damaged.size(),
                    folder.paths(damaged));
        }
    }

    /** A standard key without its phrase still signs, so that nobody would notice until the phrase is needed. */
    private void checkPhrases() {
        try {
            KeyNoteFiles.Found notes = new KeyNoteFiles(folder.publicKeys()).load();
            List<Address> standard = listed().stream()
                    .filter(address -> notes.of(address)
                            .filter(note -> note.origin() == KeyOrigin.STANDARD)
                            .isPresent())
                    .toList();
            checkPhrases(standard, 0, new LinkedHashSet<>());
        } catch (IOException e) {
            LOG.warn("the phrase files could not be checked: {}", e.getMessage());
        }
    }

    private void checkPhrases(List<Address> addresses, int from, Set<Address> lost) {
        int to = Math.min(addresses.size(), from + PORTION);
        addresses.subList(from, to).stream()
                .filter(address -> !Files.exists(folder.phrase(address)))
                .forEach(lost::add);
        if (to < addresses.size()) {
            disk.execute(() -> checkPhrases(addresses, to, lost));
            return;
        }
        lost.retainAll(new HashSet<>(listed()));
        lostPhrases.set(lost.size());
        if (!lost.isEmpty()) {
            LOG.error(
                    "the phrase files of {} standard keys are missing; restore them from a backup, or make another one of the secrets: {}",
                    lost.size(),
                    lost.stream().limit(NAMED).toList());
        }
    }

    private Collection<Address> listed() {
        return view.get().imported();
    }
}
