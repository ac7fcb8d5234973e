package org.chainwalletd.keyring.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;

/**
 * Public keys stored unsealed, so that nothing has to be unsealed to know them (decisions.md, requirement 11), in {@code
 * wallets/pubkeys/000000.keys} and following files, see {@link RecordFiles}. After the loss of a file its keys are learnt again when their
 * secrets are unsealed. Blocking; one caller at a time.
 */
public final class PublicKeyFiles {
    private final RecordFiles files;

    public PublicKeyFiles(Path folder) {
        this.files = new RecordFiles(folder, ".keys", "its public keys will be learnt again");
    }

    /** Reads all public keys, including those of unlisted addresses. The caller must check that a key belongs to its address. */
    public Found load() throws IOException {
        return new Found(files.load());
    }

    /** Contents of the files. */
    public record Found(RecordFiles.Found records) {
        boolean isEmpty() {
            return records.index().size() == 0;
        }

        /** Writes the public key of the address at offset {@code at} of {@code target} directly after it; false when it is not known. */
        boolean copyTo(byte[] target, int at) {
            int key = records.valueOf(target, at);
            if (key >= 0) {
                System.arraycopy(records.bytes(), key, target, at + Address.LENGTH, PublicKey.LENGTH);
            }
            return key >= 0;
        }

        Set<Address> addresses() {
            return records.addresses();
        }

        /** Empty when the public key is not known. */
        Optional<PublicKey> of(Address address) {
            int key = records.valueOf(address.toArray(), 0);
            return key < 0
                    ? Optional.empty()
                    : Optional.of(PublicKey.of(Arrays.copyOfRange(records.bytes(), key, key + PublicKey.LENGTH)));
        }
    }

    /** Appends the public keys of {@code entries}; they are durable when this returns. */
    public void add(Collection<KeyEntry> entries) throws IOException {
        ByteBuffer records = ByteBuffer.allocate(entries.size() * KeyColumns.RECORD);
        entries.forEach(entry -> records.put(entry.address().toArray())
                .put(entry.knownPublicKey().toArray()));
        files.add(records.array());
    }

    /** Appends addresses without public keys, so that they count as given out; they are durable when this returns. */
    void addUnknown(Collection<Address> addresses) throws IOException {
        ByteBuffer records = ByteBuffer.allocate(addresses.size() * KeyColumns.RECORD);
        for (Address address : addresses) {
            records.put(address.toArray()).put(new byte[KeyColumns.RECORD - Address.LENGTH]);
        }
        files.add(records.array());
    }

    void remove(Set<Address> addresses) throws IOException {
        files.remove(addresses);
    }
}
