package org.chainwalletd.store.sql;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.chainwalletd.store.CommitMark;
import org.chainwalletd.store.StoreException;
import org.chainwalletd.store.files.AppendLog;

/**
 * Commits of a store that are recorded beside it: in {@code sent.log}, in the books, and in {@code store-id}, the file that older releases kept
 * instead of the log. A store that lacks any of these commits has lost payments.
 *
 * @param log last commits of the log; empty when there is no log
 * @param damage why the log cannot be read; empty when it can
 * @param marks the commits that were certainly made, by the name of the file that records them
 */
public record StoreMemory(Optional<SentLog.Known> log, Optional<String> damage, Map<String, CommitMark> marks) {
    public static final String EARLIER_FILE = "store-id";
    /** Name under which the commit recorded in the books is listed. */
    public static final String BOOKS = "books.db";

    private static final int SLOT = 64;
    private static final Pattern LINE = Pattern.compile("([0-9a-f]{32}) ([0-9a-f]{16}) ([am]) ([0-9a-f]{8})\n");
    private static final String ADVICE =
            ": payments are forgotten, and their client tokens would pay again, so nothing is spent. Put the newest copy"
                    + " back with its log (-wal); or, when it is lost, stop the daemon and run: chain-walletd --datadir ";

    /**
     * Reads the commits recorded beside the store in {@code folder}.
     *
     * @param books the last commit recorded in the books
     */
    public static StoreMemory of(Path folder, Optional<CommitMark> books) throws IOException {
        Map<String, CommitMark> marks = new LinkedHashMap<>();
        Optional<SentLog.Known> log = Optional.empty();
        Optional<String> damage = Optional.empty();
        try {
            log = SentLog.read(folder);
        } catch (AppendLog.RefusedException e) {
            damage = Optional.of(e.fault());
        }
        log.ifPresent(known -> marks.put(SentLog.FILE_NAME, known.certain()));
        if (log.isEmpty() && damage.isEmpty()) {
            earlier(folder).ifPresent(mark -> marks.put(EARLIER_FILE, mark));
        }
        books.ifPresent(mark -> marks.put(BOOKS, mark));
        return new StoreMemory(log, damage, marks);
    }

    /** Returns whether the log is that of one of several daemons, whose store is in a database. */
    public boolean isShared() {
        return log.flatMap(SentLog.Known::shared).isPresent();
    }

    boolean isEmpty() {
        return marks.isEmpty() && damage.isEmpty();
    }

    /** Returns why this store cannot be the recorded one; empty when it can. */
    public Optional<String> complaint(SqlSession session) throws SQLException {
        for (Map.Entry<String, CommitMark> mark : marks.entrySet()) {
            Optional<String> lacking = Commits.lacking(session, mark.getValue());
            if (lacking.isPresent()) {
                return Optional.of(lacking.get() + " (as " + mark.getKey() + " beside it tells)");
            }
        }
        if (damage.isPresent()) {
            return Optional.of("cannot be compared with what was sent: " + damage.get());
        }
        return log.isEmpty() && Commits.wasLogged(session)
                ? Optional.of("cannot be compared with what was sent: " + SentLog.FILE_NAME + " is not beside it")
                : Optional.empty();
    }

    /** Returns the operator message about a store with a complaint. */
    public static String stopped(Path store, String complaint) {
        return "the store " + store + " " + complaint + ADVICE + store.getParent() + " store restored";
    }

    /**
     * Reads the commit recorded in {@code store-id}: two slots of 64 bytes, written alternately, each with a checksum; the newest undamaged slot
     * counts.
     */
    private static Optional<CommitMark> earlier(Path folder) throws IOException {
        Path file = folder.resolve(EARLIER_FILE);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        byte[] bytes = Files.readAllBytes(file);
        List<Matcher> lines = new ArrayList<>();
        for (int from = 0; from < bytes.length; from += SLOT) {
            parse(Arrays.copyOfRange(bytes, from, Math.min(from + SLOT, bytes.length)))
                    .ifPresent(lines::add);
        }
        if (lines.isEmpty()) {
            throw StoreException.damaged(file
                    + " does not say which store belongs to this datadir; restore it from a backup, or move it away"
                    + " when " + SqliteStore.FILE_NAME + " was not replaced since");
        }
        Matcher newest = lines.stream()
                .max(Comparator.comparingLong(StoreMemory::commits).thenComparing(line -> line.group(3)))
                .orElseThrow();
        // A commit that was only announced may not have been made.
        long certain = newest.group(3).equals("m") ? commits(newest) : commits(newest) - 1;
        return Optional.of(new CommitMark(newest.group(1), CommitMark.BEFORE_OPENINGS, certain));
    }

    private static long commits(Matcher line) {
        return Long.parseUnsignedLong(line.group(2), 16);
    }

    private static Optional<Matcher> parse(byte[] slot) {
        String text = new String(slot, StandardCharsets.ISO_8859_1);
        Matcher line = LINE.matcher(text.stripTrailing() + "\n");
        return line.matches() && checksum(text.substring(0, line.end(3))).equals(line.group(4))
                ? Optional.of(line)
                : Optional.empty();
    }

    private static String checksum(String text) {
        CRC32 crc = new CRC32();
        crc.update(text.getBytes(StandardCharsets.ISO_8859_1));
        return String.format("%08x", crc.getValue());
    }
}
