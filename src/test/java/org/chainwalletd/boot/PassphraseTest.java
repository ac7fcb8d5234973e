package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.crypto.SecretBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PassphraseTest {
    @TempDir
    Path folder;

    private static final Optional<Path> NO_FILE = Optional.empty();
    private static final boolean UTF_8 = true;
    private static final boolean ANOTHER = false;

    @Test
    void the_passphrase_is_the_bytes_that_were_given() {
        try (SecretBytes passphrase = Passphrase.from(given("correct horse"), NO_FILE)) {
            assertThat(passphrase.copy()).isEqualTo("correct horse".getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(Passphrase.problem(given("\u043f\u0430\u0440\u043e\u043b\u044c \ud83e\udd8a"), UTF_8))
                .isEmpty();
        assertThat(Passphrase.problem(given("plain ~!@"), ANOTHER)).isEmpty();
    }

    @Test
    void a_missing_or_empty_one_is_refused() {
        assertThatThrownBy(() -> Passphrase.from(Map.of(), NO_FILE))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining("WALLETD_KEYSTORE_PASSPHRASE is not set");
        assertThat(Passphrase.problem(given(""), UTF_8)).isPresent();
    }

    /** All such passphrases of the same length would seal and open the same keys. */
    @Test
    void one_that_the_locale_cannot_tell_is_refused() {
        assertThatThrownBy(() -> Passphrase.from(given("\ufffd\ufffd\ufffd"), NO_FILE))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining("LC_ALL=C.UTF-8");
        assertThat(Passphrase.problem(given("ab\ufffd"), UTF_8)).isPresent();
        assertThat(Passphrase.problem(given("\u00d0\u00bf"), ANOTHER)).isPresent();
    }

    @Test
    void a_file_holds_the_passphrase_and_at_most_one_line_end() throws IOException {
        assertThat(read("correct horse")).isEqualTo("correct horse");
        assertThat(read("correct horse\n")).isEqualTo("correct horse");
        assertThat(read("correct horse\r\n")).isEqualTo("correct horse");
        assertThat(read("  spaces stay \n")).isEqualTo("  spaces stay ");
        assertThat(read("\u043f\u0430\u0440 \ud83e\udd8a\n")).isEqualTo("\u043f\u0430\u0440 \ud83e\udd8a");
    }

    @Test
    void what_can_only_be_a_mistake_in_a_file_is_refused() throws IOException {
        for (String content : List.of(
                "", "\n", "\r\n", "one\n\n", "one\ntwo", "one\rtwo\n", "\ufeffmarked", "nul\0", "x".repeat(4097))) {
            assertRefused(content.getBytes(StandardCharsets.UTF_8));
        }
        assertRefused(new byte[] {'a', (byte) 0xFF});
        assertRefused(new byte[] {'a', (byte) 0xE2, (byte) 0x82});
        assertRefused("utf-16".getBytes(StandardCharsets.UTF_16LE));
        assertThat(Passphrase.problem(Map.of(), Optional.of(folder))).isPresent();
        assertThat(Passphrase.problem(Map.of(), Optional.of(folder.resolve("nowhere"))))
                .hasValueSatisfying(problem -> assertThat(problem).contains("nowhere", "no such file"));
    }

    @Test
    void a_file_that_others_can_read_or_change_is_refused() throws IOException {
        for (String mode : List.of("rw----r--", "rw-----w-", "rw--w----", "rw-r-----", "rw-rw-rw-")) {
            Path file = file("correct horse".getBytes(StandardCharsets.UTF_8), mode);
            // Root may share its files through their group; any other user who runs this test owns the file.
            boolean handedOver = mode.equals("rw-r-----")
                    && Files.getAttribute(file, "unix:uid").equals(0);
            assertThat(Passphrase.problem(Map.of(), Optional.of(file)).isEmpty())
                    .as(mode)
                    .isEqualTo(handedOver);
        }
        Path strict = file("correct horse".getBytes(StandardCharsets.UTF_8), "r--------");
        Path link = Files.createSymbolicLink(folder.resolve("link"), strict);
        assertThat(Passphrase.problem(Map.of(), Optional.of(link))).isEmpty();
    }

    @Test
    void a_file_and_a_variable_may_be_given_when_they_are_the_same() throws IOException {
        Optional<Path> file = Optional.of(file("correct horse\n".getBytes(StandardCharsets.UTF_8), "rw-------"));
        assertThat(Passphrase.problem(given("correct horse"), file)).isEmpty();
        assertThat(Passphrase.problem(given(""), file)).isEmpty();
        assertThat(Passphrase.problem(given("correct horse\n"), file))
                .hasValueSatisfying(problem ->
                        assertThat(problem).contains("different passphrases").doesNotContain("horse"));
    }

    private String read(String content) throws IOException {
        Path file = file(content.getBytes(StandardCharsets.UTF_8), "rw-------");
        try (SecretBytes passphrase = Passphrase.from(Map.of(), Optional.of(file))) {
            return new String(passphrase.copy(), StandardCharsets.UTF_8);
        }
    }

    private void assertRefused(byte[] content) throws IOException {
        assertThat(Passphrase.problem(Map.of(), Optional.of(file(content, "rw-------"))))
                .as(new String(content, StandardCharsets.ISO_8859_1))
                .isPresent();
    }

    private Path file(byte[] content, String mode) throws IOException {
        Path file = folder.resolve("passphrase");
        Files.deleteIfExists(file);
        Files.write(file, content);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    }

    private static Map<String, String> given(String text) {
        return Map.of(Passphrase.VARIABLE, text);
    }
}
