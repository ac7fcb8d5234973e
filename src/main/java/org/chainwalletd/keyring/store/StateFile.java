package org.chainwalletd.keyring.store;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import org.chainwalletd.chain.Address;
import org.chainwalletd.store.files.PreparedFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes {@code state.json} completely, atomically and durably at every change: JSON of four members and any unknown ones, one entry per
 * line.
 *
 * <p>The file of a keyring with 100,000 keys has 7 MB. For large keyrings a temporary file with the next version is therefore written in
 * advance, between changes, with some white space after each member. A change that only adds then fills in a few lines, syncs and renames:
 * its cost does not grow with the keyring. Any other change writes a new file. Blocking; one caller at a time.
 */
public final class StateFile {
    private static final Logger LOG = LoggerFactory.getLogger(StateFile.class);
    /** Minimum number of entries for preparing; below it, writing the whole file costs about as much as one line. */
    public static final int PREPARE_FROM = 1_000;

    private static final int SLACK = 16 * 1024;
    private static final int INDEX_DIGITS = 10;
    private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private final Path file;
    private KeyringView content;
    private Successor successor;

    public StateFile(Path file) {
        this.file = file;
    }

    /** Sets the content on which the next change is based, and discards a file that was prepared from another one. */
    public synchronized void opened(KeyringView base) {
        content = base;
        close();
    }

    /**
     * Makes {@code next} the content of the file.
     *
     * @param onlyAdds whether {@code next} differs from the previous content only in appended keys and the next index
     */
    public synchronized void write(KeyringView next, boolean onlyAdds) throws IOException {
        Successor prepared = successor;
        successor = null;
        if (prepared == null || !publishPrepared(prepared, next, onlyAdds)) {
            try (PreparedFile whole = PreparedFile.of(file)) {
                new Successor(whole, 0).writeWhole(next);
                whole.publish();
            }
        }
        content = next;
    }

    private boolean publishPrepared(Successor prepared, KeyringView next, boolean onlyAdds) throws IOException {
        try (PreparedFile whole = prepared.target) {
            boolean complete = onlyAdds && prepared.append(next, content.size());
            if (complete) {
                whole.publish();
            }
            return complete;
        }
    }

    /** Prepares the next change of a large file. */
    public synchronized void prepare() throws IOException {
        if (content.size() < PREPARE_FROM || successor != null) {
            return;
        }
        PreparedFile whole = PreparedFile.of(file);
        try {
            Successor prepared = new Successor(whole, SLACK);
            prepared.writeWhole(content);
            whole.flush();
            successor = prepared;
        } finally {
            if (successor == null) {
                whole.close();
            }
        }
    }

    /** Discards the prepared file. */
    public synchronized void close() {
        if (successor != null) {
            Successor prepared = successor;
            successor = null;
            try {
                prepared.target.close();
            } catch (IOException e) {
                LOG.debug("a temp file of state.json stays until the next start: {}", e.getMessage());
            }
        }
    }

    /** Growing member: the offsets of its closing bracket and of the end of the space after it. */
    private static final class Member {
        private final char close;
        private long end;
        private long limit;
        private boolean empty = true;

        Member(char close) {
            this.close = close;
        }
    }

    private static final class Successor {
        private final PreparedFile target;
        private final int slack;
        private final Member derived = new Member('}');
        private final Member labels = new Member('}');
        private final Member imported = new Member(']');
        private long indexAt;

        private byte[] buffer = new byte[64 * 1024];
        private int used;
        private long flushed;

        Successor(PreparedFile target, int slack) {
            this.target = target;
            this.slack = slack;
        }

        void writeWhole(KeyringView view) throws IOException {
            ascii("{\n\"next_index\": ");
            indexAt = flushed + used;
            ascii(index(view.nextIndex()));
            for (Map.Entry<String, byte[]> unknown : view.unknownMembers().entrySet()) {
                ascii(",\n\"");
                bytes(escaped(unknown.getKey()));
                ascii("\": ");
                bytes(unknown.getValue());
            }
            whole("derived\": {", derived, view);
            whole("labels\": {", labels, view);
            whole("imported\": [", imported, view);
            ascii("\n}\n");
            flush();
            buffer = null;
        }

