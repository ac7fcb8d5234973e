package org.chainwalletd.keyring.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.chainwalletd.chain.Address;

/**
 * Origins and births of 1:1 keys: {@code wallets/pubkeys/000000.notes} and so on, see {@link RecordFiles}. The value of a record is the origin's
 * number (1), whether a birth is known (1: 0 or 1), the birth (8, big-endian) and 22 zero bytes for later. Keys of other implementations and of
 * older versions have none. One that is lost costs a longer look at the chain and a warning less; nothing else rests on it.
 *
 * <p>Not read at the start. Blocking; one caller at a time.
 */
public final class KeyNoteFiles {
    private static final int FOR_LATER = 22;

    private final RecordFiles files;

    public KeyNoteFiles(Path folder) {
        this.files = new RecordFiles(folder, ".notes", "of which age and origin its keys are is not known any more");
    }

    public Found load() throws IOException {
        return new Found(files.load());
    }

    /** Contents of the file. */
    public record Found(RecordFiles.Found records) implements KeyringStore.KeyNotes {
        /** Also empty for a note of a later version that this one does not know. */
        @Override
        public Optional<KeyNote> of(Address address) {
            int at = records.valueOf(address.toArray(), 0);
            if (at < 0) {
                return Optional.empty();
            }
            ByteBuffer value = ByteBuffer.wrap(records.bytes(), at, KeyColumns.RECORD - Address.LENGTH);
            int code = value.get();
            boolean born = value.get() == 1;
            OptionalLong birth = born ? OptionalLong.of(value.getLong()) : OptionalLong.empty();
            for (KeyNote.Origin origin : KeyNote.Origin.values()) {
                if (origin.code() == code) {
                    return Optional.of(new KeyNote(origin, birth));
                }
            }
            return Optional.empty();
        }
    }

    /** When this returns they survive a power cut. */
    public void add(Map<Address, KeyNote> notes) throws IOException {
        ByteBuffer records = ByteBuffer.allocate(notes.size() * KeyColumns.RECORD);
        notes.forEach((address, note) -> records.put(address.toArray())
                .put((byte) note.origin().code())
                .put((byte) (note.birth().isPresent() ? 1 : 0))
                .putLong(note.birth().orElse(0))
                .put(new byte[FOR_LATER]));
        files.add(records.array());
    }

    /** Takes the notes of {@code addresses} out. */
    public void remove(Set<Address> addresses) throws IOException {
        files.remove(addresses);
    }
}
