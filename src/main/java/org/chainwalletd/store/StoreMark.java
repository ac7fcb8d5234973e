package org.chainwalletd.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.chainwalletd.stage.Causes;

/**
 * {@code <datadir>/store-id}: which store this datadir works with, and how many commits it has had. A store that is missing, or knows fewer
 * commits than are remembered here, has forgotten payments, whose client tokens would pay again.
 *
 * <p>A commit is announced here while it is written to the store, so both are durable together at the price of the slower one, and marked as
 * made afterwards; that mark is forced to the disk with the next one. Two places of {@link #SLOT} bytes are written in turn, so that a broken
 * write leaves the other one. Used by the store's writer, one call at a time.
 */
final class StoreMark implements AutoCloseable {
    static final String FILE_NAME = "store-id";

    private static final int SLOT = 64;
    private static final Pattern LINE = Pattern.compile("([0-9a-f]{32}) ([0-9a-f]{16}) ([am]) ([0-9a-f]{8})\n");

    /**
     * @param made false while it is not known whether the commit was made
     */
    record Known(String id, long commits, boolean made) {
        /** What a store that has forgotten nothing has at least. */
        private long least() {
            return made ? commits : commits - 1;
        }
    }

    private final FileChannel channel;
    private final String id;
    private final ExecutorService disk = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "store-mark");
        thread.setDaemon(true);
        return thread;
    });
    private long commits;
    private CompletableFuture<Void> written = CompletableFuture.completedFuture(null);

    private StoreMark(FileChannel channel, String id, long commits) {
        this.channel = channel;
        this.id = id;
        this.commits = commits;
    }

    /**
     * What the datadir remembers; empty when it never had a store, or an older release made it.
     *
     * @throws StoreException when the file is there and says nothing
     */
    static Optional<Known> read(Path folder) throws IOException {
        Path file = folder.resolve(FILE_NAME);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        byte[] bytes = Files.readAllBytes(file);
        Optional<Known> newest = newest(bytes);
        if (newest.isEmpty()) {
            throw new StoreException(
                    StoreException.Reason.DAMAGED,
                    file
                            + " does not say which store belongs to this datadir; restore it from a backup, or move it away"
                            + " when " + SqliteStore.FILE_NAME + " was not replaced since",
                    null);
        }
        return newest;
    }

    private static Optional<Known> newest(byte[] bytes) {
        Optional<Known> newest = Optional.empty();
        for (int from = 0; from < bytes.length; from += SLOT) {
            Optional<Known> one = parse(Arrays.copyOfRange(bytes, from, Math.min(from + SLOT, bytes.length)));
            newest = newest.isEmpty() || one.isPresent() && BY_AGE.compare(one.get(), newest.get()) > 0 ? one : newest;
        }
        return newest;
    }

    private static final Comparator<Known> BY_AGE =
            Comparator.comparingLong(Known::commits).thenComparing(Known::made);

    private static Optional<Known> parse(byte[] slot) {
        String text = new String(slot, StandardCharsets.ISO_8859_1);
        Matcher line = LINE.matcher(text.stripTrailing() + "\n");
        if (!line.matches() || !checksum(text.substring(0, line.end(3))).equals(line.group(4))) {
            return Optional.empty();
        }
        return Optional.of(new Known(
                line.group(1),
                Long.parseUnsignedLong(line.group(2), 16),
                line.group(3).equals("m")));
    }

    private static String checksum(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.ISO_8859_1));
        return String.format("%08x", crc.getValue());
    }

    /** Why a store cannot be the one that is remembered; empty when it can. */
    static Optional<String> complaint(Optional<Known> known, String id, long commits) {
        if (known.isEmpty()) {
            return Optional.empty();
        }
        if (!known.get().id().equals(id)) {
            return Optional.of("is not the store that this datadir has worked with");
        }
        long missing = known.get().least() - commits;
        return missing > 0
                ? Optional.of("is older than the one that this datadir has worked with: it lacks the last " + missing
                        + " commits")
                : Optional.empty();
    }

    /**
     * From now on {@code folder} works with this store. A file that tells of its last commit, or of one more that was announced and never made,
     * stays as it is, so that a start at which nothing was amiss changes nothing; any other one is written whole, both places of it.
     */
    static StoreMark open(Path folder, String id, long commits) throws IOException {
        Path file = folder.resolve(FILE_NAME);
        Optional<Known> known = Files.exists(file) ? newest(Files.readAllBytes(file)) : Optional.empty();
        Known last = new Known(id, commits, true);
        Known announced = new Known(id, commits + 1, false);
        if (!known.equals(Optional.of(last)) && !known.equals(Optional.of(announced))) {
            byte[] both = new byte[2 * SLOT];
            Arrays.fill(both, (byte) ' ');
            byte[] line = line(id, commits, true);
            System.arraycopy(line, 0, both, place(commits), line.length);
            AtomicFiles.write(file, both);
        }
        return new StoreMark(FileChannel.open(file, StandardOpenOption.WRITE), id, commits);
    }

    private static int place(long commits) {
        return (commits & 1) == 0 ? 0 : SLOT;
    }

    private static byte[] line(String id, long commits, boolean made) {
        String text = id + " " + String.format("%016x", commits) + " " + (made ? "m" : "a");
        return (text + " " + checksum(text) + "\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    /**
     * Announces the next commit; it is on the disk when {@link #made} has returned.
     *
     * @return its number
     */
    long announce() throws IOException {
        if (written.isCompletedExceptionally()) {
            // Nothing more is committed while this file cannot be written.
            write(commits, true);
            channel.force(false);
        }
        long next = commits + 1;
        write(next, false);
        written = CompletableFuture.runAsync(this::force, disk);
        return next;
    }

    private void force() {
        try {
            channel.force(false);
        } catch (IOException e) {
            throw Causes.passedOn(e);
        }
    }

    /** The announced commit was made. A failure to remember it shows at the next one. */
    void made(long commit) {
        commits = commit;
        try {
            Causes.join(written, IOException::new);
            write(commit, true);
        } catch (IOException e) {
            written = CompletableFuture.failedFuture(e);
        }
    }

    private void write(long commit, boolean made) throws IOException {
        ByteBuffer line = ByteBuffer.wrap(line(id, commit, made));
        long at = place(commit);
        while (line.hasRemaining()) {
            at += channel.write(line, at);
        }
    }

    @Override
    public void close() throws IOException {
        disk.shutdown();
        channel.force(false);
        channel.close();
    }
}
