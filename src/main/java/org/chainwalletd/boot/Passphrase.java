package org.chainwalletd.boot;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.chainwalletd.crypto.SecretBytes;

/** The keystore passphrase, which comes from the environment and from nowhere else (interface.md, section 1.2). */
public final class Passphrase {
    public static final String VARIABLE = "WALLETD_KEYSTORE_PASSPHRASE";

    private Passphrase() {}

    /**
     * @return UTF-8 bytes, as given
     * @throws StartupException when it is not set or empty
     */
    public static SecretBytes from(Map<String, String> environment) {
        String text = environment.get(VARIABLE);
        if (text == null || text.isEmpty()) {
            throw new StartupException(VARIABLE
                    + " is not set: put the passphrase that seals the keys into this environment variable"
                    + " (on first run, choose one and keep it safe: without it no key can be opened)");
        }
        return SecretBytes.takeOver(text.getBytes(StandardCharsets.UTF_8));
    }
}
