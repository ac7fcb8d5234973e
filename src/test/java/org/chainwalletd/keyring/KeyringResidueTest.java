package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.crypto.Mnemonic;
import org.chainwalletd.testkit.ChildJvm;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Searches for a secret, its words and the passphrase in the log, the printed exceptions and the heap dump (garbage included) of a process that has
 * used them in every way and forgotten them. Copies that no Java program can overwrite are named in the manual and not searched for.
 */
@Tag("long")
class KeyringResidueTest {
    /** Number of consecutive bytes that count as a trace. */
    private static final int TRACE = 14;

    @TempDir
    Path folder;

    @Test
    void after_sign_and_forget_no_secret_is_in_log_exceptions_or_heap() throws Exception {
        Random random = Seeded.random("after_sign_and_forget_no_secret_is_in_log_exceptions_or_heap");
        byte[] secret = Seeded.bytes(random, 32);
        byte[] passphrase = Seeded.bytes(random, 32);
        byte[] kept = Seeded.bytes(random, 32);
        Path log = folder.resolve("log");
        Path dump = folder.resolve("heap.hprof");
        run(log, dump, secret, passphrase, kept);

        byte[] heap = Files.readAllBytes(dump);
        byte[] text = Files.readAllBytes(log);
        assertThat(new String(text, StandardCharsets.UTF_8)).contains("wrong passphrase", "kept 32");
        assertThat(holds(heap, kept)).as("the secret that was kept open").isTrue();
        traces(secret, passphrase).forEach((name, trace) -> {
            assertThat(holds(heap, trace)).as(name + " on the heap").isFalse();
            assertThat(holds(text, trace)).as(name + " in the log").isFalse();
        });
    }

    private static Map<String, byte[]> traces(byte[] secret, byte[] passphrase) {
        Map<String, byte[]> traces = new LinkedHashMap<>();
        traces.put("secret", secret);
        traces.put("passphrase", passphrase);
        byte[] hex = HexFormat.of().formatHex(secret).getBytes(StandardCharsets.US_ASCII);
        traces.put("first half of the hex secret", hex);
        traces.put("second half of the hex secret", Arrays.copyOfRange(hex, 32, 64));
        traces.put(
                "hex secret as UTF-16", new String(hex, StandardCharsets.US_ASCII).getBytes(StandardCharsets.UTF_16LE));
        try (Mnemonic phrase = Mnemonic.ofEntropy(secret)) {
            byte[] words = phrase.phrase().copy();
            traces.put("first words", words);
            traces.put("last words", Arrays.copyOfRange(words, words.length - TRACE, words.length));
        }
        return traces;
    }

    private void run(Path log, Path dump, byte[]... inputs) throws Exception {
        Process process = ChildJvm.of(
                        List.of("-Xms384m", "-Xmx384m", "-Xmn256m"),
                        KeyringResidueMain.class,
                        folder.resolve("wallets"),
                        dump)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try (OutputStream in = process.getOutputStream()) {
            for (byte[] input : inputs) {
                byte[] masked = input.clone();
                for (int i = 0; i < masked.length; i++) {
                    masked[i] ^= KeyringResidueMain.MASK;
                }
                in.write(masked);
            }
        }
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    }

    private static boolean holds(byte[] haystack, byte[] needle) {
        int length = Math.min(needle.length, TRACE);
        for (int at = 0; at + length <= haystack.length; at++) {
            if (haystack[at] == needle[0] && Arrays.equals(haystack, at, at + length, needle, 0, length)) {
                return true;
            }
        }
        return false;
    }
}
