package org.chainwalletd.keyring.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;
import org.chainwalletd.chain.Address;
import org.chainwalletd.store.files.AtomicFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores a 32-byte value for each of many addresses in files {@code 000000<suffix>} and following. A file holds up to 1,024 records of 64
 * bytes, address and value, and then their CRC-32C in big-endian order. The last record of an address wins. The records of a damaged file
 * are lost, with a warning in the log.
 *
 * <p>These files are specific to this daemon; other implementations neither write nor need them. Blocking; one caller at a time.
 */
final class RecordFiles {
    /** Records per file: few enough that rewriting the last file costs no more than writing a small file. */
    static final int PER_FILE = 1_024;

    private static final Logger LOG = LoggerFactory.getLogger(RecordFiles.class);
    private static final int RECORD = KeyColumns.RECORD;

    private final Path folder;
    private final String suffix;
    private final String consequence;
    private int last;
    /** Null until the files were read. */
    private byte[] lastRecords;

    /** @param consequence effect of a damaged file, for the log */
    RecordFiles(Path folder, String suffix, String consequence) {
        this.folder = folder;
        this.suffix = suffix;
        this.consequence = consequence;
    }

    /**
     * Contents of the files.
     *
     * @param bytes the records; may have unused bytes after them
     * @param rows number of records, including repeated ones of an address
     */
    record Found(byte[] bytes, int rows, AddressIndex index) {
        Set<Address> addresses() {
            Set<Address> addresses = new HashSet<>();
            for (int row = 0; row < rows; row++) {
                addresses.add(Address.of(Arrays.copyOfRange(bytes, row * RECORD, row * RECORD + Address.LENGTH)));
            }
            return addresses;
        }

        /** Returns the offset of the value of the address at offset {@code at} in {@code address}, or -1. */
        int valueOf(byte[] address, int at) {
            int row = index.find(bytes, address, at);
            return row < 0 ? -1 : row * RECORD + Address.LENGTH;
        }
    }

    /** Reads all records, including those of unlisted addresses. A read that fails changes nothing, so that {@link #add} overwrites none. */
    synchronized Found load() throws IOException {
        List<Path> files = files();
        int number = 0;
        byte[] records = new byte[0];
        byte[] all = new byte[files.size() * PER_FILE * RECORD];
        int end = 0;
        for (Path file : files) {
            number = numberOf(file);
            records = records(file);
            if (end + records.length > all.length) {
                all = Arrays.copyOf(all, 2 * all.length + records.length);
            }
            System.arraycopy(records, 0, all, end, records.length);
            end += records.length;
        }
        last = number;
        lastRecords = records;
        return new Found(all, end / RECORD, AddressIndex.of(all, end / RECORD));
    }

    /** Appends complete records; they are durable when this returns. */
    synchronized void add(byte[] more) throws IOException {
        if (lastRecords == null) {
            openLast();
        }
        byte[] records = lastRecords;
        int number = last;
        for (int from = 0; from < more.length; ) {
            if (records.length == PER_FILE * RECORD) {
                number++;
                records = new byte[0];
            }
            int end = records.length;
            int length = Math.min(more.length - from, PER_FILE * RECORD - end);
            records = Arrays.copyOf(records, end + length);
            System.arraycopy(more, from, records, end, length);
            from += length;
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

    /** Removes the records of {@code addresses} from every file. */
    synchronized void remove(Set<Address> addresses) throws IOException {
        for (Path file : files()) {
            byte[] records = records(file);
            byte[] kept = new byte[records.length];
            int end = 0;
            for (int at = 0; at < records.length; at += RECORD) {
                if (!addresses.contains(Address.of(Arrays.copyOfRange(records, at, at + Address.LENGTH)))) {
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
        AtomicFiles.write(folder.resolve(String.format("%06d%s", number, suffix)), content);
        if (number >= last) {
            last = number;
            lastRecords = records;
        }
    }

    private byte[] records(Path file) throws IOException {
        byte[] content = Files.readAllBytes(file);
        int length = content.length - Integer.BYTES;
        if (length >= 0 && length % RECORD == 0) {
            byte[] records = Arrays.copyOf(content, length);
            if (ByteBuffer.wrap(content, length, Integer.BYTES).getInt() == checksum(records)) {
                return records;
            }
        }
        LOG.warn("{} is damaged; {}", file, consequence);
        return new byte[0];
    }

    private static int checksum(byte[] records) {
        CRC32C crc = new CRC32C();
        crc.update(records);
        return (int) crc.getValue();
    }

    private List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(folder, "[0-9]*" + suffix)) {
            found.forEach(files::add);
        } catch (NoSuchFileException e) {
            return List.of();
        }
        Collections.sort(files);
        return files;
    }

    private int numberOf(Path file) throws IOException {
        String name = file.getFileName().toString();
        try {
            return Integer.parseInt(name.substring(0, name.length() - suffix.length()));
        } catch (NumberFormatException e) {
            throw new IOException("unexpected file " + file + "; remove it", e);
        }
    }
}
