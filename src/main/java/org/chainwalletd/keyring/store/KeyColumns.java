package org.chainwalletd.keyring.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;

/**
 * Column store of the public parts of many keys, one row per key: about 75 bytes per key plus its label, in arrays that are read from a
 * file as they are. {@link KeyEntry} objects are created on demand.
 *
 * <p>The owner keeps the number of rows. Its rows are never modified; the space after them may be, so that appending costs only the added
 * rows.
 */
public final class KeyColumns {
    /** Length of a record: an address followed by a public key. */
    public static final int RECORD = Address.LENGTH + PublicKey.LENGTH;

    private static final int IMPORTED = 1;
    private static final int DERIVED = 2;
    private static final int WITH_PUBLIC_KEY = 4;
    private static final int LABELLED = 8;
    private static final int BYTES_PER_ROW = RECORD + Byte.BYTES + 2 * Integer.BYTES;

    private final byte[] records;
    private final byte[] kinds;
    /** Indexes of legacy HD keys, u32. */
    private final int[] indexes;
    /** End offset of each row's label; the labels are concatenated, in UTF-8. */
    private final int[] labelEnds;

    private final byte[] labels;

    private KeyColumns(byte[] records, byte[] kinds, int[] indexes, int[] labelEnds, byte[] labels) {
        this.records = records;
        this.kinds = kinds;
        this.indexes = indexes;
        this.labelEnds = labelEnds;
        this.labels = labels;
    }

    static KeyColumns empty() {
        return new KeyColumns(new byte[0], new byte[0], new int[0], new int[0], new byte[0]);
    }

    /**
     * Creates the columns of 1:1 keys whose addresses are known.
     *
     * @param records addresses, each followed by space for its public key; filled in here
     * @param keys known public keys
     * @param text UTF-8 text that contains all labels
     * @param labels start and end offset of each row's label in {@code text}; both 0 for a row without label
     */
    static KeyColumns imported(byte[] records, int rows, PublicKeyFiles.Found keys, byte[] text, int[] labels) {
        byte[] kinds = new byte[rows];
        int[] labelEnds = new int[rows];
        int end = 0;
        for (int row = 0; row < rows; row++) {
            kinds[row] = (byte) (IMPORTED
                    | (keys.copyTo(records, row * RECORD) ? WITH_PUBLIC_KEY : 0)
                    | (labels[2 * row] > 0 ? LABELLED : 0));
            end += labels[2 * row + 1] - labels[2 * row];
            labelEnds[row] = end;
        }
        byte[] packed = new byte[end];
        for (int row = 0, to = 0; row < rows; to = labelEnds[row++]) {
            System.arraycopy(text, labels[2 * row], packed, to, labelEnds[row] - to);
        }
        return new KeyColumns(Arrays.copyOf(records, rows * RECORD), kinds, new int[rows], labelEnds, packed);
    }

    /** Records of address and public key; must not be modified. */
    public byte[] records() {
        return records;
    }

    Address address(int row) {
        return Address.of(Arrays.copyOfRange(records, row * RECORD, row * RECORD + Address.LENGTH));
    }

    boolean isAt(int row, byte[] address) {
        int at = row * RECORD;
        return records[at] == address[0] && Arrays.equals(records, at, at + Address.LENGTH, address, 0, Address.LENGTH);
    }

    boolean isImported(int row) {
        return (kinds[row] & IMPORTED) != 0;
    }

    boolean isDerived(int row) {
        return (kinds[row] & DERIVED) != 0;
    }

    boolean hasPublicKey(int row) {
        return (kinds[row] & WITH_PUBLIC_KEY) != 0;
    }

    boolean isLabelled(int row) {
        return (kinds[row] & LABELLED) != 0;
    }

    boolean anyDerived(int rows) {
        return !all(rows, DERIVED, 0);
    }

    boolean allPublicKeys(int rows) {
        return all(rows, WITH_PUBLIC_KEY, WITH_PUBLIC_KEY);
    }

    private boolean all(int rows, int kind, int expected) {
        for (int row = 0; row < rows; row++) {
            if ((kinds[row] & kind) != expected) {
                return false;
            }
        }
        return true;
    }

