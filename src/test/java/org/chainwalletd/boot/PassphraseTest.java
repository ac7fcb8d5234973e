package org.chainwalletd.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.chainwalletd.crypto.SecretBytes;
import org.junit.jupiter.api.Test;

class PassphraseTest {
    private static final boolean UTF_8 = true;
    private static final boolean ANOTHER = false;

    @Test
    void the_passphrase_is_the_bytes_that_were_given() {
        try (SecretBytes passphrase = Passphrase.from(given("correct horse"))) {
            assertThat(passphrase.copy()).isEqualTo("correct horse".getBytes(StandardCharsets.US_ASCII));
        }
        assertThat(Passphrase.problem(given("\u043f\u0430\u0440\u043e\u043b\u044c \ud83e\udd8a"), UTF_8))
                .isEmpty();
        assertThat(Passphrase.problem(given("plain ~!@"), ANOTHER)).isEmpty();
    }

    @Test
    void a_missing_or_empty_one_is_refused() {
        assertThatThrownBy(() -> Passphrase.from(Map.of()))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining("WALLETD_KEYSTORE_PASSPHRASE is not set");
        assertThat(Passphrase.problem(given(""), UTF_8)).isPresent();
    }

    /** All such passphrases of one length would seal and open the same keys. */
    @Test
    void one_that_the_locale_cannot_tell_is_refused() {
        assertThatThrownBy(() -> Passphrase.from(given("\ufffd\ufffd\ufffd")))
                .isInstanceOf(StartupException.class)
                .hasMessageContaining("LC_ALL=C.UTF-8");
        assertThat(Passphrase.problem(given("ab\ufffd"), UTF_8)).isPresent();
        assertThat(Passphrase.problem(given("\u00d0\u00bf"), ANOTHER)).isPresent();
    }

    private static Map<String, String> given(String text) {
        return Map.of(Passphrase.VARIABLE, text);
    }
}
