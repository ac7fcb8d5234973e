package org.chainwalletd.keyring;

import java.util.OptionalLong;
import java.util.function.Supplier;

/** At which height a key is born that is drawn now (following.md, section 2). */
final class Births {
    /** How many blocks a birth lies below the followed height, so that no reorganisation puts a payment before it. */
    private static final long MARGIN = 100;

    private volatile Supplier<OptionalLong> followed = OptionalLong::empty;

    /** @param height u64, of the last block that is followed; asked on any thread, must not block */
    void follow(Supplier<OptionalLong> height) {
        followed = height;
    }

    /** Empty as long as it is not known how high the chain is. */
    OptionalLong now() {
        OptionalLong height = followed.get();
        if (height.isEmpty()) {
            return height;
        }
        boolean young = Long.compareUnsigned(height.getAsLong(), MARGIN) < 0;
        return OptionalLong.of(young ? 0 : height.getAsLong() - MARGIN);
    }
}
