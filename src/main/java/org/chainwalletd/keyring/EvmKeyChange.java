package org.chainwalletd.keyring;

import java.util.Optional;

/**
 * What becomes of the record of the account-chain key.
 *
 * @param after empty when the keyring has none of its own any more
 */
record EvmKeyChange(Optional<EvmKeyRecord> after) {}
