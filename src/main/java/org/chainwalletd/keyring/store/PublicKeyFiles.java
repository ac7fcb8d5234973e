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
 * The public keys beside the sealed files, so that nothing needs to be unsealed to know them (decisions.md, requirement 11): {@code
 * wallets/pubkeys/000000.keys} and so on, see {@link RecordFiles}. One that is lost or damaged costs nothing but learning its keys again when
 * their secrets are unsealed. Blocking; one caller at a time.
 */
public final class PublicKeyFiles {
    private final RecordFiles files;

    public PublicKeyFiles(Path folder) {
        this.files = new RecordFiles(folder, ".keys", "its public keys will be learnt again");
    }

    /** All keys that stand here, also some of no listed address. That they belong to the addresses is for the user of a key to check. */
    public Found load() throws IOException {
        return new Found(files.load());
    }

    /** Contents of the file. */
    public record Found(RecordFiles.Found records) {
        boolean isEmpty() {
            return records.index().size() == 0;
        }

        /** Puts the public key of the address that stands at {@code at} behind it; false for one that is not here. */
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

        /** Empty for one that is not here. */
        Optional<PublicKey> of(Address address) {
            int key = records.valueOf(address.toArray(), 0);
            return key < 0
                    ? Optional.empty()
                    : Optional.of(PublicKey.of(Arrays.copyOfRange(records.bytes(), key, key + PublicKey.LENGTH)));
        }
    }

    /** Adds the public keys of {@code entries}; when this returns they survive a power cut. */
    public void add(Collection<KeyEntry> entries) throws IOException {
        ByteBuffer records = ByteBuffer.allocate(entries.size() * KeyColumns.RECORD);
        entries.forEach(entry -> records.put(entry.address().toArray())
                .put(entry.knownPublicKey().toArray()));
        files.add(records.array());
    }

    /** Adds addresses whose keys are not known, so that they count as given out; when this returns they survive a power cut. */
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
