package org.chainwalletd.keyring.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.PublicKey;
import org.chainwalletd.keyring.store.StateReader.StateScanner;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The fast scanner returns the same as the parser, or nothing. */
class StateScannerTest {
    private static final String A = "a1".repeat(32);
    private static final String B = "B2".repeat(32);

    @TempDir
    Path folder;

    private final Random random = Seeded.random("state scanner");
    private PublicKeyFiles.Found keys;

    @BeforeEach
    void begin() throws Exception {
        keys = known(List.of());
    }

    private PublicKeyFiles.Found known(List<KeyEntry> entries) throws IOException {
        PublicKeyFiles files = new PublicKeyFiles(folder.resolve("pubkeys"));
        files.add(entries);
        return files.load();
    }

    private Optional<KeyringView> scan(byte[] json) {
        Optional<KeyringView> scanned = StateScanner.scan(json, keys);
        scanned.ifPresent(view -> {
            try {
                KeyringView parsed = StateReader.parsed(json, keys);
                assertThat(view.entries()).isEqualTo(parsed.entries());
                assertThat(view.nextIndex()).isEqualTo(parsed.nextIndex());
                assertThat(view.unknownMembers()).isEqualTo(parsed.unknownMembers());
            } catch (IOException e) {
                fail("scanned but not parsed: " + new String(json, StandardCharsets.UTF_8), e);
            }
        });
        return scanned;
    }

    private boolean isScanned(String json) {
        return scan(json.getBytes(StandardCharsets.UTF_8)).isPresent();
    }

    private static String state(String nextIndex, String derived, String labels, String imported) {
        return "{\"next_index\":" + nextIndex + ",\"derived\":" + derived + ",\"labels\":" + labels + ",\"imported\":"
                + imported + "}";
    }

    @Test
    void what_this_daemon_writes_for_one_to_one_keys_is_scanned() throws Exception {
        List<KeyEntry> entries = new ArrayList<>();
        for (int i = 0; i < 1_200; i++) {
            entries.add(new KeyEntry(
                    Address.of(Seeded.bytes(random, 32)),
                    i % 5 == 0 ? Optional.empty() : Optional.of(PublicKey.of(Seeded.bytes(random, 32))),
                    OptionalLong.empty(),
                    i % 3 == 0 ? Optional.of(i % 2 == 0 ? "" : "häuser 😀 " + i) : Optional.empty(),
                    true));
        }
        keys = known(
                entries.stream().filter(entry -> entry.publicKey().isPresent()).toList());
        StateFile file = new StateFile(folder.resolve("state.json"));
        KeyringView written = KeyringView.of(entries.subList(0, 1_199), 7, Map.of());
        file.write(written, false);
        assertThat(scan(Files.readAllBytes(folder.resolve("state.json")))
                        .orElseThrow()
                        .entries())
                .isEqualTo(entries.subList(0, 1_199));
        file.prepare();
        file.write(written.grown(entries.subList(1_199, 1_200), 7), true);
        assertThat(scan(Files.readAllBytes(folder.resolve("state.json")))
                        .orElseThrow()
                        .entries())
                .as("with white space for the next change")
                .isEqualTo(entries);
    }

    @Test
    void plain_states_are_scanned_and_all_others_left_to_the_parser() {
        assertThat(isScanned(state("0", "{}", "{}", "[]"))).isTrue();
        assertThat(isScanned(" {\n\"imported\" :\t[ \"" + A + "\" , \"" + B + "\" ] ,\"labels\": { \"" + B
                        + "\" : \"x\" }, \"next_index\":4294967295 , \"derived\":{ } }\r\n"))
                .isTrue();
        assertThat(isScanned(state("0", "{}", "{\"" + A + "\":\"of no listed key\"}", "[]")))
                .isTrue();
        for (String other : new String[] {
            "",
            "{}",
            "[]",
            state("4294967296", "{}", "{}", "[]"),
            state("00", "{}", "{}", "[]"),
            state("-1", "{}", "{}", "[]"),
            state("1.0", "{}", "{}", "[]"),
            state("1e3", "{}", "{}", "[]"),
            state("99999999999999999999999", "{}", "{}", "[]"),
            state("0", "{\"" + A + "\":0}", "{}", "[]"),
            state("0", "{}", "{\"" + A + "\":null}", "[]"),
            state("0", "{}", "{\"" + A + "\":\"\\u0041\"}", "[]"),
            state("0", "{}", "{\"" + A + "\":\"a\tb\"}", "[]"),
            state("0", "{}", "{\"" + A + "\":\"1\",\"" + A + "\":\"2\"}", "[\"" + A + "\"]"),
            state("0", "{}", "{\"" + A + "\":\"\",\"" + A + "\":\"\"}", "[]"),
            state("0", "{}", "{}", "[\"" + A + "\",\"" + A + "\"]"),
            state("0", "{}", "{}", "[\"" + A + "\",]"),
            state("0", "{}", "{}", "[\"" + A.substring(1) + "\"]"),
            state("0", "{}", "{}", "[\"" + A + "0\"]"),
            state("0", "{}", "{}", "[\"g" + A.substring(1) + "\"]"),
            state("0", "{}", "{}", "[]") + "x",
            state("0", "{}", "{}", "[]").replace("]}", "]"),
            state("0", "{}", "{}", "[]").replace("\"next_index\":0,", ""),
            state("0", "{}", "{}", "[],\"other\":1"),
            state("0", "{}", "{}", "[],\"imported\":[]")
        }) {
            assertThat(isScanned(other)).as(other).isFalse();
        }
    }

    @Test
    void text_that_is_no_utf_8_is_left_to_the_parser() {
        byte[] json = state("0", "{}", "{\"" + A + "\":\"abc\"}", "[]").getBytes(StandardCharsets.UTF_8);
        assertThat(scan(json)).isPresent();
        int label = new String(json, StandardCharsets.ISO_8859_1).indexOf("abc");
        for (int[] bytes : new int[][] {{0xff, 'b', 'c'}, {0xc0, 0x80, 'c'}, {0xed, 0xa0, 0x80}, {'a', 'b', 0xc3}}) {
            for (int i = 0; i < 3; i++) {
                json[label + i] = (byte) bytes[i];
            }
            assertThat(scan(json)).isEmpty();
        }
    }

    @Test
    void mutations_of_a_plain_state_are_read_alike_or_left_to_the_parser() {
        String sample =
                state("12", "{}", "{\"" + A + "\":\"lä\",\"" + B + "\":\"\"}", "[\"" + B + "\", \"" + A + "\"]");
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = sample.getBytes(StandardCharsets.UTF_8);
            for (int i = random.nextInt(3); i >= 0; i--) {
                int place = random.nextInt(bytes.length);
                switch (random.nextInt(4)) {
                    case 0 -> bytes[place] = (byte) random.nextInt(256);
                    case 1 -> bytes[place] = (byte) "{}[]\",:0x \\\n\u0000".charAt(random.nextInt(13));
                    case 2 -> bytes[place] = bytes[random.nextInt(bytes.length)];
                    default -> bytes = Arrays.copyOf(bytes, Math.max(1, place));
                }
            }
            scan(bytes);
        }
    }
}
