package org.chainwalletd.keyring.store;

import java.util.OptionalLong;

/**
 * Data about a 1:1 key that other implementations do not store.
 *
 * @param birth height, u64, below which no block can pay the key, because it did not exist; empty when unknown, as for every imported key
 */
public record KeyNote(Origin origin, OptionalLong birth) {
    public static KeyNote unborn(Origin origin) {
        return new KeyNote(origin, OptionalLong.empty());
    }

    public KeyNote born(OptionalLong height) {
        return new KeyNote(origin, height);
    }

    /** Origin of a 1:1 key (interface.md, section 1.5). */
    public enum Origin {
        /** Has its own standard phrase, generated here or imported, which is sealed beside the secret. */
        STANDARD(1),
        /** Has a phrase that encodes the secret; generated here or imported as words. */
        INDEPENDENT(2),
        /** Imported secret, or a vault's key without a phrase. */
        IMPORTED(3);

        private final int code;

        Origin(int code) {
            this.code = code;
        }

        /** Number in files; must never change. */
        int code() {
            return code;
        }
    }
}
