package org.chainwalletd.keyring.store;

import java.util.Locale;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.evm.EvmAddress;

/**
 * Storage place of one sealed blob of a keyring, by purpose and owner. Each place holds at most one blob.
 *
 * @param owner address whose secret the blob holds; empty for blobs that exist once per keyring
 */
public record SealedPlace(Kind kind, Bytes owner) {
    public static final SealedPlace SEED = new SealedPlace(Kind.SEED, Bytes.EMPTY);
    public static final SealedPlace CHECK = new SealedPlace(Kind.CHECK, Bytes.EMPTY);
    public static final SealedPlace EVM_KEY = new SealedPlace(Kind.EVM_KEY, Bytes.EMPTY);
    public static final SealedPlace EVM_PHRASE = new SealedPlace(Kind.EVM_PHRASE, Bytes.EMPTY);

    /** Purpose of the blob, with the role that is authenticated with it. */
    public enum Kind {
        /** Entropy of the legacy seed. */
        SEED(Sealer.Role.SEED),
        /** Verifies the passphrase of a keyring that has no key yet. */
        CHECK(Sealer.Role.CHECK),
        /** Secret of a 1:1 key. */
        KEY(Sealer.Role.IMPORTED),
        /** Entropy of a standard key's phrase. */
        PHRASE(Sealer.Role.MNEMONIC),
        /** Secret of the account-chain key. */
        EVM_KEY(Sealer.Role.EVM_KEY),
        /** Entropy of the account-chain key's phrase. */
        EVM_PHRASE(Sealer.Role.EVM_MNEMONIC),
        /**
         * Secret of an account-chain key stored under its address: a replaced key or one being replaced; in a shared store also the current
         * key.
         */
        KEPT_EVM_KEY(Sealer.Role.EVM_KEY),
        /** Entropy of the phrase of such a key. */
        KEPT_EVM_PHRASE(Sealer.Role.EVM_MNEMONIC);

        private final Sealer.Role role;

        Kind(Sealer.Role role) {
            this.role = role;
        }

        /** Name in database rows; the constants must therefore never be renamed. */
        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static SealedPlace key(Address address) {
        return new SealedPlace(Kind.KEY, Bytes.wrap(address.toArray()));
    }

    public static SealedPlace phrase(Address address) {
        return new SealedPlace(Kind.PHRASE, Bytes.wrap(address.toArray()));
    }

    public static SealedPlace keptEvmKey(EvmAddress address) {
        return new SealedPlace(Kind.KEPT_EVM_KEY, Bytes.wrap(address.toArray()));
    }

    public static SealedPlace keptEvmPhrase(EvmAddress address) {
        return new SealedPlace(Kind.KEPT_EVM_PHRASE, Bytes.wrap(address.toArray()));
    }

    public Sealer.Role role() {
        return kind.role;
    }
}
