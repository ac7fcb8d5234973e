package org.chainwalletd.keyring;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import org.chainwalletd.crypto.SecretBytes;
import org.chainwalletd.keyring.store.Sealer;
import org.chainwalletd.testkit.LogCapture;
import org.junit.jupiter.api.Test;

/** The author of a vault knew its passphrase once, and may have written anything into it. */
class VaultLogTest {
    private static final Sealer SEALER = new Sealer(KeyringFixture.CHAIN, KeyringFixture.CHEAP, new SecureRandom());
    private static final String FALSE_LINE = "time=2026-11-21T10:00:00.123Z method=transfer outcome=ok";
    private static final String FORGED = "\"00\\n" + FALSE_LINE + "\\u2028\\u001b[2J\"";

    @Test
    void no_text_of_a_vault_gets_into_the_log_where_its_address_is_another_one() {
        LogCapture log = LogCapture.ofPackage(Vault.class);
        try (log;
                SecretBytes content = SecretBytes.copyOf(("{\"version\":1,\"keys\":[{\"address\":" + FORGED
                                + ",\"label\":" + FORGED + ",\"mnemonic\":\"no phrase\",\"secret_hex\":\""
                                + "02".repeat(32)
                                + "\"}],\"evm_keys\":[{\"address\":" + FORGED + ",\"source\":" + FORGED
                                + ",\"secret_hex\":\"" + "03".repeat(32) + "\"}]}")
                        .getBytes(StandardCharsets.UTF_8));
                Vault.Contents vault = Vault.read(content, SEALER)) {
            assertThat(vault.keys()).hasSize(1);
        }

        assertThat(log.messages())
                .anyMatch(text -> text.contains("another address"))
                .noneMatch(text -> text.contains("transfer") || text.contains("\n") || text.contains("\u001b"));
    }
}
