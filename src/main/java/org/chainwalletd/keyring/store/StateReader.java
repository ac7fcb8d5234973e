package org.chainwalletd.keyring.store;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.chainwalletd.chain.Address;

/** Combines the entries of {@code state.json} with the known public keys. */
public final class StateReader {
    private StateReader() {}

    /** @throws IOException when {@code json} is not such a file; the message says where */
    public static KeyringView read(byte[] json, PublicKeyFiles.Found keys) throws IOException {
        Optional<KeyringView> plain = StateScanner.scan(json, keys);
        return plain.isPresent() ? plain.get() : parsed(json, keys);
    }

    /** Reads any valid file with a JSON parser. */
    public static KeyringView parsed(byte[] json, PublicKeyFiles.Found keys) throws IOException {
        StateJson state = StateJson.parse(json);
        Set<Address> alone = new HashSet<>(state.imported());
        List<KeyEntry> entries = new ArrayList<>(state.derived().size() + alone.size());
        state.derived().entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.naturalOrder()))
                .forEach(derived -> entries.add(entry(
                        state,
                        keys,
                        derived.getKey(),
                        OptionalLong.of(derived.getValue()),
                        alone.contains(derived.getKey()))));
        for (Address address : state.imported()) {
            if (!state.derived().containsKey(address)) {
                entries.add(entry(state, keys, address, OptionalLong.empty(), true));
            }
        }
        return KeyringView.of(entries, state.nextIndex(), state.unknownMembers());
    }

    private static KeyEntry entry(
            StateJson state, PublicKeyFiles.Found keys, Address address, OptionalLong index, boolean imported) {
        return new KeyEntry(
                address,
                keys.of(address),
                index,
                Optional.ofNullable(state.labels().get(address)),
                imported);
    }

    /**
     * Reads the plain form of {@code state.json} several times faster than a JSON parser in a freshly started JVM: known members in any
     * order, 1:1 keys only, labels without escapes. Creates no strings and decodes addresses in place. Leaves every other file, valid or
     * not, to {@link StateJson}, which decides about it.
     */
    static final class StateScanner {
        private static final int HEX_LENGTH = 2 * Address.LENGTH;
        private static final int MAX_INDEX_DIGITS = 10;
        private static final String EVM_KEY = '"' + EvmKeyRecord.MEMBER + '"';
        private static final byte[] NIBBLES = nibbles();

        private final byte[] json;
        private final PublicKeyFiles.Found keys;
        private int at;

        private long nextIndex = -1;
        private boolean derivedSeen;
        private byte[] records;
        private int rows = -1;
        private byte[] labelled;
        private int[] labelEnds;
        private int labels = -1;
        private Map<String, byte[]> others = Map.of();

        private StateScanner(byte[] json, PublicKeyFiles.Found keys) {
            this.json = json;
            this.keys = keys;
        }

        /** Empty for a file that is not of the plain form. */
        static Optional<KeyringView> scan(byte[] json, PublicKeyFiles.Found keys) {
            try {
                return Optional.of(new StateScanner(json, keys).view());
            } catch (NotPlain e) {
                return Optional.empty();
            }
        }

        private static final class NotPlain extends RuntimeException {
            private static final long serialVersionUID = 1;
            private static final NotPlain IT = new NotPlain();

            private NotPlain() {
                super(null, null, false, false);
            }
        }

        private KeyringView view() {
            expect('{');
            do {
                member();
            } while (next(','));
            expect('}');
            skipSpace();
            require(at == json.length && rows >= 0 && labels >= 0 && derivedSeen && nextIndex >= 0);
            AddressIndex index = AddressIndex.of(records, rows);
            require(index.size() == rows);
            return new KeyringView(
                    KeyColumns.imported(records, rows, keys, json, labelSpans(index)), rows, nextIndex, others);
        }

        private void member() {
            skipSpace();
            if (name("\"next_index\"")) {
                require(nextIndex < 0);
                nextIndex = number();
            } else if (name("\"derived\"")) {
                require(!derivedSeen);
                derivedSeen = true;
                expect('{');
                expect('}');
            } else if (name("\"labels\"")) {
                require(labels < 0);
                labels();
            } else if (name(EVM_KEY)) {
                require(others.isEmpty());
                others = Map.of(EvmKeyRecord.MEMBER, flatObject());
            } else {
                require(name("\"imported\"") && rows < 0);
                imported();
            }
        }

        /** Returns the text of an object without nested objects, arrays or escapes; the reader of the member validates it. */
        private byte[] flatObject() {
            skipSpace();
            int from = at;
            expect('{');
            while (at < json.length && json[at] != '}') {
                require(json[at] != '{' && json[at] != '[' && json[at] != '\\');
                at++;
            }
            expect('}');
            return Arrays.copyOfRange(json, from, at);
        }

        private boolean name(String quoted) {
            int length = quoted.length();
            if (at + length > json.length) {
                return false;
            }
            for (int i = 0; i < length; i++) {
                if (json[at + i] != quoted.charAt(i)) {
                    return false;
                }
            }
            at += length;
            expect(':');
            return true;
        }

        private long number() {
            skipSpace();
            int from = at;
            long value = 0;
            while (at < json.length && json[at] >= '0' && json[at] <= '9' && at - from <= MAX_INDEX_DIGITS) {
                value = 10 * value + json[at++] - '0';
            }
            boolean plain = at > from && (json[from] != '0' || at == from + 1);
            require(plain && value <= StateJson.MAX_U32);
            return value;
        }

        private void imported() {
            expect('[');
            rows = 0;
            records = new byte[Math.max(1, json.length / (HEX_LENGTH + 2)) * KeyColumns.RECORD];
            if (next(']')) {
                return;
            }
            do {
                address(records, rows * KeyColumns.RECORD);
                rows++;
            } while (next(','));
            expect(']');
        }

        /** Records each label's address and the offsets of its text. */
        private void labels() {
            expect('{');
            labels = 0;
            labelled = new byte[KeyColumns.RECORD];
            labelEnds = new int[2];
            if (next('}')) {
                return;
            }
            do {
                if (2 * labels == labelEnds.length) {
                    labelled = Arrays.copyOf(labelled, 2 * labelled.length);
                    labelEnds = Arrays.copyOf(labelEnds, 2 * labelEnds.length);
                }
                address(labelled, labels * KeyColumns.RECORD);
                expect(':');
                expect('"');
                labelEnds[2 * labels] = at;
                text();
                labelEnds[2 * labels + 1] = at - 1;
                labels++;
            } while (next(','));
            expect('}');
        }

        /** Skips the rest of a string, including the closing quote. */
        private void text() {
            int from = at;
            boolean ascii = true;
            while (at < json.length && json[at] != '"') {
                require(json[at] != '\\' && (json[at] < 0 || json[at] >= ' '));
                ascii &= json[at++] > 0;
            }
            require(at < json.length && (ascii || isUtf8(from, at)));
            at++;
        }

        private boolean isUtf8(int from, int to) {
            byte[] text = Arrays.copyOfRange(json, from, to);
            return Arrays.equals(new String(text, StandardCharsets.UTF_8).getBytes(StandardCharsets.UTF_8), text);
        }

        /** Start and end offset of each row's label; both 0 without a label. */
        private int[] labelSpans(AddressIndex index) {
            int[] spans = new int[2 * rows];
            for (int i = 0; i < labels; i++) {
                int row = index.find(records, labelled, i * KeyColumns.RECORD);
                if (row >= 0) {
                    require(spans[2 * row] == 0);
                    spans[2 * row] = labelEnds[2 * i];
                    spans[2 * row + 1] = labelEnds[2 * i + 1];
                }
            }
            require(AddressIndex.of(labelled, labels).size() == labels);
            return spans;
        }

        private void address(byte[] target, int to) {
            expect('"');
            require(at + HEX_LENGTH < json.length && to + KeyColumns.RECORD <= target.length);
            int from = at;
            int wrong = 0;
            for (int i = 0; i < Address.LENGTH; i++) {
                int high = NIBBLES[json[from + 2 * i] & 0xff];
                int low = NIBBLES[json[from + 2 * i + 1] & 0xff];
                wrong |= high | low;
                target[to + i] = (byte) (high << 4 | low);
            }
            at += HEX_LENGTH;
            require(wrong >= 0 && json[at++] == '"');
        }

        private void expect(char wanted) {
            require(next(wanted));
        }

        private boolean next(char wanted) {
            skipSpace();
            if (at < json.length && json[at] == wanted) {
                at++;
                return true;
            }
            return false;
        }

        private void skipSpace() {
            while (at < json.length && (json[at] == ' ' || json[at] == '\n' || json[at] == '\r' || json[at] == '\t')) {
                at++;
            }
        }

        private static void require(boolean plain) {
            if (!plain) {
                throw NotPlain.IT;
            }
        }

        private static byte[] nibbles() {
            byte[] nibbles = new byte[256];
            Arrays.fill(nibbles, (byte) -1);
            for (int digit = 0; digit < 16; digit++) {
                nibbles[Character.forDigit(digit, 16)] = (byte) digit;
                nibbles[Character.toUpperCase(Character.forDigit(digit, 16))] = (byte) digit;
            }
            return nibbles;
        }
    }
}
