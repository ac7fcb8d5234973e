package org.chainwalletd.store.sql;

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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.chainwalletd.stage.Causes;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.files.AppendLog;
import org.chainwalletd.store.files.AtomicFiles;
import org.chainwalletd.store.files.CrashPoint;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code <datadir>/sent.log}: log of the store's decisions since the log was created, kept beside the store, so that a store that was emptied, or
 * replaced by an older copy, is detected and can be completed ({@link StoreRestore}). A commit is appended before it is made and forced to disk in
 * parallel with it; nothing is reported or sent before both are on disk. A line that frees a coin, or permits other bytes for a token, is forced
 * first: the store never contains such a release that the log lacks.
 *
 * <p>An {@link AppendLog} of these records, numbers big-endian: {@code 1 ‖ store's id (16) ‖ opening (8) ‖ number (8)}, the commit at which the base
 * was read; {@code 2 ‖ lines}, the base: the content of the store at that commit; {@code 3 ‖ opening ‖ number ‖ lines}, a commit that is about to be
 * made; {@code 4}, the last commit was made. A commit that is followed neither by a record 4 nor by a higher number may or may not have been made; a
 * commit whose number occurs again was not made. Used by the store's writer, one call at a time.
 *
 * <p>If several daemons write the store, each has its own log, in which its commits are numbered without gaps although other daemons commit in
 * between. The records are
 * {@code 5 ‖ store's id ‖ random number of the commit (8) ‖ number in this log (8) ‖ number in the store (8) ‖ name of the log} instead of 1, and
 * {@code 6 ‖ random number ‖ number in this log ‖ number in the store ‖ lines} instead of 3.
 */
public final class SentLog implements AutoCloseable {
    public static final String FILE_NAME = "sent.log";

    private static final Logger LOG = LoggerFactory.getLogger(SentLog.class);

    private static final byte[] TITLE = "sent.log 1".getBytes(StandardCharsets.UTF_8);
    private static final byte BASE = 1;
    private static final byte BASE_LINES = 2;
    private static final byte COMMIT = 3;
    private static final byte MADE = 4;
    private static final byte SHARED_BASE = 5;
    private static final byte SHARED_COMMIT = 6;
    private static final int MARK_BYTES = 2 * Long.BYTES;
    private static final int ID_BYTES = 16;
    /** Size in bytes below which the log is not pruned: about 30,000 payments. */
    public static final long LEAST_TO_PRUNE = 16 * 1024 * 1024;

    private final Path folder;
    private final Optional<String> name;
    private final long leastToPrune;
    private AppendLog log;
    /** Number of the last commit in the log. */
    private long last;
    /** Whether the last commit was certainly made. */
    private boolean certain;
    /** Size of the base in bytes, as written when the log was created from the store. */
    private long base;

    private final ExecutorService disk = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "sent-log");
        thread.setDaemon(true);
        return thread;
    });
    private CompletableFuture<Void> forced = CompletableFuture.completedFuture(null);
    /** Records that may not be on disk yet; they follow the first {@link #forcedBytes} bytes, which are. */
    private final List<byte[]> unforced = new ArrayList<>();

    private long forcedBytes;
    private final AtomicReference<Successor> successor = new AtomicReference<>();
    private final AtomicBoolean pruningFailed = new AtomicBoolean();
    private boolean pruning;
    /** Number of the last commit when the pruning began; the successor must contain it. */
    private long prunedTo;
    /** Size in bytes from which the log is pruned again after a failure. */
    private long postponedTo;

    /** Whether the log must be rewritten because it lacks content that the store had before the log was created. */
    private boolean renewalDue;

    /** Whether the log had no base when it was opened. */
    private final boolean bare;

    private SentLog(Path folder, Reading reading, AppendLog log, long base, long leastToPrune) throws IOException {
        this.folder = folder;
        this.name = reading.shared.map(Shared::name);
        this.last = reading.last.number();
        this.certain = reading.certain.equals(reading.last);
        this.renewalDue = reading.lacksOne;
        this.bare = reading.bare;
        this.log = log;
        this.base = base;
        this.leastToPrune = leastToPrune;
        this.forcedBytes = log.length();
    }

    /** Lines of the commit being prepared; those of a rejected unit are undone with it. */
    public static final class Lines implements GroupCommitWriter.InMemory {
        private final List<SentLine> lines = new ArrayList<>();

        public void add(SentLine line) {
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

        boolean mustBeForcedFirst() {
            return lines.stream().anyMatch(SentLine::isForcedFirst);
        }
    }

    /**
     * Last commits of a log.
     *
     * @param last the last commit that was announced
     * @param certain the last commit that was certainly made: {@code last} or the one before it
     * @param shared present in the log of one of several daemons, with the number of {@code last} in the store
     */
    public record Known(CommitMark last, CommitMark certain, Optional<Shared> shared) {}

    /**
     * Position in a store that several daemons write.
     *
     * @param name of the daemon's log
     * @param number of a commit among those of all daemons
     */
    public record Shared(String name, long number) {}

    /** Receives the records of a log that contain lines, in order. */
    @FunctionalInterface
    public interface Records {
        /**
         * Receives the base or a commit.
         *
         * @param lines encoded, starting at the offset {@code from}
         */
        void record(CommitMark mark, Optional<Shared> shared, byte[] lines, int from) throws IOException;
    }

    /** Receives the lines of a log, in order. */
    interface Replay {
        /** Returns whether the lines of this commit, or of the base read at it, are wanted. Called for the base in any case. */
        boolean wants(CommitMark mark) throws IOException;

        void line(SentLine line) throws IOException;
    }

    public static Path in(Path folder) {
        return folder.resolve(FILE_NAME);
    }

    /**
     * Reads the last commits of the log in {@code folder} without changing it; empty when there is no log.
     *
     * @throws AppendLog.RefusedException when it is damaged
     */
    public static Optional<Known> read(Path folder) throws IOException {
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
        visit(folder, (mark, shared, lines, from) -> {
            if (replay.wants(mark)) {
                for (SentLine line : SentLine.decode(lines, from)) {
                    replay.line(line);
                }
            }
        });
    }

    /**
     * Passes the base and the commits to {@code records}, including the last announced commit, which may not have been made. The base is passed once
     * per record that it consists of, at least once.
     */
    public static void visit(Path folder, Records records) throws IOException {
        Reading reading = new Reading();
        byte[][] held = new byte[1][];
        AppendLog.read(in(folder), TITLE, record -> {
            CommitMark before = reading.last;
            Optional<Shared> sharedBefore = reading.shared;
            reading.record(record);
            boolean commit = isCommit(record);
            // A number that occurs again means that the previous commit was not made.
            if (held[0] != null && (record[0] == MADE || commit && reading.last.number() > before.number())) {
                records.record(before, sharedBefore, held[0], linesAt(held[0]));
            }
            held[0] = commit ? record : null;
            if (record[0] == BASE || record[0] == SHARED_BASE) {
                records.record(reading.last, reading.shared, record, record.length);
            } else if (record[0] == BASE_LINES) {
                records.record(reading.last, reading.shared, record, 1);
            }
        });
        if (held[0] != null) {
            records.record(reading.last, reading.shared, held[0], linesAt(held[0]));
        }
    }

    private static boolean isCommit(byte[] record) {
        return record[0] == COMMIT || record[0] == SHARED_COMMIT;
    }

    private static int linesAt(byte[] commit) {
        return 1 + MARK_BYTES + (commit[0] == SHARED_COMMIT ? Long.BYTES : 0);
    }

    /** Last commits among the records read so far. */
    private static final class Reading {
        private CommitMark last;
        private CommitMark certain;
        private Optional<Shared> shared = Optional.empty();
        /** Whether a number is missing, that of a commit whose record was lost with the power of the machine. */
        private boolean lacksOne;
        /** Whether the log has no base: it was begun without one, and was never rewritten. */
        private boolean bare = true;

        void record(byte[] record) throws IOException {
            ByteBuffer in = ByteBuffer.wrap(record);
            byte kind = in.hasRemaining() ? in.get() : 0;
            if (kind == BASE && record.length == 1 + ID_BYTES + MARK_BYTES && last == null) {
                last = base(in);
                certain = last;
            } else if (kind == SHARED_BASE && record.length > 1 + ID_BYTES + MARK_BYTES + Long.BYTES && last == null) {
                last = base(in);
                certain = last;
                long number = in.getLong();
                shared = Optional.of(
                        new Shared(StandardCharsets.UTF_8.decode(in.slice()).toString(), number));
            } else if (kind == COMMIT && record.length >= 1 + MARK_BYTES && last != null && shared.isEmpty()) {
                commit(in);
            } else if (kind == SHARED_COMMIT && record.length >= linesAt(record) && shared.isPresent()) {
                commit(in);
                shared = Optional.of(new Shared(shared.get().name(), in.getLong()));
            } else if (kind == MADE && last != null) {
                certain = last;
            } else if (kind == BASE_LINES && last != null) {
                bare = false;
            } else {
                throw new IOException("unknown kind of record: " + kind);
            }
        }

        private static CommitMark base(ByteBuffer in) {
            byte[] id = new byte[ID_BYTES];
            in.get(id);
            return new CommitMark(HexFormat.of().formatHex(id), in.getLong(), in.getLong());
        }

        private void commit(ByteBuffer in) {
            CommitMark next = new CommitMark(last.store(), in.getLong(), in.getLong());
            certain = next.number() > last.number() ? last : certain;
            lacksOne |= next.number() > last.number() + 1;
            last = next;
        }

        Optional<Known> known() {
            return Optional.ofNullable(last).map(mark -> new Known(mark, certain, shared));
        }
    }

    /** Opens the undamaged log in {@code folder} for appending. */
    static SentLog open(Path folder) throws IOException {
        return open(folder, LEAST_TO_PRUNE);
    }

    /**
     * Opens the log in {@code folder} for appending.
     *
     * @param leastToPrune size in bytes below which the log is not pruned
     */
    public static SentLog open(Path folder, long leastToPrune) throws IOException {
        AtomicFiles.removeLeftovers(folder, FILE_NAME);
        long[] base = new long[1];
        Reading reading = new Reading();
        AppendLog log = AppendLog.open(
                in(folder),
                TITLE,
                record -> {
                    reading.record(record);
                    base[0] += isCommit(record) || record[0] == MADE ? 0 : record.length;
                },
                false);
        return new SentLog(folder, reading, log, base[0], leastToPrune);
    }

    Path folder() {
        return folder;
    }

    /** Returns the name of the log, which only the log of one of several daemons has. */
    public Optional<String> name() {
        return name;
    }

    /** Returns whether the log, when it was opened, contained only commits that were made since it was begun. */
    public boolean isBare() {
        return bare;
    }

    /**
     * Returns whether the log has reached {@link #leastToPrune} bytes and twice its base, so that much of it concerns spends that the store has
     * forgotten or keeps in a shorter form.
     */
    private boolean isWorthPruning() throws IOException {
        long length = log.length();
        return length >= postponedTo && (renewalDue || length >= Math.max(leastToPrune, 2 * base));
    }

    /** Lets the log double, or grow by {@link #leastToPrune}, before it is pruned again: an attempt reads the whole store and may fill the disk. */
    private void postpone() throws IOException {
        postponedTo = log.length() + Math.max(1, Math.min(log.length(), leastToPrune));
    }

    /** Requests that the log be replaced soon by one whose base is the store's current content. */
    public void renew() {
        renewalDue = true;
    }

    /**
     * Log that is to replace this one.
     *
     * @param last the commit at which its base was read
     * @param from offset in bytes of a record boundary in the current log, which was its end before the base was read
     */
    public record Successor(AppendLog log, CommitMark last, long from) {}

    /** Writes the successor beside the log in {@code folder}, on a thread other than the writer's. */
    static Successor successor(Path folder, CommitMark last, Optional<Shared> shared, Base base, long from)
            throws IOException {
        AppendLog log = AppendLog.beside(in(folder), TITLE);
        try {
            writeBase(log, last, shared, base);
            return new Successor(log, last, from);
        } catch (IOException | RuntimeException | Error e) {
            log.discard();
            throw e;
        }
    }

    /** Replaces the log in {@code folder}, which must not be open, by a successor that lacks no commit. */
    public static void replace(Path folder, Successor successor) throws IOException {
        successor.log().renameTo(in(folder));
        successor.log().closeUnforced();
        AtomicFiles.syncFolder(folder);
    }

    /** Copies the commits that the successor's base lacks into it, and continues in it. */
    private void switchTo(Successor successor) throws IOException {
        AppendLog next = successor.log();
        long nextBase = next.length();
        try {
            if (successor.last().number() < prunedTo) {
                throw new IOException(
                        "the store had commit " + successor.last().number() + " when it was read, not yet " + prunedTo);
            }
            boolean[] newer = new boolean[1];
            log.readFrom(successor.from(), record -> {
                if (isCommit(record)) {
                    newer[0] = ByteBuffer.wrap(record).getLong(1 + Long.BYTES)
                            > successor.last().number();
                }
                if (newer[0]) {
                    next.append(record);
                }
            });
            next.renameTo(in(folder));
        } catch (IOException | RuntimeException e) {
            next.discard();
            postpone();
            throw e;
        }
        log.closeUnforced();
        log = next;
        base = nextBase;
        renewalDue = false;
        postponedTo = 0;
        markForced();
        try {
            AtomicFiles.syncFolder(folder);
        } catch (IOException e) {
            forced = CompletableFuture.failedFuture(e);
        }
    }

    /** Receives the bytes of whole lines. */
    @FunctionalInterface
    public interface LinesSink {
        void take(byte[] lines) throws IOException;
    }

    /** Writes the content of a store as lines. */
    @FunctionalInterface
    public interface Base {
        void writeTo(LinesSink sink) throws IOException;
    }

    /** Creates or replaces the log in {@code folder}; the new one has this base, which was read at the commit {@code last}. */
    public static void write(Path folder, CommitMark last, Optional<Shared> shared, Base base) throws IOException {
        AppendLog.write(in(folder), TITLE, log -> writeBase(log, last, shared, base));
    }

    private static void writeBase(AppendLog log, CommitMark last, Optional<Shared> shared, Base base)
            throws IOException {
        ByteBuffer id = ByteBuffer.wrap(HexFormat.of().parseHex(last.store()));
        log.append(
                shared.isEmpty()
                        ? record(BASE, id, mark(last))
                        : record(
                                SHARED_BASE,
                                id,
                                mark(last),
                                number(shared.get().number()),
                                ByteBuffer.wrap(shared.get().name().getBytes(StandardCharsets.UTF_8))));
        base.writeTo(lines -> log.append(record(BASE_LINES, ByteBuffer.wrap(lines))));
    }

    private static ByteBuffer mark(CommitMark mark) {
        return ByteBuffer.allocate(MARK_BYTES)
                .putLong(mark.opening())
                .putLong(mark.number())
                .flip();
    }

    private static ByteBuffer number(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).flip();
    }

    private static byte[] record(byte kind, ByteBuffer... parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(kind);
        for (ByteBuffer part : parts) {
            out.write(part.array(), part.arrayOffset(), part.remaining());
        }
        return out.toByteArray();
    }

    /** Appends a commit of a store that no other daemon writes, as {@link #announce(CommitMark, long, Lines)} does. */
    void announce(CommitMark commit, Lines lines) throws IOException {
        announce(commit, commit.number(), lines);
    }

    /**
     * Appends a commit that is about to be made. It is on disk when this returns if a line requires that, and otherwise when {@link #made} returns.
     *
     * @param number of the commit in a store that several daemons write
     * @throws IOException when nothing may be committed
     */
    public void announce(CommitMark commit, long number, Lines lines) throws IOException {
        repair();
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (SentLine line : lines.lines) {
            all.writeBytes(SentLine.encode(line));
        }
        ByteBuffer encoded = ByteBuffer.wrap(all.toByteArray());
        certain = false;
        last = commit.number();
        append(
                name.isEmpty()
                        ? record(COMMIT, mark(commit), encoded)
                        : record(SHARED_COMMIT, mark(commit), number(number), encoded));
        CrashPoint.STORE_LOGGED.reached();
        beginForce();
        if (lines.mustBeForcedFirst()) {
            join();
        }
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

    /** Rewrites the unforced records after a failed force: the disk may have lost them although they can still be read from the page cache. */
    private void repair() throws IOException {
        if (!forced.isCompletedExceptionally()) {
            return;
        }
        log.truncate(forcedBytes);
        for (byte[] record : unforced) {
            log.append(record);
        }
        log.force();
        AtomicFiles.syncFolder(folder);
        markForced();
        forced = CompletableFuture.completedFuture(null);
    }

    private void markForced() throws IOException {
        unforced.clear();
        forcedBytes = log.length();
    }

    private void beginForce() {
        forced = forced.thenRunAsync(
                () -> {
                    try {
                        log.force();
                    } catch (IOException e) {
                        throw Causes.passedOn(e);
                    }
                },
                disk);
    }

    private void join() throws IOException {
        Causes.join(forced, IOException::new);
        markForced();
    }

    /**
     * Thrown when a commit was made but its log record cannot be forced to disk: nothing that it decided may be sent before the record is durable.
     */
    public static final class UnloggedException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        UnloggedException(IOException cause) {
            super(FILE_NAME + " cannot be written: " + cause.getMessage(), cause);
        }
    }

    /**
     * Records that the announced commit was made; when this returns, the commit is on disk in both files. The record itself is forced with the next
     * commit, whose higher number implies the same if the record is lost.
     *
     * @throws UnloggedException when the log is not on disk
     */
    public void made() {
        try {
            join();
        } catch (IOException e) {
            throw new UnloggedException(e);
        }
        try {
            append(new byte[] {MADE});
            certain = true;
        } catch (IOException e) {
            LOG.debug("{}: cannot record that a commit was made: {}", FILE_NAME, e.getMessage());
        }
    }

    /**
     * Replaces the log, between two commits, by one that contains only what the store still keeps. Begins only when the last commit was made: the
     * store may show a commit in doubt, whose lines would not be copied, only after it was read.
     *
     * @param pruner writes a successor of the log on another thread and passes it to {@link #setSuccessor}, or calls {@link #pruningHasFailed}; receives
     *     the current end offset of the log
     */
    public void prune(LongConsumer pruner) {
        try {
            Successor ready = successor.getAndSet(null);
            if (ready != null) {
                pruning = false;
                switchTo(ready);
            } else if (pruningFailed.getAndSet(false)) {
                pruning = false;
                postpone();
            } else if (!pruning && certain && isWorthPruning()) {
                pruning = true;
                prunedTo = last;
                pruner.accept(log.length());
            }
        } catch (IOException | RuntimeException e) {
            LOG.warn("{} in {} cannot be pruned: {}", FILE_NAME, folder, e.getMessage());
        }
    }

    /** Replaces the log by {@code ready} at the next commit. */
    public void setSuccessor(Successor ready) {
        successor.set(ready);
    }

    /** Records that no successor could be written, so that a later one is tried. */
    public void pruningHasFailed() {
        pruningFailed.set(true);
    }

    /** Closes the log, and deletes a successor that has not replaced it yet. */
    @Override
    public void close() throws IOException {
        Successor ready = successor.getAndSet(null);
        if (ready != null) {
            ready.log().discard();
        }
        disk.shutdown();
        log.close();
    }
}
