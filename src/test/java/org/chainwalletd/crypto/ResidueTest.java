package org.chainwalletd.crypto;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.chainwalletd.testkit.Seeded;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Searches for secrets in the heap dump, garbage included, of a process that has used and closed them, and whose heap is large enough to need no
 * collection. The residue of Bouncy Castle's signer (see the package documentation) is not the secret itself and is not searched for.
 */
class ResidueTest {
    /** Number of consecutive bytes that count as a trace of a secret. */
    private static final int TRACE = 12;

    @TempDir
    Path folder;

    @Test
    void nothing_of_a_secret_is_on_the_heap_once_it_is_closed() throws Exception {
        Random random = Seeded.random("nothing_of_a_secret_is_on_the_heap_once_it_is_closed");
        byte[] entropy = Seeded.bytes(random, ResidueMain.LENGTH);
        byte[] passphrase = Seeded.bytes(random, ResidueMain.LENGTH);
        byte[] kept = Seeded.bytes(random, ResidueMain.LENGTH);

        byte[] dump = heapDumpAfterUsing(entropy, passphrase, kept);

        assertThat(holds(dump, kept, 1)).as("the secret that was kept open").isTrue();
        secrets(entropy, passphrase).forEach((name, secret) -> {
            assertThat(holds(dump, secret, 1)).as(name).isFalse();
            assertThat(holds(dump, secret, Integer.BYTES))
                    .as(name + " as little-endian words")
                    .isFalse();
        });
    }

    private static Map<String, byte[]> secrets(byte[] entropy, byte[] passphrase) {
        Map<String, byte[]> secrets = new LinkedHashMap<>();
        secrets.put("entropy", entropy);
        secrets.put("passphrase", passphrase);
        secrets.put(
                "sealing key", ResidueMain.COST.derive(passphrase, new byte[16]).copy());
        try (Mnemonic phrase = Mnemonic.ofEntropy(entropy)) {
            byte[] words = phrase.phrase().copy();
            secrets.put("first words", words);
            secrets.put("last words", Arrays.copyOfRange(words, words.length - TRACE, words.length));
            secrets.put("BIP-39 seed", phrase.seed().copy());
            secrets.put(
                    "standard secret",
                    KeyDerivation.standard(ResidueMain.TAG, phrase).copy());
            secrets.put(
                    "hierarchical secret",
                    KeyDerivation.hierarchical(phrase, ResidueMain.COIN_TYPE, 0).copy());
        }
        return secrets;
    }

    private byte[] heapDumpAfterUsing(byte[]... inputs) throws IOException, InterruptedException {
        Path dump = folder.resolve("heap.hprof");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xms256m",
                        "-Xmx256m",
                        "-Xmn192m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        ResidueMain.class.getName(),
                        dump.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("output").toFile())
                .start();
        try (OutputStream out = process.getOutputStream()) {
            for (byte[] input : inputs) {
                byte[] masked = input.clone();
                for (int i = 0; i < masked.length; i++) {
                    masked[i] ^= ResidueMain.MASK;
                }
                out.write(masked);
            }
        }
        boolean ended = process.waitFor(2, TimeUnit.MINUTES);
        process.destroyForcibly();
        assertThat(ended && process.exitValue() == 0)
                .as(() -> "the process ended well: " + output())
                .isTrue();
        assertThat(output())
                .as("a collection would leave copies of what it moved")
                .contains("0 collections");
        return Files.readAllBytes(dump);
    }

    private String output() {
        try {
            return Files.readString(folder.resolve("output"));
        } catch (IOException e) {
            return e.toString();
        }
    }

    /** Tests whether the first bytes of {@code secret} are in {@code dump}, in words of {@code wordLength} bytes with reversed byte order. */
    private static boolean holds(byte[] dump, byte[] secret, int wordLength) {
        byte[] trace = new byte[TRACE];
        for (int i = 0; i < TRACE; i++) {
            trace[i] = secret[i ^ wordLength - 1];
        }
        for (int at = 0; at + TRACE <= dump.length; at++) {
            if (dump[at] == trace[0] && Arrays.equals(dump, at, at + TRACE, trace, 0, TRACE)) {
                return true;
            }
        }
        return false;
    }
}
