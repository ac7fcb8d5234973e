package org.chainwalletd.boot;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.chainwalletd.crypto.SecretBytes;

/** The keystore passphrase, which comes from the environment and from nowhere else (interface.md, section 1.2). */
public final class Passphrase {
    public static final String VARIABLE = "WALLETD_KEYSTORE_PASSPHRASE";

    /** What stands in a variable's text for bytes that the JVM could not read in the locale's character set. */
    private static final char UNREADABLE = '\uFFFD';

    private Passphrase() {}

    /**
     * @return UTF-8 bytes, as given
     * @throws StartupException when it is not set, empty, or was not read as it was given
     */
    public static SecretBytes from(Map<String, String> environment) {
        problem(environment).ifPresent(problem -> {
            throw new StartupException(problem);
        });
        return SecretBytes.takeOver(environment.get(VARIABLE).getBytes(StandardCharsets.UTF_8));
    }

    /** Why the daemon cannot start with the passphrase of {@code environment}; a line for the operator. */
    public static Optional<String> problem(Map<String, String> environment) {
        return problem(environment, readsVariablesAsUtf8());
    }

    static Optional<String> problem(Map<String, String> environment, boolean readAsUtf8) {
        String text = environment.get(VARIABLE);
        if (text == null || text.isEmpty()) {
            return Optional.of(VARIABLE
                    + " is not set: put the passphrase that seals the keys into this environment variable"
                    + " (on first run, choose one and keep it safe: without it no key can be opened)");
        }
        // Sealed under question marks, a key would open with every passphrase of that length, and with the right one
        // never again.
        boolean ascii = text.chars().allMatch(character -> character < 0x80);
        if (text.indexOf(UNREADABLE) >= 0 || !ascii && !readAsUtf8) {
            return Optional.of(VARIABLE
                    + " has characters beyond ASCII that are not UTF-8 or cannot be read in this locale: give it in UTF-8 and"
                    + " set LC_ALL=C.UTF-8, or another locale of UTF-8 that this machine has");
        }
        return Optional.empty();
    }

    /** JDK 17 reads variables in the default character set, later ones in that of the locale. */
    private static boolean readsVariablesAsUtf8() {
        String ofTheLocale = System.getProperty("sun.jnu.encoding", "");
        return Charset.defaultCharset().equals(StandardCharsets.UTF_8)
                && ofTheLocale.equalsIgnoreCase(StandardCharsets.UTF_8.name());
    }
}
