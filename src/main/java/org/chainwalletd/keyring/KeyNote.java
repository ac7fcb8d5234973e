package org.chainwalletd.keyring;

import java.util.OptionalLong;

/**
 * What is known of a 1:1 key beyond what every keystore holds.
 *
 * @param birth a height, u64, below which no block can pay the key, because nobody had it; empty when that is not known, as for every key that
 *     was brought
 */
record KeyNote(KeyOrigin origin, OptionalLong birth) {
    static KeyNote unborn(KeyOrigin origin) {
        return new KeyNote(origin, OptionalLong.empty());
    }

    KeyNote born(OptionalLong height) {
        return new KeyNote(origin, height);
    }
}
