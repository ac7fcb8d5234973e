package org.chainwalletd.keyring.store;

import java.util.OptionalLong;

/**
 * Note about a 1:1 key beyond what every keystore holds.
 *
 * @param birth a height, u64, below which no block can pay the key, because nobody had it; empty when that is not known, as for every key that
 *     was brought
 */
public record KeyNote(Origin origin, OptionalLong birth) {
    public static KeyNote unborn(Origin origin) {
        return new KeyNote(origin, OptionalLong.empty());
    }

    public KeyNote born(OptionalLong height) {
        return new KeyNote(origin, height);
    }

    /** How a 1:1 key came into the keyring (interface.md, section 1.5). */
    public enum Origin {
        /** With a standard phrase of its own, drawn here or imported, which is sealed beside the secret. */
        STANDARD(1),
        /** Its phrase spells the secret: drawn here or imported as words. */
        INDEPENDENT(2),
        /** A secret that somebody brought, or a key of a vault without a phrase. */
        IMPORTED(3);

        private final int code;

        Origin(int code) {
            this.code = code;
        }

        /** Its number in files; never changed. */
        int code() {
            return code;
        }
    }
}
