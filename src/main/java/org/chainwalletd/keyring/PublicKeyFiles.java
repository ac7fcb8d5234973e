package org.chainwalletd.keyring;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.store.AtomicFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The public keys beside the sealed files, so that nothing needs to be unsealed to know them (decisions.md, requirement 11): {@code
 * wallets/pubkeys/000000.keys} and so on. A file is up to 1,024 records of 64 bytes, address and key, and the CRC-32C of them in big-endian
 * order. One that is lost or damaged costs nothing but learning its keys again when their secrets are unsealed.
 *
 * <p>These files are this daemon's own. Other implementations neither write nor need them. Blocking; one caller at a time.
 */
final class PublicKeyFiles {
    /** Records per file: few enough that writing the last file anew costs no more than a small one. */
    static final int PER_FILE = 1_024;

    private static final Logger LOG = LoggerFactory.getLogger(PublicKeyFiles.class);
    private static final int RECORD = KeyColumns.RECORD;
    private static final String SUFFIX = ".keys";

    private final Path folder;
    private int last;
    /** Null until the files were looked at. */
    private byte[] lastRecords;

    PublicKeyFiles(Path folder) {
        this.folder = folder;
    }

    /** All keys that stand here, also some of no listed address. That they belong to the addresses is for the user of a key to check. */
    synchronized Found load() throws IOException {
        List<Path> files = files();
        lastRecords = new byte[0];
        byte[] all = new byte[files.size() * PER_FILE * RECORD];
        int end = 0;
        for (Path file : files) {
            byte[] records = records(file);
            if (end + records.length > all.length) {
                all = Arrays.copyOf(all, 2 * all.length + records.length);
            }
            System.arraycopy(records, 0, all, end, records.length);
            end += records.length;
            last = numberOf(file);
            lastRecords = records;
        }
        return new Found(all, AddressIndex.of(all, end / RECORD));
    }

    /** What was read. */
    record Found(byte[] records, AddressIndex index) {
        boolean isEmpty() {
            return index.size() == 0;
        }

        /** Puts the public key of the address that stands at {@code at} behind it; false for one that is not here. */
        boolean copyTo(byte[] target, int at) {
            int row = index.find(records, target, at);
            if (row >= 0) {
                int key = row * RECORD + Address.LENGTH;
                System.arraycopy(records, key, target, at + Address.LENGTH, PublicKey.LENGTH);
            }
            return row >= 0;
        }

        /** Null for one that is not here. */
        PublicKey of(Address address) {
            int row = index.find(records, address.toArray());
            return row < 0 ? null : keyAt(records, row * RECORD);
        }
    }

    /** Adds the public keys of {@code entries}; when this returns they survive a power cut. */
    synchronized void add(Collection<KeyEntry> entries) throws IOException {
        if (lastRecords == null) {
            openLast();
        }
        byte[] records = lastRecords;
        int number = last;
        for (KeyEntry entry : entries) {
            if (records.length == PER_FILE * RECORD) {
                write(number, records);
                number++;
                records = new byte[0];
            }
            int end = records.length;
            records = Arrays.copyOf(records, end + RECORD);
            System.arraycopy(entry.address().toArray(), 0, records, end, Address.LENGTH);
            System.arraycopy(entry.publicKey().toArray(), 0, records, end + Address.LENGTH, PublicKey.LENGTH);
        }
        if (!entries.isEmpty()) {
            write(number, records);
        }
    }

    private void openLast() throws IOException {
        List<Path> files = files();
        byte[] records = new byte[0];
        if (!files.isEmpty()) {
            Path file = files.get(files.size() - 1);
            last = numberOf(file);
            records = records(file);
        }
        lastRecords = records;
    }

    /** Takes the keys of {@code addresses} out of whichever files they stand in. */
    synchronized void remove(Set<Address> addresses) throws IOException {
        for (Path file : files()) {
            byte[] records = records(file);
            byte[] kept = new byte[records.length];
            int end = 0;
            for (int at = 0; at < records.length; at += RECORD) {
                if (!addresses.contains(addressAt(records, at))) {
                    System.arraycopy(records, at, kept, end, RECORD);
                    end += RECORD;
                }
            }
            if (end < records.length) {
                write(numberOf(file), Arrays.copyOf(kept, end));
            }
        }
    }

    private void write(int number, byte[] records) throws IOException {
        AtomicFiles.createFolder(folder);
        byte[] content = ByteBuffer.allocate(records.length + Integer.BYTES)
                .put(records)
                .putInt(checksum(records))
                .array();
        AtomicFiles.write(folder.resolve(String.format("%06d%s", number, SUFFIX)), content);
        if (number >= last) {
            last = number;
            lastRecords = records;
        }
    }

    private static byte[] records(Path file) throws IOException {
        byte[] content = Files.readAllBytes(file);
        int length = content.length - Integer.BYTES;
        if (length >= 0 && length % RECORD == 0) {
            byte[] records = Arrays.copyOf(content, length);
            if (ByteBuffer.wrap(content, length, Integer.BYTES).getInt() == checksum(records)) {
                return records;
            }
        }
        LOG.warn("{} is damaged; its public keys will be learnt again", file);
        return new byte[0];
    }

    private static int checksum(byte[] records) {
        CRC32C crc = new CRC32C();
        crc.update(records);
        return (int) crc.getValue();
    }

    private static Address addressAt(byte[] records, int at) {
        return Address.of(Arrays.copyOfRange(records, at, at + Address.LENGTH));
    }

    private static PublicKey keyAt(byte[] records, int at) {
        return PublicKey.of(Arrays.copyOfRange(records, at + Address.LENGTH, at + RECORD));
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "[0-9]*" + SUFFIX)) {
            found.forEach(files::add);
        } catch (NoSuchFileException e) {
            return List.of();
        }
        Collections.sort(files);
        return files;
    }

    private static int numberOf(Path file) throws IOException {
        String name = file.getFileName().toString();
        try {
            return Integer.parseInt(name.substring(0, name.length() - SUFFIX.length()));
        } catch (NumberFormatException e) {
            throw new IOException("unexpected file " + file + "; remove it", e);
        }
    }
}
