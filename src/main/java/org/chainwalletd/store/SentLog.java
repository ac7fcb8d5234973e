package org.chainwalletd.store;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.chainwalletd.stage.Causes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code <datadir>/sent.log}: a log of the store's decisions since the log was made, kept beside the store, so that a store that was emptied, or
 * replaced by an older copy, is noticed and can be completed ({@link StoreRestore}). A commit is appended before it is made, and forced to the
 * disk in parallel with it; nothing is reported or sent before both are on the disk. A line that frees a coin, or lets a token make other bytes,
 * is forced first: the store never contains such a release that the log lacks.
 *
 * <p>An {@link AppendLog} of these records, numbers big-endian: {@code 1 ‖ store's id (16) ‖ opening (8) ‖ number (8)}, the commit at which the
 * base was read; {@code 2 ‖ lines}, the base: the content of the store at that commit; {@code 3 ‖ opening ‖ number ‖ lines}, a commit that is
 * about to be made; {@code 4}, the last commit was made. A commit that is followed neither by such a record nor by a higher number may have been
 * made or not; one whose number occurs again was not. Used by the store's writer, one call at a time.
 */
final class SentLog implements AutoCloseable {
    static final String FILE_NAME = "sent.log";

    private static final Logger LOG = LoggerFactory.getLogger(SentLog.class);

    private static final byte[] TITLE = "sent.log 1".getBytes(StandardCharsets.UTF_8);
    private static final byte BASE = 1;
    private static final byte BASE_LINES = 2;
    private static final byte COMMIT = 3;
    private static final byte MADE = 4;
    private static final int MARK_BYTES = 2 * Long.BYTES;
    private static final int ID_BYTES = 16;
    /** Size below which the log is not pruned, in bytes: about 30,000 payments. */
    static final long LEAST_TO_PRUNE = 16 * 1024 * 1024;

    private final Path folder;
    private final long leastToPrune;
    private AppendLog log;
    /** Size of the base in bytes, when the log was made from the store. */
    private long base;

    private final ExecutorService disk = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "sent-log");
        thread.setDaemon(true);
        return thread;
    });
    private CompletableFuture<Void> forced = CompletableFuture.completedFuture(null);
    /** Records that may not be on the disk yet; they follow the first {@link #safe} bytes, which are. */
    private final List<byte[]> unforced = new ArrayList<>();

    private long safe;

    private SentLog(Path folder, AppendLog log, long base, long leastToPrune) throws IOException {
        this.folder = folder;
        this.log = log;
        this.base = base;
        this.leastToPrune = leastToPrune;
        this.safe = log.length();
    }

    /** Lines of the commit that is being prepared; those of a refused unit are undone with it. */
    static final class Lines implements GroupCommitWriter.InMemory {
        private final List<SentLine> lines = new ArrayList<>();

        void add(SentLine line) {
            lines.add(line);
        }

        @Override
        public int mark() {
            return lines.size();
        }

        @Override
        public void undoTo(int mark) {
            lines.subList(mark, lines.size()).clear();
        }

        @Override
        public void settle() {
            lines.clear();
        }

        boolean goFirst() {
            return lines.stream().anyMatch(SentLine::goesFirst);
        }
    }

    /**
     * Last commits of a log.
     *
     * @param last the last commit that was announced
     * @param certain the last commit that was certainly made: {@code last} or the one before it
     */
    record Known(CommitMark last, CommitMark certain) {}

    /** Receives the lines of a log, in their order. */
    interface Replay {
        /** Tells whether the lines of this commit, or of the base that was read at it, are wanted. Called for the base in any case. */
        boolean wants(CommitMark mark) throws IOException;

        void line(SentLine line) throws IOException;
    }

    static Path in(Path folder) {
        return folder.resolve(FILE_NAME);
    }

    /**
     * Reads the last commits of the log in {@code folder} without changing it; empty when there is none.
     *
     * @throws AppendLog.RefusedException when it is damaged
     */
    static Optional<Known> read(Path folder) throws IOException {
        if (!Files.exists(in(folder))) {
            return Optional.empty();
        }
        Reading reading = new Reading();
        AppendLog.read(in(folder), TITLE, reading::record);
        return reading.known();
    }

    /**
     * Passes the lines of the wanted commits to {@code replay}, including the last announced commit, which may not have been made.
     *
     * @throws AppendLog.RefusedException when the log is damaged
     */
    static void replay(Path folder, Replay replay) throws IOException {
        Reading reading = new Reading();
        byte[][] held = new byte[1][];
        AppendLog.read(in(folder), TITLE, record -> {
            CommitMark before = reading.last;
            reading.record(record);
            boolean commit = record[0] == COMMIT;
            // A number that occurs again means that the commit before it was not made.
            if (held[0] != null && (record[0] == MADE || commit && reading.last.number() > before.number())) {
                deliver(before, held[0], 1 + MARK_BYTES, replay);
            }
            held[0] = commit ? record : null;
            if (record[0] == BASE) {
                replay.wants(reading.last);
            } else if (record[0] == BASE_LINES) {
                deliver(reading.last, record, 1, replay);
            }
        });
        if (held[0] != null) {
            deliver(reading.last, held[0], 1 + MARK_BYTES, replay);
        }
    }

    private static void deliver(CommitMark mark, byte[] record, int from, Replay replay) throws IOException {
        if (replay.wants(mark)) {
            for (SentLine line : SentLine.decode(record, from)) {
                replay.line(line);
            }
        }
    }

    /** Last commits among the records read so far. */
    private static final class Reading {
        private CommitMark last;
        private CommitMark certain;

        void record(byte[] record) throws IOException {
            ByteBuffer in = ByteBuffer.wrap(record);
            byte kind = in.hasRemaining() ? in.get() : 0;
            if (kind == BASE && record.length == 1 + ID_BYTES + MARK_BYTES && last == null) {
                byte[] id = new byte[ID_BYTES];
                in.get(id);
                last = new CommitMark(HexFormat.of().formatHex(id), in.getLong(), in.getLong());
                certain = last;
            } else if (kind == COMMIT && record.length >= 1 + MARK_BYTES && last != null) {
                CommitMark next = new CommitMark(last.store(), in.getLong(), in.getLong());
                certain = next.number() > last.number() ? last : certain;
                last = next;
            } else if (kind == MADE && last != null) {
                certain = last;
            } else if (kind != BASE_LINES || last == null) {
                throw new IOException("a record of the unknown kind " + kind);
            }
        }

        Optional<Known> known() {
            return Optional.ofNullable(last).map(mark -> new Known(mark, certain));
        }
    }

    /** Opens the log in {@code folder}, which is undamaged, for appending. */
    static SentLog open(Path folder) throws IOException {
        return open(folder, LEAST_TO_PRUNE);
    }

    /**
     * Opens the log in {@code folder} for appending.
     *
     * @param leastToPrune size in bytes below which the log is not pruned
     */
    static SentLog open(Path folder, long leastToPrune) throws IOException {
        AtomicFiles.removeLeftovers(folder, FILE_NAME);
        long[] base = new long[1];
        AppendLog log = AppendLog.open(
                in(folder),
                TITLE,
                record -> base[0] += record[0] == BASE || record[0] == BASE_LINES ? record.length : 0,
                false);
        return new SentLog(folder, log, base[0], leastToPrune);
    }

    /**
     * Tells whether the log has reached {@link #leastToPrune} bytes and twice its base, so that much of it is about spends that the store has
     * forgotten or keeps in a shorter form.
     */
    boolean isWorthPruning() throws IOException {
        return log.length() >= Math.max(leastToPrune, 2 * base);
    }

    /** Returns the offset at which the next record begins, in bytes. */
    long end() throws IOException {
        return log.length();
    }

    /**
     * A log that is to replace this one.
     *
     * @param last the commit at which its base was read
     * @param from offset in the present log, in bytes, at which a record begins and which was its end before the base was read
     */
    record Successor(AppendLog log, CommitMark last, long from) {}

    /** Writes the successor beside the log in {@code folder}, on a thread other than the writer's. */
    static Successor successor(Path folder, CommitMark last, Base base, long from) throws IOException {
        AppendLog log = AppendLog.beside(in(folder), TITLE);
        try {
            writeBase(log, last, base);
            return new Successor(log, last, from);
        } catch (IOException | RuntimeException e) {
            log.discard();
            throw e;
        }
    }

    /** Copies the commits that the successor's base lacks into it, and continues in it. */
    void exchange(Successor successor) throws IOException {
        AppendLog next = successor.log();
        long nextBase = next.length();
        try {
            boolean[] newer = new boolean[1];
            log.readFrom(successor.from(), record -> {
                if (record[0] == COMMIT) {
                    newer[0] = ByteBuffer.wrap(record).getLong(1 + Long.BYTES)
                            > successor.last().number();
                }
                if (newer[0]) {
                    next.append(record);
                }
            });
            next.takePlaceOf(in(folder));
        } catch (IOException | RuntimeException e) {
            next.discard();
            // Not tried again before the log has doubled once more.
            base = log.length();
            throw e;
        }
        log.letGo();
        log = next;
        base = nextBase;
        isSafe();
        try {
            AtomicFiles.syncFolder(folder);
        } catch (IOException e) {
            forced = CompletableFuture.failedFuture(e);
        }
    }

    /** Receives the bytes of whole lines. */
    @FunctionalInterface
    interface LinesSink {
        void take(byte[] lines) throws IOException;
    }

    /** Writes the content of a store as lines. */
    @FunctionalInterface
    interface Base {
        void tell(LinesSink sink) throws IOException;
    }

    /** Creates or replaces the log in {@code folder} by one with this base, which was read at the commit {@code last}. */
    static void write(Path folder, CommitMark last, Base base) throws IOException {
        AppendLog.write(in(folder), TITLE, log -> writeBase(log, last, base));
    }

    private static void writeBase(AppendLog log, CommitMark last, Base base) throws IOException {
        log.append(record(BASE, ByteBuffer.wrap(HexFormat.of().parseHex(last.store())), mark(last)));
        base.tell(lines -> log.append(record(BASE_LINES, ByteBuffer.wrap(lines))));
    }

    private static ByteBuffer mark(CommitMark mark) {
        return ByteBuffer.allocate(MARK_BYTES)
                .putLong(mark.opening())
                .putLong(mark.number())
                .flip();
    }

    private static byte[] record(byte kind, ByteBuffer... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(kind);
        for (ByteBuffer part : parts) {
            out.write(part.array(), part.arrayOffset(), part.remaining());
        }
        return out.toByteArray();
    }

    /**
     * Appends a commit that is about to be made. It is on the disk when {@link #force} or {@link #join} has returned.
     *
     * @throws IOException when nothing was added; then nothing may be committed
     */
    void announce(CommitMark commit, Lines lines) throws IOException {
        repair();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (SentLine line : lines.lines) {
            all.writeBytes(SentLine.encode(line));
        }
        append(record(COMMIT, mark(commit), ByteBuffer.wrap(all.toByteArray())));
    }

    private void append(byte[] record) throws IOException {
        try {
            log.append(record);
            unforced.add(record);
        } catch (IOException e) {
            forced = CompletableFuture.failedFuture(e);
            throw e;
        }
    }

    /** Writes the unforced records once more after a failed force: the disk may have lost them although they can still be read. */
    private void repair() throws IOException {
        if (!forced.isCompletedExceptionally()) {
            return;
        }
        log.cutBack(safe);
        for (byte[] record : unforced) {
            log.append(record);
        }
        log.force();
        AtomicFiles.syncFolder(folder);
        isSafe();
        forced = CompletableFuture.completedFuture(null);
    }

    private void isSafe() throws IOException {
        unforced.clear();
        safe = log.length();
    }

    /** Starts forcing the announced commits to the disk. */
    void beginForce() {
        forced = CompletableFuture.runAsync(
                () -> {
                    try {
                        log.force();
                    } catch (IOException e) {
                        throw Causes.passedOn(e);
                    }
                },
                disk);
    }

    /** Forces the announced commits to the disk. */
    void force() throws IOException {
        beginForce();
        join();
    }

    private void join() throws IOException {
        Causes.join(forced, IOException::new);
        isSafe();
    }

    /**
     * Notes that the announced commit was made; when this returns it is on the disk in both files. The note itself is forced with the next
     * commit, whose higher number says the same if the note is lost.
     */
    void made() throws IOException {
        join();
        try {
            append(new byte[] {MADE});
        } catch (IOException e) {
            LOG.debug("{}: that a commit was made is not noted: {}", FILE_NAME, e.getMessage());
        }
    }

    @Override
    public void close() throws IOException {
        disk.shutdown();
        log.close();
    }
}
