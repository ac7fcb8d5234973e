package org.chainwalletd.keyring.store;

import org.chainwalletd.chain.Address;
import org.chainwalletd.evm.EvmAddress;

/** Where one sealed blob of a keyring belongs: what it is for, and whose it is. There is at most one blob in each place. */
public sealed interface SealedPlace {
    /** Which role the blob is bound to. */
    Sealer.Role role();

    /** The entropy of the legacy seed. */
    record Seed() implements SealedPlace {
        @Override
        public Sealer.Role role() {
            return Sealer.Role.SEED;
        }
    }

    /** Proves the passphrase of a keyring that has no key yet. */
    record Check() implements SealedPlace {
        @Override
        public Sealer.Role role() {
            return Sealer.Role.CHECK;
        }
    }

    /** The secret of a 1:1 key. */
    record Key(Address address) implements SealedPlace {
        @Override
        public Sealer.Role role() {
            return Sealer.Role.IMPORTED;
        }
    }

    /** The entropy of the phrase of a standard key. */
    record Phrase(Address address) implements SealedPlace {
        @Override
        public Sealer.Role role() {
            return Sealer.Role.MNEMONIC;
        }
    }

    /** The secret of the account-chain key. */
    record EvmKey() implements SealedPlace {
        @Override
        public Sealer.Role role() {
            return Sealer.Role.EVM_KEY;
        }
    }

    /** The entropy of the account-chain key's phrase. */
    record EvmPhrase() implements SealedPlace {
        @Override
        public Sealer.Role role() {
            return Sealer.Role.EVM_MNEMONIC;
        }
    }

    /** The secret of an account-chain key that is not the current one, or is about not to be. */
    record KeptEvmKey(EvmAddress address) implements SealedPlace {
        @Override
        public Sealer.Role role() {
            return Sealer.Role.EVM_KEY;
        }
    }

    /** The entropy of such a key's phrase. */
    record KeptEvmPhrase(EvmAddress address) implements SealedPlace {
        @Override
        public Sealer.Role role() {
            return Sealer.Role.EVM_MNEMONIC;
        }
    }
}