    long index(int row) {
        return Integer.toUnsignedLong(indexes[row]);
    }

    String label(int row) {
        int from = labelStart(row);
        return new String(labels, from, labelEnds[row] - from, StandardCharsets.UTF_8);
    }

    private int labelStart(int row) {
        return row == 0 ? 0 : labelEnds[row - 1];
    }

    KeyEntry entry(int row) {
        int key = row * RECORD + Address.LENGTH;
        return new KeyEntry(
                address(row),
                hasPublicKey(row)
                        ? Optional.of(PublicKey.of(Arrays.copyOfRange(records, key, key + PublicKey.LENGTH)))
                        : Optional.empty(),
                isDerived(row) ? OptionalLong.of(index(row)) : OptionalLong.empty(),
                isLabelled(row) ? Optional.of(label(row)) : Optional.empty(),
                isImported(row));
    }

    /** Returns columns with {@code added} after the first {@code rows}: this object if they fit, otherwise larger copies. */
    KeyColumns with(int rows, List<KeyEntry> added) {
        byte[][] texts = new byte[added.size()][];
        int labelBytes = 0;
        for (int i = 0; i < texts.length; i++) {
            texts[i] = added.get(i).label().orElse("").getBytes(StandardCharsets.UTF_8);
            labelBytes += texts[i].length;
        }
        KeyColumns target = roomFor(rows, added.size(), labelBytes);
        for (int i = 0; i < texts.length; i++) {
            target.put(rows + i, added.get(i), texts[i]);
        }
        return target;
    }

    private KeyColumns roomFor(int rows, int more, int moreLabelBytes) {
        int labelBytes = rows == 0 ? 0 : labelEnds[rows - 1];
        boolean rowsFit = rows + more <= kinds.length;
        boolean labelsFit = labelBytes + moreLabelBytes <= labels.length;
        if (rowsFit && labelsFit) {
            return this;
        }
        byte[] newLabels = labelsFit ? labels : Arrays.copyOf(labels, larger(labelBytes, moreLabelBytes));
        if (rowsFit) {
            return new KeyColumns(records, kinds, indexes, labelEnds, newLabels);
        }
        int capacity = larger(rows, more);
        return new KeyColumns(
                Arrays.copyOf(records, capacity * RECORD),
                Arrays.copyOf(kinds, capacity),
                Arrays.copyOf(indexes, capacity),
                Arrays.copyOf(labelEnds, capacity),
                newLabels);
    }

    private static int larger(int size, int more) {
        return Math.max(size + more, size + (size >> 1) + 16);
    }

    private void put(int row, KeyEntry entry, byte[] label) {
        putLabel(row, label);
        putKey(row, entry);
        kinds[row] |= entry.label().isPresent() ? LABELLED : 0;
    }

    private void putLabel(int row, byte[] label) {
        int at = labelStart(row);
        System.arraycopy(label, 0, labels, at, label.length);
        labelEnds[row] = at + label.length;
    }

    private void putKey(int row, KeyEntry entry) {
        System.arraycopy(entry.address().toArray(), 0, records, row * RECORD, Address.LENGTH);
        entry.publicKey()
                .ifPresent(key ->
                        System.arraycopy(key.toArray(), 0, records, row * RECORD + Address.LENGTH, PublicKey.LENGTH));
        indexes[row] = (int) entry.index().orElse(0);
        kinds[row] = (byte) ((entry.imported() ? IMPORTED : 0)
                | (entry.index().isPresent() ? DERIVED : 0)
                | (entry.publicKey().isPresent() ? WITH_PUBLIC_KEY : 0));
    }

    /** Returns a copy of the first {@code rows} with some labels changed; an empty one removes the label. */
    KeyColumns labelled(int rows, Map<Integer, Optional<String>> changed) {
        Map<Integer, byte[]> texts = new HashMap<>();
        int room = rows == 0 ? 0 : labelEnds[rows - 1];
        for (Map.Entry<Integer, Optional<String>> label : changed.entrySet()) {
            byte[] text = label.getValue().orElse("").getBytes(StandardCharsets.UTF_8);
            texts.put(label.getKey(), text);
            room += text.length;
        }
        KeyColumns copy = new KeyColumns(
                Arrays.copyOf(records, rows * RECORD),
                Arrays.copyOf(kinds, rows),
                Arrays.copyOf(indexes, rows),
                new int[rows],
                new byte[room]);
        for (int row = 0; row < rows; row++) {
            byte[] text = texts.get(row);
            copy.putLabel(row, text == null ? Arrays.copyOfRange(labels, labelStart(row), labelEnds[row]) : text);
        }
        changed.forEach((row, label) -> copy.kinds[row] =
                (byte) (label.isPresent() ? copy.kinds[row] | LABELLED : copy.kinds[row] & ~LABELLED));
        return copy;
    }

