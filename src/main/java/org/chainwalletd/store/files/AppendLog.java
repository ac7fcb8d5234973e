package org.chainwalletd.store.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Append-only file of records. An incomplete record left at the end by a crash is dropped at the next opening, with a warning in the log; damage
 * anywhere else is rejected. Appended records survive the death of the process; {@link #force} and {@link #close} make them durable against a power
 * failure.
 *
 * <p>Record: {@code u32le length ‖ u32le CRC-32C of the length ‖ u32le CRC-32C of the content ‖ content}. The first record is the title, which
 * identifies the kind of log. Thread-safe.
 */
public final class AppendLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppendLog.class);
    private static final int HEAD_BYTES = 12;
    private static final String ADVICE = "restore it from a copy, or move it away to start anew";

    private final Path file;
    private final FileChannel channel;

    private AppendLog(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** Receives the records of a log one by one. */
    @FunctionalInterface
    public interface Reader {
        /**
         * Receives the content of one record.
         *
         * @throws IOException when the record is malformed; the message contains the reason
         */
        void record(byte[] content) throws IOException;
    }

    /** Thrown when the file is damaged, of another kind, or in use; the message names the file and contains instructions. */
    public static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        private final String fault;

        RefusedException(String fault, String advice) {
            super(fault + ": " + advice);
            this.fault = fault;
        }

        /** Returns what is wrong with the file, without the advice. */
        public String fault() {
            return fault;
        }
    }

    /**
     * Opens {@code file}, or creates it (0600) with its {@code title}, and passes all records after the title to {@code reader} in order.
     *
     * @throws RefusedException when the file does not start with this title, is damaged or is in use
     */
    public static AppendLog open(Path file, byte[] title, Reader reader) throws IOException {
        return open(file, title, reader, true);
    }

    /**
     * Opens the log as {@link #open(Path, byte[], Reader)} does.
     *
     * @param lock whether to lock the file; required unless something else keeps other processes away from it
     */
    public static AppendLog open(Path file, byte[] title, Reader reader, boolean lock) throws IOException {
        if (!Files.exists(file)) {
            AtomicFiles.createFolder(file.toAbsolutePath().getParent());
            AtomicFiles.write(file, record(title).array());
        }
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        AppendLog log = new AppendLog(file, channel);
        try {
            if (lock) {
                log.lock();
            }
            long end = log.readAll(title, reader);
            long size = channel.size();
            if (end < size) {
                LOG.warn("{} ends with an incomplete record: {} bytes removed", file, size - end);
                log.truncate(end);
            }
            channel.position(end);
            return log;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Passes all records after the title to {@code reader}, as {@link #open} does, without changing the file. */
    public static void read(Path file, byte[] title, Reader reader) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            new AppendLog(file, channel).readAll(title, reader);
        }
    }

    /** Appends the records of a new file in order. */
    @FunctionalInterface
    public interface Content {
        void writeTo(AppendLog log) throws IOException;
    }

    /** Writes or replaces {@code file} as a whole: when this returns, it is complete and survives a power failure. */
    public static void write(Path file, byte[] title, Content content) throws IOException {
        AppendLog log = beside(file, title);
        try {
            content.writeTo(log);
            log.renameTo(file);
            log.channel.close();
        } catch (IOException | RuntimeException e) {
            log.discard();
            throw e;
        }
        AtomicFiles.syncFolder(file.toAbsolutePath().getParent());
    }

    /** Creates a temporary log (0600) with its title beside {@code file}, to replace that file once it is complete. */
    public static AppendLog beside(Path file, byte[] title) throws IOException {
        Path temp = AtomicFiles.tempFor(file);
        Set<StandardOpenOption> options =
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        AppendLog log = new AppendLog(temp, FileChannel.open(temp, options, AtomicFiles.OWNER_FILE));
        log.append(title);
        return log;
    }

    /** Forces this log to disk and renames it to {@code file}. The rename itself survives a power failure only after the folder is forced. */
    public void renameTo(Path file) throws IOException {
        force();
        CrashPoint.FILE_TEMP_WRITTEN.reached();
        AtomicFiles.move(this.file, file);
        CrashPoint.FILE_RENAMED.reached();
    }

    /** Closes and deletes this log, which has not replaced a file. */
    public void discard() throws IOException {
        channel.close();
        Files.deleteIfExists(file);
    }

    /** Closes the file without forcing it to disk. */
    public void closeUnforced() throws IOException {
        channel.close();
    }

    /**
     * Passes the records starting at {@code place} to {@code reader}.
     *
     * @param place offset in bytes at which a record begins
     */
    public synchronized void readFrom(long place, Reader reader) throws IOException {
        long end = channel.position();
        long complete = readRecords(place, end, (content, position) -> deliver(content, position, reader));
        if (complete < end) {
            throw damaged(complete);
        }
    }

    private void lock() throws IOException {
        try {
            if (channel.tryLock() != null) {
                return;
            }
        } catch (OverlappingFileLockException e) {
            LOG.debug("{} is already open in this process", file);
        }
        throw new RefusedException(file + " is in use by another development node", "stop that one first");
    }

    /** Reads all records and returns the offset at which the last complete one ends. */
    private long readAll(byte[] title, Reader reader) throws IOException {
        long complete = readRecords(0, channel.size(), (content, position) -> {
            if (position == 0) {
                checkTitle(title, content);
            } else {
                deliver(content, position, reader);
            }
        });
        if (complete == 0) {
            throw damaged(0);
        }
        return complete;
    }

    /** Receives the content of a record and the offset at which the record begins. */
    private interface PlacedReader {
        void record(byte[] content, long position) throws IOException;
    }

    /** Reads the records from {@code begin} on, and returns the offset at which the last complete one before {@code end} ends. */
    private long readRecords(long begin, long end, PlacedReader reader) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long position = begin;
        while (end - position >= HEAD_BYTES) {
            byte[] content = read(position, end, head);
            if (content == null) {
                break;
            }
            reader.record(content, position);
            position += HEAD_BYTES + content.length;
        }
        return position;
    }

    /** Reads the record at {@code position}; null if it is the last one and incomplete. */
    private byte[] read(long position, long size, ByteBuffer head) throws IOException {
        readFully(head.clear(), position);
        head.flip();
        int length = head.getInt();
        if (head.getInt() != checksum(lengthBytes(length)) || length < 0) {
            if (restIsZero(position, size)) {
                return null;
            }
            throw damaged(position);
        }
        if (position + HEAD_BYTES + length > size) {
            return null;
        }
        byte[] content = new byte[length];
        readFully(ByteBuffer.wrap(content), position + HEAD_BYTES);
        if (head.getInt() == checksum(content)) {
            return content;
        }
        if (position + HEAD_BYTES + length == size) {
            return null;
        }
        throw damaged(position);
    }

    private void checkTitle(byte[] title, byte[] found) throws IOException {
        if (!Arrays.equals(title, found)) {
            throw new RefusedException(
                    file + " belongs to something else (" + printable(found) + ", not " + printable(title) + ")",
                    "choose another folder");
        }
    }

    private static String printable(byte[] title) {
        return new String(title, StandardCharsets.UTF_8).replaceAll("[^\\x20-\\x7e]", "?");
    }

    private void deliver(byte[] content, long position, Reader reader) throws IOException {
        try {
            reader.record(content);
        } catch (IOException | IllegalArgumentException | IllegalStateException e) {
            throw new RefusedException(
                    file + " is malformed at byte " + position + " (" + e.getMessage() + ")", ADVICE);
        }
    }

    private RefusedException damaged(long position) {
        return new RefusedException(file + " is damaged at byte " + position, ADVICE);
    }

    /** Truncates the file to {@code length} bytes. */
    public synchronized void truncate(long length) throws IOException {
        channel.truncate(length);
        channel.position(length);
    }

    public synchronized long length() throws IOException {
        return channel.position();
    }

    /**
     * Forces the appended records to disk: when this returns, they survive a power failure. After a failure the records may be lost, and the
     * operating system reports that only once.
     */
    public void force() throws IOException {
        channel.force(false);
    }

    private boolean restIsZero(long position, long size) throws IOException {
        ByteBuffer rest = ByteBuffer.allocate((int) Math.min(size - position, 1 << 16));
        for (long at = position; at < size; at += rest.limit()) {
            rest.clear().limit((int) Math.min(size - at, rest.capacity()));
            readFully(rest, at);
            for (int i = 0; i < rest.limit(); i++) {
                if (rest.get(i) != 0) {
                    return false;
                }
            }
        }
        return true;
    }

    private void readFully(ByteBuffer buffer, long position) throws IOException {
        while (buffer.hasRemaining()) {
            int count = channel.read(buffer, position + buffer.position());
            if (count < 0) {
                throw damaged(position);
            }
        }
    }

    /** Appends one record; on failure nothing is appended. */
    public synchronized void append(byte[] content) throws IOException {
        ByteBuffer record = record(content);
        long before = channel.position();
        try {
            while (record.hasRemaining()) {
                channel.write(record);
            }
        } catch (IOException e) {
            truncate(before);
            throw e;
        }
    }

    private static ByteBuffer record(byte[] content) {
        return ByteBuffer.allocate(HEAD_BYTES + content.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(content.length)
                .putInt(checksum(lengthBytes(content.length)))
                .putInt(checksum(content))
                .put(content)
                .flip();
    }

    private static byte[] lengthBytes(int length) {
        return ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(length)
                .array();
    }

    private static int checksum(byte[] bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    @Override
    public synchronized void close() throws IOException {
        if (channel.isOpen()) {
            channel.force(true);
            channel.close();
        }
    }
}
