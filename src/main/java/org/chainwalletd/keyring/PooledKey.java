package org.chainwalletd.keyring;

import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;

/**
 * A standard key that was drawn and sealed ahead of time and is given out now.
 *
 * @param birth of the moment it is given out: until then nobody outside this process had heard of it
 */
record PooledKey(SealedKey sealed, Optional<String> label, OptionalLong birth) implements Arrival {
    @Override
    public Address address() {
        return sealed.address();
    }

    @Override
    public KeyEntry entry() {
        return new KeyEntry(address(), Optional.of(sealed.publicKey()), OptionalLong.empty(), label, true);
    }

    @Override
    public KeyNote note() {
        return new KeyNote(KeyOrigin.STANDARD, birth);
    }

    /** Its secrets are sealed. */
    @Override
    public void close() {}
}
