package org.chainwalletd.keyring.store;

import java.util.Locale;
import org.chainwalletd.chain.Address;
import org.chainwalletd.chain.Bytes;
import org.chainwalletd.evm.EvmAddress;

/**
 * Where one sealed blob of a keyring belongs: what it is for, and whose it is. There is at most one blob in each place.
 *
 * @param owner address whose secret it is; empty for what a keyring has once
 */
public record SealedPlace(Kind kind, Bytes owner) {
    public static final SealedPlace SEED = new SealedPlace(Kind.SEED, Bytes.EMPTY);
    public static final SealedPlace CHECK = new SealedPlace(Kind.CHECK, Bytes.EMPTY);
    public static final SealedPlace EVM_KEY = new SealedPlace(Kind.EVM_KEY, Bytes.EMPTY);
    public static final SealedPlace EVM_PHRASE = new SealedPlace(Kind.EVM_PHRASE, Bytes.EMPTY);

    /** Purpose of the blob, with the role that it is bound to. */
    public enum Kind {
        /** The entropy of the legacy seed. */
        SEED(Sealer.Role.SEED),
        /** Proves the passphrase of a keyring that has no key yet. */
        CHECK(Sealer.Role.CHECK),
        /** The secret of a 1:1 key. */
        KEY(Sealer.Role.IMPORTED),
        /** The entropy of the phrase of a standard key. */
        PHRASE(Sealer.Role.MNEMONIC),
        /** The secret of the account-chain key. */
        EVM_KEY(Sealer.Role.EVM_KEY),
        /** The entropy of the account-chain key's phrase. */
        EVM_PHRASE(Sealer.Role.EVM_MNEMONIC),
        /** The secret of an account-chain key that is not the current one, or is about not to be. */
        KEPT_EVM_KEY(Sealer.Role.EVM_KEY),
        /** The entropy of such a key's phrase. */
        KEPT_EVM_PHRASE(Sealer.Role.EVM_MNEMONIC);

        private final Sealer.Role role;

        Kind(Sealer.Role role) {
            this.role = role;
        }

        /** Its name in the rows of a database, so that no constant is ever renamed. */
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
