package org.chainwalletd.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TracesTest {
    private static final byte[] SECRET =
            HexFormat.of().parseHex("c0ffee00112233445566778899aabbccddeeff0102030405060708090a0b0c0d");

    @TempDir
    Path folder;

    private final Traces traces = new Traces().bytes("secret", SECRET);

    @Test
    void a_secret_is_found_however_it_is_written_and_wherever_it_stands() throws IOException {
        assertThat(traces.in("x" + HexFormat.of().formatHex(SECRET))).hasSize(2);
        assertThat(traces.in(HexFormat.of().withUpperCase().formatHex(SECRET) + "x"))
                .hasSize(2);
        for (int before = 0; before < 6; before++) {
            byte[] around = new byte[before + SECRET.length + 5];
            System.arraycopy(SECRET, 0, around, before, SECRET.length);
            assertThat(traces.in(Base64.getEncoder().encodeToString(around)))
                    .as("after " + before)
                    .isNotEmpty();
            assertThat(traces.in(Base64.getUrlEncoder().encodeToString(around)))
                    .as("after " + before)
                    .isNotEmpty();
            Path file = Files.write(folder.resolve("file"), around);
            assertThat(traces.in(file)).containsExactly("secret, first half", "secret, second half");
        }
        assertThat(traces.in("c0ffee00112233445566778899aabbc, c0ffee")).isEmpty();
    }

    @Test
    void a_secret_is_found_in_a_long_file_wherever_it_stands() throws IOException {
        Path file = folder.resolve("long");
        for (int from = 0; from <= SECRET.length; from++) {
            byte[] around = new byte[(1 << 20) + 100];
            System.arraycopy(SECRET, 0, around, (1 << 20) - from, SECRET.length);
            assertThat(traces.in(Files.write(file, around)))
                    .as(from + " bytes in the first MiB")
                    .containsExactly("secret, first half", "secret, second half");
        }
    }
}