        /** Fills in the rows from {@code from} on. Returns false when they do not fit; this successor must then be discarded. */
        boolean append(KeyringView view, int from) throws IOException {
            buffer = new byte[1024];
            patch(indexAt, index(view.nextIndex()));
            return patch(derived, view, from) && patch(labels, view, from) && patch(imported, view, from);
        }

        private boolean patch(Member member, KeyringView view, int from) throws IOException {
            lines(member, view, from);
            if (used == 0) {
                return true;
            }
            if (member.end + used + 1 > member.limit) {
                return false;
            }
            ascii(Character.toString(member.close));
            target.write(member.end, buffer, used);
            member.end += used - 1;
            used = 0;
            return true;
        }

        private void patch(long at, String text) throws IOException {
            byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
            target.write(at, bytes, bytes.length);
        }

        /** Formats the index; with slack, padded to the maximum width so that it can be replaced in place. */
        private String index(long nextIndex) {
            String digits = Long.toString(nextIndex);
            return slack == 0 ? digits : digits + " ".repeat(INDEX_DIGITS - digits.length());
        }

        private void whole(String opening, Member member, KeyringView view) throws IOException {
            ascii(",\n\"" + opening);
            lines(member, view, 0);
            member.end = flushed + used;
            ascii(Character.toString(member.close));
            ascii(" ".repeat(slack));
            member.limit = flushed + used;
        }

        /** Appends the rows of {@code view} from {@code from} on that belong to {@code member}. */
        private void lines(Member member, KeyringView view, int from) throws IOException {
            KeyColumns columns = view.columns();
            for (int row = from; row < view.size(); row++) {
                if (member == derived && columns.isDerived(row)) {
                    address(member, columns, row);
                    ascii("\": " + columns.index(row));
                } else if (member == labels && columns.isLabelled(row)) {
                    address(member, columns, row);
                    ascii("\": \"");
                    bytes(escaped(columns.label(row)));
                    ascii("\"");
                } else if (member == imported && columns.isImported(row)) {
                    address(member, columns, row);
                    ascii("\"");
                }
            }
        }

        private void address(Member member, KeyColumns columns, int row) throws IOException {
            ascii(member.empty ? "\n\"" : ",\n\"");
            member.empty = false;
            room(2 * Address.LENGTH);
            byte[] records = columns.records();
            int from = row * KeyColumns.RECORD;
            for (int at = from; at < from + Address.LENGTH; at++) {
                buffer[used++] = HEX[records[at] >> 4 & 0xf];
                buffer[used++] = HEX[records[at] & 0xf];
            }
        }

        private static byte[] escaped(String text) {
            return JsonStringEncoder.getInstance().quoteAsUTF8(text);
        }

        @SuppressWarnings("deprecation") // the one way to copy ASCII text without an array per call
        private void ascii(String text) throws IOException {
            room(text.length());
            text.getBytes(0, text.length(), buffer, used);
            used += text.length();
        }

        private void bytes(byte[] utf8) throws IOException {
            room(utf8.length);
            System.arraycopy(utf8, 0, buffer, used, utf8.length);
            used += utf8.length;
        }

        /** Makes room in the buffer: flushes it while the whole file is written, and enlarges it for a patch. */
        private void room(int length) throws IOException {
            if (used + length <= buffer.length) {
                return;
            }
            if (indexAt == 0 || imported.limit == 0) {
                flush();
            }
            if (used + length > buffer.length) {
                buffer = Arrays.copyOf(buffer, Math.max(2 * buffer.length, used + length));
            }
        }

        private void flush() throws IOException {
            target.write(flushed, buffer, used);
            flushed += used;
            used = 0;
        }
    }
}
