package org.chainwalletd.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that only grows, record by record. A record that a crash cut off at the end is dropped at the next opening, with a line in the log;
 * damage anywhere else is refused. Survives the death of the process; {@link #close} makes it durable against a power cut.
 *
 * <p>Record: {@code u32le length ‖ u32le CRC-32C of the length ‖ u32le CRC-32C of the content ‖ content}. The first record is the title:
 * whose log this is. Held exclusively by one process. Safe for threads.
 */
public final class AppendLog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppendLog.class);
    private static final int HEAD_BYTES = 12;

    private final Path file;
    private final FileChannel channel;

    private AppendLog(Path file, FileChannel channel) {
        this.file = file;
        this.channel = channel;
    }

    /** Takes what the log holds, record by record. */
    @FunctionalInterface
    public interface Reader {
        /**
         * @throws IOException when the record makes no sense; the message says why
         */
        void record(byte[] content) throws IOException;
    }

    /** The file is damaged, belongs to somebody else or is in use; the message names it and says what to do. */
    public static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        RefusedException(String message) {
            super(message);
        }
    }

    /**
     * Opens {@code file}, or makes it (0600) with its {@code title}, and hands out all records after the title in order.
     *
     * @throws RefusedException when the file does not start with this title, is damaged or is in use
     */
    public static AppendLog open(Path file, byte[] title, Reader reader) throws IOException {
        if (!Files.exists(file)) {
            AtomicFiles.createFolder(file.toAbsolutePath().getParent());
            AtomicFiles.write(file, record(title).array());
        }
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        AppendLog log = new AppendLog(file, channel);
        try {
            log.lock();
            log.readAll(title, reader);
            return log;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private void lock() throws IOException {
        try {
            if (channel.tryLock() != null) {
                return;
            }
        } catch (OverlappingFileLockException e) {
            LOG.debug("{} is open in this very process", file);
        }
        throw new RefusedException(file + " is in use by another development node: stop that one first");
    }

    private void readAll(byte[] title, Reader reader) throws IOException {
        ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        long position = 0;
        long size = channel.size();
        while (position < size) {
            byte[] content = size - position < HEAD_BYTES ? null : read(position, size, head);
            if (content == null) {
                cutOff(position, size);
                break;
            }
            if (position == 0) {
                checkTitle(title, content);
            } else {
                deliver(content, position, reader);
            }
            position += HEAD_BYTES + content.length;
        }
        if (position == 0) {
            throw damaged(0);
        }
        channel.position(position);
    }

    /** The record at {@code position}, or null when it is the last one and not whole. */
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
            throw new RefusedException(file + " belongs to something else (" + printable(found) + ", not "
                    + printable(title) + "): choose another folder");
        }
    }

    private static String printable(byte[] title) {
        return new String(title, java.nio.charset.StandardCharsets.UTF_8).replaceAll("[^\\x20-\\x7e]", "?");
    }

    private void deliver(byte[] content, long position, Reader reader) throws IOException {
        try {
            reader.record(content);
        } catch (IOException | IllegalArgumentException | IllegalStateException e) {
            throw new RefusedException(file + " makes no sense at byte " + position + " (" + e.getMessage()
                    + "): restore it from a copy, or move it away to start anew");
        }
    }

    private RefusedException damaged(long position) {
        return new RefusedException(
                file + " is damaged at byte " + position + ": restore it from a copy, or move it away to start anew");
    }

    private void cutOff(long position, long size) throws IOException {
        LOG.warn("{} ends with an incomplete record: {} bytes cut off", file, size - position);
        channel.truncate(position);
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

    /** Adds one record. */
    public synchronized void append(byte[] content) throws IOException {
        ByteBuffer record = record(content);
        while (record.hasRemaining()) {
            channel.write(record);
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
