package org.chainwalletd.keyring.store;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.store.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files with the public side of a keyring, written together: {@code state.json}, which alone tells which keys there are, and beside it what
 * is known of them. Blocking; one writer at a time.
 */
final class KeyRecords {
    private static final Logger LOG = LoggerFactory.getLogger(KeyRecords.class);

    private final PublicKeyFiles publicKeys;
    private final KeyNoteFiles notes;
    private final StateFile stateFile;

    KeyRecords(KeyFolder folder) {
        this.publicKeys = new PublicKeyFiles(folder.publicKeys());
        this.notes = new KeyNoteFiles(folder.publicKeys());
        this.stateFile = new StateFile(folder.state());
    }

    PublicKeyFiles publicKeys() {
        return publicKeys;
    }

    KeyNoteFiles notes() {
        return notes;
    }

    /** Tells what {@code state.json} holds, as it was read. */
    void opened(KeyringView read) {
        stateFile.opened(read);
    }

    /** Makes a batch durable. What is known of a key comes before its listing: one record too many does no harm, a missing one does. */
    void write(KeyTable.Batch batch) throws IOException {
        publicKeys.add(batch.withNewKeys());
        notes.add(batch.notes());
        if (!batch.changesState()) {
            return;
        }
        batch.changes().stream()
                .filter(change -> !change.onlyLearns())
                .forEach(change -> change.before().ifPresent(CrashPoint::reached));
        stateFile.write(batch.after(), batch.onlyAdds());
        forget(batch.gone());
        CrashPoint.MINT_BEFORE_ANSWER.reached();
    }

    /** The record is gone already; what stays behind is no reason to call the deletion failed. */
    private void forget(Set<Address> gone) {
        if (gone.isEmpty()) {
            return;
        }
        for (Forgetting files : List.<Forgetting>of(publicKeys::remove, notes::remove)) {
            try {
                files.remove(gone);
            } catch (IOException e) {
                LOG.warn("public keys and notes of deleted addresses stay in their files: {}", e.getMessage());
            }
        }
    }

    @FunctionalInterface
    private interface Forgetting {
        void remove(Set<Address> gone) throws IOException;
    }

    /** Makes the next change of a large keyring cheap. */
    void prepare() throws IOException {
        stateFile.prepare();
    }

    /** Drops what was prepared. */
    void close() {
        stateFile.close();
    }
}
