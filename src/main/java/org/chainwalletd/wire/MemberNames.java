package org.chainwalletd.wire;

import java.util.Locale;
import java.util.Set;

/** Names of members and enum values on the wire. */
public final class MemberNames {
    /**
     * Members whose text never becomes a {@code String}: the reader keeps its UTF-8 bytes; the binder returns a copy as secret bytes and overwrites
     * the original.
     */
    public static final Set<String> SECRETS =
            Set.of("passphrase", "private_key", "private_key_hex", "secret_hex", "mnemonic");

    private MemberNames() {}

    /** Converts {@code lockTxId} to {@code lock_tx_id}. */
    public static String snakeCase(String javaName) {
        StringBuilder wire = new StringBuilder(javaName.length() + 4);
        for (int i = 0; i < javaName.length(); i++) {
            char letter = javaName.charAt(i);
            if (Character.isUpperCase(letter)) {
                wire.append('_').append(Character.toLowerCase(letter));
            } else {
                wire.append(letter);
            }
        }
        return wire.toString();
    }

    /** Returns the lower-case name of an enum constant, which is its value on the wire. */
    public static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
