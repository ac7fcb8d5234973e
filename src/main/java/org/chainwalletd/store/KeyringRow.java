package org.chainwalletd.store;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.chain.PublicKey;

/** Values of the rows of a keyring in a PostgreSQL store. */
public interface KeyringRow {
    /**
     * Primary key of a sealed blob.
     *
     * @param kind of secret
     * @param owner address of the key that it belongs to; empty bytes for a kind with a single secret
     */
    record Place(String kind, Bytes owner) implements KeyringRow {}

    /**
     * Public part of a key.
     *
     * @param index of its derivation from the legacy seed, u32; empty for a 1:1 key
     * @param imported whether it is a 1:1 key
     * @param origin code of how the key was added; 0 when unknown
     * @param birth height (u64) below which no block can pay it
     */
    record Key(
            Address address,
            Optional<PublicKey> publicKey,
            OptionalLong index,
            Optional<String> label,
            boolean imported,
            int origin,
            OptionalLong birth)
            implements KeyringRow {}

    /**
     * Facts about a whole keyring.
     *
     * @param nextIndex of the next key of the legacy seed, u32
     * @param members additional facts by name, as JSON text in UTF-8
     */
    record Head(long nextIndex, Map<String, Bytes> members) implements KeyringRow {}
}
