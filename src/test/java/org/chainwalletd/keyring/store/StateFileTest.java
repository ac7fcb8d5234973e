package org.chainwalletd.keyring.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateFileTest {
    @TempDir
    Path folder;

    private Path file;
    private StateFile stateFile;
    private Random random;
    private KeyringView view;

    @BeforeEach
    void begin() {
        file = folder.resolve("state.json");
        stateFile = new StateFile(file);
        random = Seeded.random("state file");
        view = KeyringView.of(List.of(), 0, Map.of("other", "[1, 2]".getBytes()));
        stateFile.opened(view);
    }

    private KeyEntry entry() {
        OptionalLong index = random.nextInt(3) == 0 ? OptionalLong.of(view.nextIndex()) : OptionalLong.empty();
        Optional<String> label = random.nextInt(3) == 0 ? Optional.of("l\"ä\\ " + random.nextInt()) : Optional.empty();
        return new KeyEntry(
                Address.of(Seeded.bytes(random, 32)),
                Optional.of(PublicKey.of(new byte[32])),
                index,
                label,
                index.isEmpty() || random.nextBoolean());
    }

    private void add(int count) throws Exception {
        List<KeyEntry> added = new ArrayList<>();
        long next = view.nextIndex();
        for (int i = 0; i < count; i++) {
            KeyEntry entry = entry();
            if (entry.index().isPresent()) {
                entry = entry.withIndex(OptionalLong.of(next++));
            }
            added.add(entry);
        }
        view = view.grown(added, next);
        stateFile.write(view, true);
    }

    private void assertOnDisk() throws Exception {
        StateJson read = StateJson.parse(Files.readAllBytes(file));
        assertThat(read.nextIndex()).isEqualTo(view.nextIndex());
        assertThat(read.imported())
                .isEqualTo(view.entries().stream()
                        .filter(KeyEntry::imported)
                        .map(KeyEntry::address)
                        .toList());
        assertThat(read.derived().size()).isEqualTo((int) view.entries().stream()
                .filter(entry -> entry.index().isPresent())
                .count());
        for (KeyEntry entry : view.entries()) {
            assertThat(Optional.ofNullable(read.labels().get(entry.address()))).isEqualTo(entry.label());
            entry.index()
                    .ifPresent(index ->
                            assertThat(read.derived().get(entry.address())).isEqualTo(index));
        }
        assertThat(new String(read.unknownMembers().get("other"))).isEqualTo("[1,2]");
    }

    @Test
    void additions_of_any_size_to_any_size_read_back() throws Exception {
        for (int round = 0; round < 60 || view.size() <= StateFile.PREPARE_FROM; round++) {
            add(round % 9 == 8 ? 1 + random.nextInt(700) : 1 + random.nextInt(4));
            if (random.nextInt(4) > 0) {
                stateFile.prepare();
            }
            assertOnDisk();
        }
    }

    @Test
    void removals_between_additions_read_back() throws Exception {
        add(StateFile.PREPARE_FROM + 10);
        for (int round = 0; round < 10; round++) {
            stateFile.prepare();
            BitSet gone = new BitSet();
            gone.set(random.nextInt(view.size()));
            view = view.without(gone);
            stateFile.write(view, false);
            assertOnDisk();
            stateFile.prepare();
            add(2);
            assertOnDisk();
        }
    }

    @Test
    void a_small_change_of_a_large_file_writes_little() throws Exception {
        add(StateFile.PREPARE_FROM);
        stateFile.prepare();
        long prepared = temps().stream().mapToLong(StateFileTest::size).sum();
        assertThat(prepared).isGreaterThan(size(file));
        add(1);
        assertThat(size(file)).as("the prepared file became the file").isEqualTo(prepared);
        stateFile.prepare();
        stateFile.close();
        assertThat(temps()).isEmpty();
        assertOnDisk();
    }

    @Test
    void a_small_file_has_no_padding() throws Exception {
        view = KeyringView.of(List.of(), 0, Map.of());
        KeyEntry entry = new KeyEntry(
                Address.of(new byte[32]),
                Optional.of(PublicKey.of(new byte[32])),
                OptionalLong.empty(),
                Optional.of("é"),
                true);
        stateFile.write(view.grown(List.of(entry), 0), true);
        String zeros = "0".repeat(64);
        assertThat(Files.readString(file)).isEqualTo("""
                {
                "next_index": 0,
                "derived": {},
                "labels": {
                "%s": "é"},
                "imported": [
                "%s"]
                }
                """.formatted(zeros, zeros));
    }

    private List<Path> temps() throws Exception {
        try (var files = Files.newDirectoryStream(folder, ".*.tmp")) {
            List<Path> found = new ArrayList<>();
            files.forEach(found::add);
            return found;
        }
    }

    private static long size(Path path) {
        return path.toFile().length();
    }
}