    /** Returns a copy of the first {@code rows} with some entries replaced by others of the same addresses; labels stay unchanged. */
    KeyColumns replaced(int rows, Map<Integer, KeyEntry> replacements) {
        KeyColumns copy = new KeyColumns(
                Arrays.copyOf(records, rows * RECORD),
                Arrays.copyOf(kinds, rows),
                Arrays.copyOf(indexes, rows),
                Arrays.copyOf(labelEnds, rows),
                Arrays.copyOf(labels, rows == 0 ? 0 : labelEnds[rows - 1]));
        replacements.forEach((row, entry) -> {
            copy.putKey(row, entry);
            copy.kinds[row] |= (byte) (kinds[row] & LABELLED);
        });
        return copy;
    }

    /** Returns a copy of the first {@code rows} without the rows in {@code gone}. */
    KeyColumns without(int rows, BitSet gone) {
        int kept = rows - gone.cardinality();
        KeyColumns copy = new KeyColumns(
                new byte[kept * RECORD], new byte[kept], new int[kept], new int[kept], new byte[labels.length]);
        int to = 0;
        for (int row = gone.nextClearBit(0); row < rows; row = gone.nextClearBit(row + 1)) {
            copy.take(to++, this, row);
        }
        return copy;
    }

    private void take(int row, KeyColumns source, int from) {
        System.arraycopy(source.records, from * RECORD, records, row * RECORD, RECORD);
        kinds[row] = source.kinds[from];
        indexes[row] = source.indexes[from];
        int at = labelStart(row);
        int length = source.labelEnds[from] - source.labelStart(from);
        System.arraycopy(source.labels, source.labelStart(from), labels, at, length);
        labelEnds[row] = at + length;
    }

    /** Number of bytes that {@link #writeTo} writes. */
    int writtenLength(int rows) {
        return rows * BYTES_PER_ROW + Integer.BYTES + (rows == 0 ? 0 : labelEnds[rows - 1]);
    }

    /** Writes column by column: records, kinds, indexes, label ends, length of all labels, labels. */
    void writeTo(ByteBuffer target, int rows) {
        int labelBytes = rows == 0 ? 0 : labelEnds[rows - 1];
        target.put(records, 0, rows * RECORD).put(kinds, 0, rows);
        target.asIntBuffer().put(indexes, 0, rows).put(labelEnds, 0, rows).put(labelBytes);
        target.position(target.position() + (2 * rows + 1) * Integer.BYTES);
        target.put(labels, 0, labelBytes);
    }

    /**
     * Reads the format of {@link #writeTo}.
     *
     * @throws IOException when {@code source} does not hold {@code rows} rows
     */
    static KeyColumns readFrom(CheckedInput source, int rows) throws IOException {
        if (rows < 0 || (long) rows * BYTES_PER_ROW > source.left()) {
            throw new IOException("there are no " + rows + " keys in it");
        }
        byte[] records = source.bytes((long) rows * RECORD);
        byte[] kinds = source.bytes(rows);
        int[] indexes = source.ints(rows);
        int[] labelEnds = source.ints(rows);
        byte[] labels = source.bytes(source.nextInt());
        if (labels.length != lastOf(labelEnds)) {
            throw new IOException("its labels are not those of its keys");
        }
        return new KeyColumns(records, kinds, indexes, labelEnds, labels);
    }

    /** Returns the last label's end, or -1 when the ends are not in ascending order. */
    private static int lastOf(int[] labelEnds) {
        int last = 0;
        for (int end : labelEnds) {
            if (end < last) {
                return -1;
            }
            last = end;
        }
        return last;
    }
}
