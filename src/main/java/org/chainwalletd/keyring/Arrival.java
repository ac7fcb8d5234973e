package org.chainwalletd.keyring;

import org.chainwalletd.chain.Address;

/** A 1:1 key on its way into the keyring. Closing it overwrites what is secret of it. */
sealed interface Arrival extends AutoCloseable permits NewKey, PooledKey {
    Address address();

    /** As it will be listed. */
    KeyEntry entry();

    KeyNote note();

    @Override
    void close();
}
